"""`make torture` names no attack and means all of them."""

import pytest

from tests.torture.__main__ import ATTACKS, options_of


def test_no_attack_named_means_all():
    assert options_of(["--size", "0.1"]).attacks == list(ATTACKS)


def test_attacks_can_be_named_and_are_known():
    assert options_of(["tables", "fits"]).attacks == ["tables", "fits"]
    with pytest.raises(SystemExit):
        options_of(["tabels"])

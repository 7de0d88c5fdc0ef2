"""A few of each attack; `make torture` makes them all."""

from pathlib import Path

from tests.torture.crowd import crowd
from tests.torture.damage import damage
from tests.torture.invocations import invocations
from tests.torture.kills import kills
from tests.torture.tally import Tally


def clean(tally: Tally) -> bool:
    assert tally.clean, "\n".join([tally.line(), *tally.notes])
    return True


def test_kills_and_a_crowd(tmp_path: Path) -> None:
    assert clean(kills(tmp_path, 2, seed=1)) and clean(crowd(tmp_path, 3))


def test_damage(tmp_path: Path) -> None:
    assert clean(damage(tmp_path, 40, seed=1, at_once=40))


def test_invocations(tmp_path: Path) -> None:
    assert clean(invocations(tmp_path, 40, seed=1))

"""A few of most attacks; `make torture` makes them all. (tests/terminal closes a terminal.)"""

from pathlib import Path

from tests.torture.archives import archives
from tests.torture.crowd import crowd
from tests.torture.damage import damage
from tests.torture.invocations import invocations
from tests.torture.kills import kills
from tests.torture.tally import Tally


def clean(tally: Tally) -> bool:
    assert tally.clean, "\n".join([tally.line(), *tally.notes])
    return True


def test_kills_and_a_crowd(tmp_path: Path, undisturbed: Path) -> None:
    assert clean(kills(tmp_path, undisturbed, 2, seed=1)) and clean(crowd(tmp_path, undisturbed, 3))


def test_damage(tmp_path: Path) -> None:
    assert clean(damage(tmp_path, 40, seed=1))


def test_archives(tmp_path: Path) -> None:
    assert clean(archives(tmp_path, 8, seed=1))


def test_invocations(tmp_path: Path) -> None:
    assert clean(invocations(tmp_path, 40, seed=1))

"""What tables and figures of a report are made of: the runs of a profile, in groups, and the printed values."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dgpexp.report import published, source
from dgpexp.report.cells import Groups, group
from dgpexp.report.published import Key, Published
from dgpexp.report.source import Source


@dataclass(frozen=True)
class Material:
    """The runs of a profile, those of each table entry, and what was printed."""

    profile: str
    source: Source
    published: dict[Key, Published]
    groups: Groups
    timed: Groups  # on random numbers: of these the seconds count, and nothing else


def collect(results: Path, profile: str, tags: tuple[str, ...] = ()) -> Material:
    """Read the runs of a profile and group them."""
    found = source.load(results, profile, tags)
    return Material(profile, found, published.load(), group(found.runs), group(found.random, random=True))


def in_order(known: Iterable[Any], found: Iterable[Any]) -> list[Any]:
    """What the thesis has in its order, then what only we have."""
    known = list(known)
    return known + sorted(set(found) - set(known))

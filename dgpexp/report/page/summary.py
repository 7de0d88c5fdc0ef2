"""What a report amounts to, in a few numbers (its tiles) and in a sentence (its card on the pages of the others).

The profile `thesis` is judged by the printed values. A profile that trains otherwise is not, but whether it comes out
above or below them can be counted. The miniature is neither: of it, only whether it gives the same numbers again.
"""

from collections import Counter
from dataclasses import dataclass

from dgpexp.report.cells import JUDGED_AT, MINIATURE, RECIPE, Cell
from dgpexp.report.model import Report
from dgpexp.report.statistics.claims import HELD, NOT_HELD

Tile = tuple[str, str]  # a number and what it counts

_ABOUT = {
    "thesis": "the thesis's own protocol, judged by its printed values",
    RECIPE: "our own recipe, beside the same printed values",
    MINIATURE: "every experiment in miniature, run on this machine to see whether it gives the committed numbers again",
}


@dataclass(frozen=True)
class Card:
    """A profile among the others: where its page is, what it is, what came of it."""

    profile: str
    href: str  # empty: this page
    about: str
    outcome: str


def card(report: Report, shown: str) -> Card:
    """Of a report, on the page of the profile `shown`."""
    href = "" if report.profile == shown else f"../{report.profile}/index.html"
    return Card(report.profile, href, _ABOUT.get(report.profile, ""), outcome(report))


def outcome(report: Report) -> str:
    """`8 cells agree with the thesis, 0 cells differ, ...`"""
    if report.profile == MINIATURE:
        return report.repetition.sentence if report.repetition else "the committed runs themselves"
    return ", ".join(f"{number} {label}" for number, label in _verdicts(report)) + "."


def tiles(report: Report) -> list[Tile]:
    runs = report.source.runs
    finished = int((runs["status"] == "COMPLETED").sum()) if len(runs) else 0
    hours = float(runs["train_seconds"].fillna(0).sum()) / 3600 if len(runs) else 0.0
    time = f"{60 * hours:.0f} min" if hours < 1 else f"{hours:,.1f} h" if hours < 1000 else f"{hours:,.0f} h"
    return [(f"{finished:,}", f"finished runs of {len(runs):,}"), *_verdicts(report), (time, "of training")]


def _verdicts(report: Report) -> list[Tile]:
    if report.profile == MINIATURE:
        return _repeated(report)
    cells = [c for c in report.thesis_cells if c.published and c.n]
    verdicts = Counter(c.verdict for c in cells)
    if cells and verdicts["not comparable"] == len(cells):
        return _beside(cells)
    partly = [c for c in cells if c.verdict == "partial" and c.difference is not None]
    held = Counter(c.status for c in report.claims)
    judged = held[HELD] + held[NOT_HELD]
    return [
        (str(verdicts["agree"]), "cells agree with the thesis"),
        (str(verdicts["differ"]), "cells differ"),
        (f"{_within(partly)} of {len(partly)}", f"partly run cells within {JUDGED_AT:g} s.e. so far"),
        (f"{held[HELD]} of {judged}", "judged claims held"),
        (str(len(report.claims) - judged), "claims need more runs"),
    ]


def _beside(cells: list[Cell]) -> list[Tile]:
    """Of runs that were trained otherwise than the thesis's."""
    known = [c for c in cells if c.difference is not None]
    if not known:
        return [(str(len(cells)), "cells with a single run so far")]
    beyond = [c for c in known if abs(c.difference or 0.0) > JUDGED_AT]
    return [
        (str(sum(not c.worse for c in beyond)), f"cells better than printed by {JUDGED_AT:g} s.e."),
        (str(_within(known)), f"within {JUDGED_AT:g} s.e. of it"),
        (str(sum(bool(c.worse) for c in beyond)), "worse"),
        (str(len(cells) - len(known)), "cells with a single run so far"),
    ]


def _within(cells: list[Cell]) -> int:
    return sum(c.difference is not None and abs(c.difference) <= JUDGED_AT for c in cells)


def _repeated(report: Report) -> list[Tile]:
    if report.repetition is None:
        return []
    pairs, different = report.repetition.pairs, report.repetition.different
    tiles = (
        []
        if not pairs
        else [(f"{len(pairs) - len(different)} of {len(pairs)}", "equal the committed runs to the printed digits")]
    )
    return [*tiles, (str(report.repetition.without_twin), "without a committed run")]

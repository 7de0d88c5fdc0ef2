"""What a report amounts to, in a few numbers (its tiles) and in a sentence (its card on the pages of the others).

Every counter has its denominator. The profile `thesis` is judged by the printed values. Our recipe trains otherwise and
is not, but whether it comes out worse than they are can be counted. Of the miniature, only whether it repeats.
"""

from dgpexp.report import verdicts
from dgpexp.report.cells import JUDGED_AT, MINIATURE, RECIPE
from dgpexp.report.model import Report
from dgpexp.report.reproduced import DIFFERENT, EQUAL, WITHIN

Tile = tuple[str, str]  # a number and what it counts

_ABOUT = {
    "thesis": "the thesis's own protocol, judged by its printed values",
    RECIPE: "our own recipe, beside the same printed values",
    "best": "a later recipe, which trains VI otherwise; no verdict rests on it",
    "rff": "the settings and folds of Cutajar et al. (2017)",
    MINIATURE: "every experiment in miniature, run on this machine to see whether it gives the committed numbers again",
}


def card(report: Report, shown: str) -> dict[str, str]:
    """The card of a report on the page of the profile `shown`: what it is, what came of it, and where its page is."""
    href = "" if report.profile == shown else f"../{report.profile}/index.html"
    about = _ABOUT.get(report.profile, "")
    return {"profile": report.profile, "href": href, "about": about, "outcome": outcome(report)}


def outcome(report: Report) -> str:
    """`Section 5.1: 58 of 1,840 runs; ...`"""
    if report.profile == MINIATURE:
        return report.repetition.sentence if report.repetition else "the committed runs themselves"
    return ", ".join(f"{number} {label}" for number, label in _counters(report)).rstrip(".") + "."


def tiles(report: Report) -> list[Tile]:
    runs = report.source.runs
    hours = float(runs["train_seconds"].fillna(0).sum()) / 3600 if len(runs) else 0.0
    time = f"{60 * hours:.0f} min" if hours < 1 else f"{hours:,.1f} h" if hours < 1000 else f"{hours:,.0f} h"
    return [*_counters(report), (time, "of training")]


def _counters(report: Report) -> list[Tile]:
    runs = report.source.runs
    finished = int((runs["status"] == "COMPLETED").sum()) if len(runs) else 0
    if report.profile == MINIATURE:
        return [(f"{finished:,} of {len(runs):,}", "runs finished"), *_repeated(report)]
    if not report.verdicts:
        return [(f"{finished:,} of {len(runs):,}", "runs finished")]
    found = [
        (f"{verdicts.runs_done(report, part.entries):,} of {verdicts.runs_planned(part.entries):,}",
         f"runs of section {part.title[:3]}")
        for part in verdicts.SECTIONS
    ]  # fmt: skip
    every = [verdicts.numbers(part, report) for part in verdicts.SECTIONS]
    if report.profile == RECIPE:
        full = sum(n.full for n in every)
        label = f"numbers no worse than printed by {JUDGED_AT:g} s.e. (five splits or more)"
        return [*found, (f"{sum(n.good for n in every)} of {full}", label)]
    complete = sum(n.complete for n in every)
    return [
        *found,
        (f"{complete} of {sum(n.all for n in every)}", "printed numbers complete"),
        (f"{sum(n.agree for n in every)} of {complete}", "complete numbers agree"),
        (
            f"{sum(n.near for n in every)} of {sum(n.partly for n in every)}",
            f"partly run ones within {JUDGED_AT:g} s.e.",
        ),
    ]


def _repeated(report: Report) -> list[Tile]:
    if report.repetition is None:
        return []
    found, many = report.repetition, len(report.repetition.pairs)
    outcomes = (
        (EQUAL, "equal the committed runs to the printed digits"),
        (WITHIN, "lie within the spread of other seeds"),
        (DIFFERENT, "differ"),
    )
    compared = [(f"{found.count(outcome)} of {many}", label) for outcome, label in outcomes] if many else []
    return [*compared, (str(found.without_twin), "without a committed run")]

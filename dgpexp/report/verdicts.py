"""What was reproduced: a verdict on every claim and section of the thesis, with the runs that it rests on.

A claim is asked twice: of the runs by the thesis's own protocol, and of the runs by our recipe. A protocol cut short
lowers a verdict, it does not forbid one:

    reproduced              it holds by the thesis's protocol, with every run that the protocol has
    supported by our recipe it holds by our recipe; the thesis's protocol is incomplete and does not deny it
    contradicted            it does not hold, by the complete protocol or else by our recipe
    open                    neither has enough runs to say

What does not count: the log-likelihood of naval and wine, whose targets are rounded (a density may have a peak on every
value that occurs, as high as one likes), values that the scan leaves ambiguous, and cells with fewer splits than the
others of their row.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from dgpexp.methods import method_name
from dgpexp.report import comparable
from dgpexp.report.cells import JUDGED_AT, RECIPE, Cell, Entry, Groups
from dgpexp.report.claims import CLAIMS, GENERATED, ON_BIG_DATA, PRINTED, ROUNDED, Claim, Look
from dgpexp.report.published import DEPTHS, METHODS, UCI, Key, Published
from dgpexp.report.source import Material
from dgpexp.report.statistics.stats import average

REPRODUCED, SUPPORTED, CONTRADICTED, OPEN = "reproduced", "supported by our recipe", "contradicted", "open"
_ENOUGH = 0.95  # of a section's numbers, to call it reproduced or supported


@dataclass(frozen=True)
class Verdict:
    """One line of the table; `thesis` is what its own printed numbers say by the same rule."""

    about: str
    rule: str
    verdict: str
    evidence: str
    thesis: str
    profile: str  # whose runs it rests on
    done: int  # runs, of those that the protocol has
    planned: int
    links: tuple[str, ...] = ()

    @property
    def runs(self) -> str:
        """`58 of 1,840`"""
        return f"{self.done:,} of {self.planned:,}"


def claims(thesis: Material, recipe: Material) -> list[Verdict]:
    """A verdict on every claim."""
    return [_judged(claim, thesis, recipe) for claim in CLAIMS]


def _judged(claim: Claim, thesis: Material, recipe: Material) -> Verdict:
    own, says = claim.answer(_theirs(thesis.published))
    followed = {key: g for key, g in thesis.groups.items() if not g.deviations}
    holds, evidence = claim.answer(_ours(claim, followed))
    ours, by_recipe = claim.answer(_ours(claim, recipe.groups))
    done, planned = runs_done(thesis, claim.needs), runs_planned(claim.needs)
    done_by_recipe = runs_done(recipe, claim.needs)
    verdict, found = OPEN, thesis
    if holds is not None and (done == planned or (claim.refuted_by_one and not holds)):
        verdict = REPRODUCED if holds else CONTRADICTED
    elif ours is not None and (holds is None or holds == ours):
        verdict, found = (SUPPORTED if ours else CONTRADICTED), recipe
    elif holds is None and done_by_recipe > done:
        found = recipe
    if found is recipe:
        evidence, done = by_recipe, done_by_recipe
    if claim.printed:
        own, says = True, claim.printed
    word = {True: "holds", False: "does not hold", None: "cannot be said"}[own]
    links = tuple(found.groups[e].anchor for e in claim.needs if e in found.groups and len(found.groups[e].runs))
    return Verdict(
        claim.text,
        claim.answer.__doc__ or "",
        verdict,
        evidence,
        f"{word}: {says}",
        found.profile,
        done,
        planned,
        links,
    )


def runs_planned(entries: Iterable[Entry]) -> int:
    """How many runs the thesis's protocol has of these table entries."""
    return sum(comparable.splits(comparable.kind(entry[0]), entry[0]) for entry in entries)


def runs_done(found: Material, entries: Iterable[Entry]) -> int:
    """How many of them there are; of the thesis's profile, those that follow its protocol."""
    groups = (found.groups[e] for e in entries if e in found.groups)
    return sum(len(g.runs) for g in groups if found.profile == RECIPE or not g.deviations)


def _theirs(published: dict[Key, Published]) -> Look:
    def theirs(entry: Entry, metric: str) -> float | None:
        printed = published.get((*entry, metric))
        return printed.mean if printed and not math.isnan(printed.mean) else None

    return theirs


def _ours(claim: Claim, groups: Groups) -> Look:
    """Means of our runs. The fullest of the cells that the claim needs speak for a data set: a depth with one lucky
    split is not its best."""
    splits: dict[str, int] = {}
    for key in claim.needs:
        if key in groups:
            splits[key[0]] = max(len(groups[key].runs), splits.get(key[0], 0))

    def ours(entry: Entry, metric: str) -> float | None:
        g = groups.get(entry)
        values = g.values(metric) if g is not None and len(g.runs) >= splits.get(entry[0], 0) else ()
        return average(values).mean if len(values) else None

    return ours


def counts(c: Cell) -> bool:
    """Whether a number of the thesis's tables is one that ours can be judged by."""
    return c.published is not None and c.published.legible and not (c.metric == "ll" and c.dataset in ROUNDED)


@dataclass(frozen=True)
class Part:
    """A section of the thesis: its numbers are the printed values of these table entries and metrics."""

    title: str
    entries: tuple[Entry, ...]
    numbers: str


SECTIONS = (
    Part("5.1 Regression on eight UCI sets", PRINTED, "Tables 5.1.1 and 5.1.2"),
    Part("5.2 Predictive distributions", GENERATED, "Tables 5.2.1 and 5.2.2"),
    Part("5.3 Big data", ON_BIG_DATA, "Tables 5.3.1 and 5.3.2, without the times"),
)


def sections(thesis: Material, recipe: Material) -> list[Verdict]:
    """A verdict on every section that prints numbers."""
    return [_section(part, thesis, recipe) for part in SECTIONS]


@dataclass(frozen=True)
class Numbers:
    """The printed numbers that count, beside ours: how many there are, are complete, agree; are partly run, near; have
    five splits or more, and are then no worse than printed."""

    all: int
    complete: int
    agree: int
    partly: int
    near: int
    full: int
    good: int
    remarks: tuple[str, ...]


def numbers(part: Part, found: Material) -> Numbers:
    """RMSE and log-likelihood of a section; cells with fewer splits than the others of their row are not looked at."""
    cells = [c for e in part.entries for metric in ("rmse", "ll") if counts(c := found.cell(e, metric))]
    most: dict[tuple[str, str], int] = {}
    for c in cells:
        most[c.dataset, c.metric] = max(c.n, most.get((c.dataset, c.metric), 0))
    known = [c for c in cells if c.difference is not None and c.n == most[c.dataset, c.metric]]
    judged = [c for c in cells if c.verdict in ("agree", "differ")]
    partly, full = [c for c in known if c.verdict == "partial"], [c for c in known if c.n >= 5]
    remarks = {comparable.remark(c.dataset) for c in cells if c.n} - {""}
    return Numbers(
        len(cells), len(judged), sum(c.verdict == "agree" for c in judged), len(partly),
        sum(not _far(c) for c in partly), len(full), sum(not (c.worse and _far(c)) for c in full),
        tuple(sorted(remarks)),
    )  # fmt: skip


def _section(part: Part, thesis: Material, recipe: Material) -> Verdict:
    """By the numbers that count: all of them complete and nearly all within 3 combined standard errors; or else, by our
    recipe, nearly all of at least five splits not worse than printed by more than that."""
    ours, beside = numbers(part, thesis), numbers(part, recipe)
    done, planned = runs_done(thesis, part.entries), runs_planned(part.entries)
    evidence = f"{ours.complete} of {ours.all} numbers complete"
    evidence += f", {ours.agree} agree" if ours.complete else ""
    evidence += f"; of {ours.partly} partly run {ours.near} are within {JUDGED_AT:g} s.e." if ours.partly else ""
    evidence += f"; not comparable: {'; '.join(ours.remarks)}" if ours.remarks else ""
    profile, verdict = thesis.profile, OPEN
    if ours.complete and ours.complete == ours.all:
        verdict = REPRODUCED if ours.agree >= _ENOUGH * ours.all else CONTRADICTED
    elif beside.full:
        share = beside.good / beside.full
        verdict = SUPPORTED if share >= _ENOUGH else CONTRADICTED if share < 0.5 else OPEN
        first = f"{beside.good} of {beside.full} numbers are no worse than printed by {JUDGED_AT:g} s.e."
        evidence = f"{first}; by the thesis's protocol {done:,} of {planned:,} runs, {evidence}"
        profile, done = recipe.profile, runs_done(recipe, part.entries)
    return Verdict(part.title, part.numbers, verdict, evidence, "", profile, done, planned)


def _far(c: Cell) -> bool:
    return c.difference is not None and abs(c.difference) > JUDGED_AT


def splits_done(found: Material) -> list[list[str]]:
    """The heads, then a row for each data set of section 5.1: splits done of each method and depth, `5/20`."""
    columns = [(m, d) for m in METHODS for d in DEPTHS]
    rows = [["splits", *(f"{method_name(m)} {d}" for m, d in columns)]]
    for dataset in UCI:
        counted = [runs_done(found, [(dataset, m, d, None)]) for m, d in columns]
        rows.append([dataset, *(f"{n}/{comparable.splits('uci', dataset)}" if n else "·" for n in counted)])
    return rows

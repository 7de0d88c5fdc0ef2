"""What was reproduced: a verdict on every claim and section of the thesis, with the runs that it rests on.

Every claim is a rule on numbers, and the same rule is applied to the thesis's printed values: a rule that the thesis
itself does not pass would be a bad reading of it. The rule is asked twice: of the runs by the thesis's own protocol,
and of the runs by our recipe. A protocol cut short lowers a verdict, it does not forbid one:

    reproduced              it holds by the thesis's protocol, with every run that the protocol has
    supported by our recipe it holds by our recipe; the thesis's protocol is incomplete and does not deny it
    contradicted            it does not hold, by the complete protocol or else by our recipe
    open                    neither has enough runs to say

What does not count: the log-likelihood of naval and wine, whose targets are rounded (a density may have a peak on every
value that occurs, as high as one likes), values that the scan leaves ambiguous, and cells with fewer splits than the
others of their row.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from dgpexp.methods import method_name
from dgpexp.numerals import fixed
from dgpexp.report import comparable
from dgpexp.report.cells import JUDGED_AT, RECIPE, Cell, Groups, cell
from dgpexp.report.published import BIG, DEPTHS, METHODS, SYNTHETIC, UCI, Key, Published
from dgpexp.report.source import Material
from dgpexp.report.statistics.stats import average, average_ranks

REPRODUCED, SUPPORTED, CONTRADICTED, OPEN = "reproduced", "supported by our recipe", "contradicted", "open"
ROUNDED = ("naval", "wine")  # data sets whose log-likelihood does not count
COUNTED = tuple(name for name in UCI if name not in ROUNDED)
_RESOLUTION = 0.01  # of the print: RMSEs closer than that (all of naval's) are the same number there
_ENOUGH = 0.95  # of a section's numbers, to call it reproduced or supported
Entry = tuple[str, str, int, int | None]  # data set, method, layers, S
# (data set, method, layers, samples, metric) -> mean, or None: of our runs or of the thesis
Look = Callable[[str, str, int, int | None, str], float | None]
Answer = tuple[bool | None, str]  # does it hold (None: cannot be said), and the evidence


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


@dataclass(frozen=True)
class _Rule:
    text: str
    rule: str
    answer: Callable[[Look], Answer]
    needs: tuple[Entry, ...]  # the table entries that it is about
    refuted_by_one: bool = False  # a single run is enough to say that it does not hold
    printed: str = ""  # what the thesis shows instead of numbers


def claims(thesis: Material, recipe: Material) -> list[Verdict]:
    """A verdict on every claim."""
    return [_claim(rule, thesis, recipe) for rule in _RULES]


def _claim(rule: _Rule, thesis: Material, recipe: Material) -> Verdict:
    own, says = rule.answer(_theirs(thesis.published))
    followed = {key: g for key, g in thesis.groups.items() if not g.deviations}
    holds, evidence = rule.answer(_ours(rule, followed))
    ours, by_recipe = rule.answer(_ours(rule, recipe.groups))
    done, planned = runs_done(thesis, rule.needs), runs_planned(rule.needs)
    complete = done == planned or (rule.refuted_by_one and holds is False)
    if holds is not None and complete:
        verdict, found = (REPRODUCED if holds else CONTRADICTED), thesis
    elif ours is not None and (holds is None or holds == ours):
        verdict, found, evidence = (SUPPORTED if ours else CONTRADICTED), recipe, by_recipe
        done = runs_done(recipe, rule.needs)
    else:
        verdict, found = OPEN, thesis
        if holds is None and runs_done(recipe, rule.needs) > done:
            found, evidence, done = recipe, by_recipe, runs_done(recipe, rule.needs)
    if rule.printed:
        own, says = True, rule.printed
    word = {True: "holds", False: "does not hold", None: "cannot be said"}[own]
    links = tuple(found.groups[k].anchor for k in rule.needs if k in found.groups and len(found.groups[k].runs))
    return Verdict(rule.text, rule.rule, verdict, evidence, f"{word}: {says}", found.profile, done, planned, links)


def runs_planned(entries: Iterable[Entry]) -> int:
    """How many runs the thesis's protocol has of these table entries."""
    return sum(comparable.splits(comparable.kind(entry[0]), entry[0]) for entry in entries)


def runs_done(found: Material, entries: Iterable[Entry]) -> int:
    """How many of them there are; of the thesis's profile, those that follow its protocol."""
    groups = (found.groups[e] for e in entries if e in found.groups)
    return sum(len(g.runs) for g in groups if found.profile == RECIPE or not g.deviations)


def _theirs(published: dict[Key, Published]) -> Look:
    def theirs(dataset: str, method: str, layers: int, samples: int | None, metric: str) -> float | None:
        printed = published.get((dataset, method, layers, samples, metric))
        return printed.mean if printed and not math.isnan(printed.mean) else None

    return theirs


def _ours(rule: _Rule, groups: Groups) -> Look:
    """Means of our runs. The fullest of the cells that the rule needs speak for a data set: a depth with one lucky
    split is not its best."""
    splits: dict[str, int] = {}
    for key in rule.needs:
        if key in groups:
            splits[key[0]] = max(len(groups[key].runs), splits.get(key[0], 0))

    def ours(dataset: str, method: str, layers: int, samples: int | None, metric: str) -> float | None:
        g = groups.get((dataset, method, layers, samples))
        values = g.values(metric) if g is not None and len(g.runs) >= splits.get(dataset, 0) else ()
        return average(values).mean if len(values) else None

    return ours


def counts(c: Cell) -> bool:
    """Whether a number of the thesis's tables is one that ours can be judged by."""
    return c.published is not None and c.published.legible and not (c.metric == "ll" and c.dataset in ROUNDED)


def _best(look: Look, dataset: str, method: str, metric: str, pick: Callable[[list[float]], float]) -> float | None:
    values = [v for d in DEPTHS if (v := look(dataset, method, d, None, metric)) is not None]
    return pick(values) if values else None


def _similar_rmse(look: Look) -> Answer:
    spreads = {}
    for dataset in UCI:
        best = [v for m in METHODS if (v := _best(look, dataset, m, "rmse", min)) is not None]
        if len(best) >= 2:
            low, high = min(best), max(best)
            spreads[dataset] = 0.0 if high - low <= 1.001 * _RESOLUTION else high / low - 1
    if not spreads:
        return None, "no runs"
    text = ", ".join(f"{d} {100 * s:.0f} %" if s else f"{d} equal" for d, s in spreads.items())
    return (all(s <= 0.15 for s in spreads.values()) if len(spreads) == len(UCI) else None), text


def _aepmcm_wins(look: Look) -> Answer:
    won: list[str] = []
    lost: list[str] = []
    for dataset in COUNTED:
        best = {m: v for m in METHODS if (v := _best(look, dataset, m, "ll", max)) is not None}
        if "aepmcm" in best and len(best) >= 2:
            (won if best["aepmcm"] >= max(best.values()) else lost).append(dataset)
    total = len(won) + len(lost)
    if not total:
        return None, "no runs"
    text = f"best or equal on {len(won)} of {total} that count: {', '.join(won) or 'none'}"
    return (len(won) >= 0.75 * total if total == len(COUNTED) else None), text


def _depths(look: Look) -> Answer:
    """By the depths that some data set and method has all of; judged if these are all four."""
    for depths in (DEPTHS[:n] for n in (4, 3, 2)):
        rows = [[look(d, m, n, None, "ll") for n in depths] for d in COUNTED for m in METHODS]
        rows = [row for row in rows if None not in row]
        if rows:
            ranks = average_ranks(np.array(rows, dtype=float), higher_is_better=True)
            text = ", ".join(f"depth {d}: {r:.2f}" for d, r in zip(depths, ranks, strict=True))
            holds = bool(ranks.argmin() in (1, 2) and ranks.argmax() == 0) if depths == DEPTHS else None
            return holds, f"average rank over {len(rows)} rows: {text}"
    return None, "no runs"


def _positive_on_wine(look: Look) -> Answer:
    known = {d: v for d in (3, 4, 5) if (v := look("wine", "aepmcm", d, None, "ll")) is not None}
    if not known:
        return None, "no runs"
    text = ", ".join(f"depth {d}: {fixed(v, 2)}" for d, v in known.items())
    return all(v > 0 for v in known.values()), text


def _better_density(dataset: str) -> Callable[[Look], Answer]:
    def answer(look: Look) -> Answer:
        vi, aepmcm = (look(dataset, m, 3, None, "ll") for m in ("vi", "aepmcm"))
        if vi is None or aepmcm is None:
            return None, "no runs"
        return aepmcm - vi > 0.1, f"VI {fixed(vi, 3)}, AEPMCM {fixed(aepmcm, 3)}"

    return answer


def _slow_aep(look: Look) -> Answer:
    ratios = {}
    for dataset in BIG:
        aep, aepmcm = (look(dataset, m, 3, s, "seconds_per_step") for m, s in (("aep", None), ("aepmcm", 10)))
        if aep and aepmcm:
            ratios[dataset] = aep / aepmcm
    if not ratios:
        return None, "no runs"
    text = ", ".join(f"{d} {r:.1f}x" for d, r in ratios.items())
    return min(ratios.values()) >= 5, text


def _big_density(look: Look) -> Answer:
    outcome, parts = [], []
    for dataset in BIG:
        values = {
            (m, s): v
            for m, s in (("aepmcm", 10), ("aepmcm", 20), ("vi", 10), ("vi", 20), ("aep", None))
            if (v := look(dataset, m, 3, s, "ll")) is not None
        }
        if {m for m, _ in values} >= {"aepmcm", "vi"}:
            (method, s), value = max(values.items(), key=lambda item: item[1])
            outcome.append(method == "aepmcm")
            parts.append(f"{dataset}: {method_name(method)}{f'-{s}' if s else ''} {fixed(value, 2)}")
    return (all(outcome) if len(outcome) == 2 else None), ", ".join(parts) or "no runs"


def _protein(look: Look) -> Answer:
    found = [d for d in DEPTHS if look("protein", "aep", d, None, "ll") is not None]
    if not found:
        return None, "no runs"
    return False, f"AEP finished protein at depth {', '.join(map(str, found))}"


_EVERY = tuple((d, m, n, None) for d in UCI for m in METHODS for n in DEPTHS)
_PRINTED = tuple(k for k in _EVERY if k[:2] != ("protein", "aep"))

_RULES = (
    _Rule(
        "AEPMCM has the best log-likelihood on 6 of the 8 data sets.",
        "best depth of each method; AEPMCM best or equal on three quarters of the sets that count",
        _aepmcm_wins,
        tuple(k for k in _PRINTED if k[0] in COUNTED),
    ),
    _Rule(
        "All methods have similar RMSE everywhere.",
        "best depth of each method; on every data set the worst at most 15 % (or the print's 0.01) above the best",
        _similar_rmse,
        _PRINTED,
    ),
    _Rule(
        "Depths 3 and 4 are the best, depth 2 is the worst.",
        "average rank of the depths' log-likelihood over data sets that count and methods",
        _depths,
        tuple(k for k in _PRINTED if k[0] in COUNTED),
    ),
    _Rule(
        "On wine AEPMCM of depth 3 to 5 reaches a positive log-likelihood: narrow peaks on the integers.",
        "mean log-likelihood above 0 at each of these depths that was run",
        _positive_on_wine,
        tuple(("wine", "aepmcm", d, None) for d in (3, 4, 5)),
    ),
    _Rule(
        "On sincos AEPMCM sees both branches, VI averages them.",
        "AEPMCM's log-likelihood more than 0.1 above VI's",
        _better_density("sincos"),
        (("sincos", "vi", 3, None), ("sincos", "aepmcm", 3, None)),
    ),
    _Rule(
        "On heteroscedastic data AEPMCM follows the varying noise, VI does not.",
        "AEPMCM's log-likelihood more than 0.1 above VI's",
        _better_density("heteroscedastic"),
        (("heteroscedastic", "vi", 3, None), ("heteroscedastic", "aepmcm", 3, None)),
    ),
    _Rule(
        "AEPMCM has the best log-likelihood on year and airline.",
        "the highest of the five models on both",
        _big_density,
        tuple((d, m, 3, 10) for d in BIG for m in ("aepmcm", "vi")),
    ),
    _Rule(
        "A gradient step of AEP takes about ten times as long as one of AEPMCM-10.",
        "at least five times as long",
        _slow_aep,
        tuple((d, m, 3, s) for d in BIG for m, s in (("aepmcm", 10), ("aep", None))),
        refuted_by_one=True,
    ),
    _Rule(
        "AEP on protein takes too long to be run.",
        "no finished run of AEP on protein",
        _protein,
        tuple(("protein", "aep", d, None) for d in DEPTHS),
        refuted_by_one=True,
        printed="the column is empty",
    ),
)


@dataclass(frozen=True)
class Part:
    """A section of the thesis: its numbers are the printed values of these table entries and metrics."""

    title: str
    entries: tuple[Entry, ...]
    numbers: str


SECTIONS = (
    Part("5.1 Regression on eight UCI sets", _PRINTED, "Tables 5.1.1 and 5.1.2"),
    Part(
        "5.2 Predictive distributions",
        tuple((d, m, 3, None) for d in SYNTHETIC for m in ("vi", "aepmcm")),
        "Tables 5.2.1 and 5.2.2",
    ),
    Part(
        "5.3 Big data",
        tuple(
            (d, m, 3, s)
            for d in BIG
            for m, s in (("aepmcm", 10), ("aepmcm", 20), ("vi", 10), ("vi", 20), ("aep", None))
        ),
        "Tables 5.3.1 and 5.3.2, without the times",
    ),
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
    cells = [cell(e, metric, found.groups, found.published) for e in part.entries for metric in ("rmse", "ll")]
    cells = [c for c in cells if counts(c)]
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

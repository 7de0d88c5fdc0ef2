"""What the thesis claims, as a checklist: held, not held, or not yet enough runs, with the evidence.

Every claim is a rule on numbers, and the same rule is applied to the thesis's printed values: a rule that the thesis
itself does not pass would be a bad reading of it.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dgpexp.methods import method_name
from dgpexp.numerals import fixed
from dgpexp.report import comparable
from dgpexp.report.cells import Group, Groups
from dgpexp.report.published import DEPTHS, METHODS, UCI, Key, Published
from dgpexp.report.statistics.stats import average, average_ranks

RESOLUTION = 0.01  # of the print: RMSEs closer than that (all of naval's) are the same number there
HELD, NOT_HELD, OPEN, MINIATURE = "held", "not held", "not yet enough runs", "not judged"
# (data set, method, layers, samples, metric) -> mean, or None: of our runs or of the thesis
Look = Callable[[str, str, int, int | None, str], float | None]
Answer = tuple[bool | None, str]  # does it hold (None: cannot be said), and the evidence


@dataclass(frozen=True)
class Claim:
    """One line of the checklist; `thesis` is what its own printed numbers say by the same rule."""

    text: str
    rule: str
    status: str
    evidence: str
    thesis: str
    links: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Rule:
    text: str
    rule: str
    answer: Callable[[Look], Answer]
    needs: tuple[tuple[str, str, int, int | None], ...]  # table entries that must be complete before it is judged
    splits: int = 0  # complete means so many splits; 0: all of them

    def done(self, g: Group) -> bool:
        return len(g.runs) >= (self.splits or comparable.splits(g.section, g.dataset))


def check(groups: Groups, published: dict[Key, Published]) -> list[Claim]:
    """All claims, judged on complete and comparable cells only."""

    def theirs(dataset: str, method: str, layers: int, samples: int | None, metric: str) -> float | None:
        printed = published.get((dataset, method, layers, samples, metric))
        return printed.mean if printed and not math.isnan(printed.mean) else None

    return [_judged(rule, groups, _ours(rule, groups), theirs) for rule in _RULES]


def _ours(rule: _Rule, groups: Groups) -> Look:
    """Means of our runs. Until a data set is complete the fullest of the cells that the rule needs speak for it: a
    depth with one lucky split is not its best."""
    splits: dict[str, int] = {}
    for key in rule.needs:
        if key in groups:
            splits[key[0]] = max(len(groups[key].runs), splits.get(key[0], 0))

    def ours(dataset: str, method: str, layers: int, samples: int | None, metric: str) -> float | None:
        g = groups.get((dataset, method, layers, samples))
        values = g.runs[metric].dropna().tolist() if g is not None and len(g.runs) >= splits.get(dataset, 0) else []
        return average(values).mean if values else None

    return ours


def _judged(rule: _Rule, groups: Groups, ours: Look, theirs: Look) -> Claim:
    holds, evidence = rule.answer(ours)
    thesis_holds, thesis = rule.answer(theirs)
    present = [groups[k] for k in rule.needs if k in groups and len(groups[k].runs)]
    complete = len(present) == len(rule.needs) and all(rule.done(g) for g in present)
    if any(g.deviations for g in present):
        status = MINIATURE
        evidence = f"shortened or changed protocol; {evidence}"
    elif holds is None or not complete:
        status = OPEN
        done = sum(rule.done(g) for g in present)
        evidence = f"{done} of {len(rule.needs)} cells complete; so far: {evidence}"
    else:
        status = HELD if holds else NOT_HELD
    word = {True: "held", False: "not held", None: "cannot be said"}[thesis_holds]
    return Claim(rule.text, rule.rule, status, evidence, f"{word}: {thesis}", tuple(g.anchor for g in present))


def _best(look: Look, dataset: str, method: str, metric: str, pick: Callable) -> float | None:
    values = [v for d in DEPTHS if (v := look(dataset, method, d, None, metric)) is not None]
    return pick(values) if values else None


def _similar_rmse(look: Look) -> Answer:
    spreads = {}
    for dataset in UCI:
        best = [v for m in METHODS if (v := _best(look, dataset, m, "rmse", min)) is not None]
        if len(best) >= 2:
            low, high = min(best), max(best)
            spreads[dataset] = 0.0 if high - low <= 1.001 * RESOLUTION else high / low - 1
    if not spreads:
        return None, "no runs"
    text = ", ".join(f"{d} {100 * s:.0f} %" if s else f"{d} equal" for d, s in spreads.items())
    return (all(s <= 0.15 for s in spreads.values()) if len(spreads) == len(UCI) else None), text


def _aepmcm_wins(look: Look) -> Answer:
    won: list[str] = []
    lost: list[str] = []
    for dataset in UCI:
        best = {m: v for m in METHODS if (v := _best(look, dataset, m, "ll", max)) is not None}
        if "aepmcm" in best and len(best) >= 2:
            (won if best["aepmcm"] >= max(best.values()) else lost).append(dataset)
    if not won and not lost:
        return None, "no runs"
    text = f"best or equal on {len(won)} of {len(won) + len(lost)}: {', '.join(won) or 'none'}"
    return (len(won) >= 6 if len(won) + len(lost) == len(UCI) else None), text


def _depths(look: Look) -> Answer:
    rows = []
    for dataset in UCI:
        for method in METHODS:
            row = [look(dataset, method, d, None, "ll") for d in DEPTHS]
            if None not in row:
                rows.append(row)
    if not rows:
        return None, "no data set has all depths"
    ranks = average_ranks(np.array(rows, dtype=float), higher_is_better=True)
    text = "average rank by log-likelihood: " + ", ".join(
        f"depth {d}: {r:.2f}" for d, r in zip(DEPTHS, ranks, strict=True)
    )
    return bool(ranks.argmin() in (1, 2) and ranks.argmax() == 0), text


def _positive_on_wine(look: Look) -> Answer:
    values = {d: look("wine", "aepmcm", d, None, "ll") for d in (3, 4, 5)}
    known = {d: v for d, v in values.items() if v is not None}
    if not known:
        return None, "no runs"
    return (all(v > 0 for v in known.values()) if len(known) == 3 else None), ", ".join(
        f"depth {d}: {fixed(v, 2)}" for d, v in known.items()
    )


def _better_density(dataset: str) -> Callable[[Look], Answer]:
    def answer(look: Look) -> Answer:
        vi, aepmcm = (look(dataset, m, 3, None, "ll") for m in ("vi", "aepmcm"))
        if vi is None or aepmcm is None:
            return None, "no runs"
        return aepmcm - vi > 0.1, f"VI {fixed(vi, 3)}, AEPMCM {fixed(aepmcm, 3)}"

    return answer


def _slow_aep(look: Look) -> Answer:
    ratios = {}
    for dataset in ("year", "airline"):
        aep, aepmcm = (look(dataset, m, 3, s, "seconds_per_step") for m, s in (("aep", None), ("aepmcm", 10)))
        if aep and aepmcm:
            ratios[dataset] = aep / aepmcm
    if not ratios:
        return None, "no runs"
    text = ", ".join(f"{d} {r:.1f}x" for d, r in ratios.items())
    return min(ratios.values()) >= 5, text


def _big_density(look: Look) -> Answer:
    outcome, parts = [], []
    for dataset in ("year", "airline"):
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
        return True, "the column is empty"
    return False, f"AEP finished protein at depth {', '.join(map(str, found))}"


_EVERY = tuple((d, m, n, None) for d in UCI for m in METHODS for n in DEPTHS)
_PRINTED = tuple(k for k in _EVERY if k[:2] != ("protein", "aep"))

_RULES = (
    _Rule(
        "AEPMCM has the best log-likelihood on 6 of the 8 data sets.",
        "best depth of each method; AEPMCM best or equal on at least 6",
        _aepmcm_wins,
        _PRINTED,
    ),
    _Rule(
        "All methods have similar RMSE everywhere.",
        "best depth of each method; on every data set the worst at most 15 % (or the print's 0.01) above the best",
        _similar_rmse,
        _PRINTED,
    ),
    _Rule(
        "Depths 3 and 4 are the best, depth 2 is the worst.",
        "average rank of the depths' log-likelihood over data sets and methods",
        _depths,
        _PRINTED,
    ),
    _Rule(
        "On wine AEPMCM of depth 3 to 5 reaches a positive log-likelihood: narrow peaks on the integers.",
        "mean log-likelihood above 0 at all three depths",
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
        tuple((d, m, 3, 10) for d in ("year", "airline") for m in ("aepmcm", "vi")),
    ),
    _Rule(
        "A gradient step of AEP takes about ten times as long as one of AEPMCM-10.",
        "at least five times as long",
        _slow_aep,
        (("airline", "aepmcm", 3, 10), ("airline", "aep", 3, None)),
    ),
    _Rule(
        "AEP on protein takes too long to be run.",
        "no finished run of AEP on protein",
        _protein,
        (("protein", "aep", 3, None),),
        splits=1,
    ),
)

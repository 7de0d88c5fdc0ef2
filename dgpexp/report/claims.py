"""The claims of the thesis, each a rule on numbers, asked of our runs as of the printed values.

A rule that the thesis itself does not pass would be a bad reading of it. A rule is a function, in words its docstring:
from a look-up of means it tells whether the claim holds (None: cannot be said), and the evidence.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from dgpexp.numerals import fixed
from dgpexp.report.cells import Entry, called
from dgpexp.report.published import BIG, DEPTHS, METHODS, SYNTHETIC, UCI
from dgpexp.report.statistics.stats import average_ranks

ROUNDED = ("naval", "wine")  # data sets whose log-likelihood does not count
COUNTED = tuple(name for name in UCI if name not in ROUNDED)
_RESOLUTION = 0.01  # of the print: RMSEs closer than that (all of naval's) are the same number there
# The mean of a table entry and a metric, or None: of our runs or of the thesis.
Look = Callable[[Entry, str], float | None]
Answer = tuple[bool | None, str]
NO_RUNS: Answer = (None, "no runs")

PRINTED = tuple((d, m, n, None) for d in UCI for m in METHODS for n in DEPTHS if (d, m) != ("protein", "aep"))
_COUNT = tuple(entry for entry in PRINTED if entry[0] in COUNTED)
GENERATED = tuple((d, m, 3, None) for d in SYNTHETIC for m in ("vi", "aepmcm"))
BIG_MODELS = (("aepmcm", 10), ("aepmcm", 20), ("vi", 10), ("vi", 20), ("aep", None))
ON_BIG_DATA = tuple((d, m, 3, s) for d in BIG for m, s in BIG_MODELS)


@dataclass(frozen=True)
class Claim:
    """What the thesis says, how it is judged, and the table entries that it is about."""

    text: str
    answer: Callable[[Look], Answer]  # its docstring is the rule
    needs: tuple[Entry, ...]
    refuted_by_one: bool = False  # a single run is enough to say that it does not hold
    printed: str = ""  # what the thesis shows instead of numbers


def _best(look: Look, dataset: str, metric: str, pick: Callable[[list[float]], float]) -> dict[str, float]:
    """The best depth of each method that has any."""
    found = {m: [v for n in DEPTHS if (v := look((dataset, m, n, None), metric)) is not None] for m in METHODS}
    return {method: pick(values) for method, values in found.items() if values}


def aepmcm_wins(look: Look) -> Answer:
    """best depth of each method; AEPMCM best or equal on three quarters of the sets that count"""
    found = {d: best for d in COUNTED if "aepmcm" in (best := _best(look, d, "ll", max)) and len(best) >= 2}
    if not found:
        return NO_RUNS
    won = [d for d, best in found.items() if best["aepmcm"] >= max(best.values())]
    text = f"best or equal on {len(won)} of {len(found)} that count: {', '.join(won) or 'none'}"
    return (len(won) >= 0.75 * len(found) if len(found) == len(COUNTED) else None), text


def similar_rmse(look: Look) -> Answer:
    """best depth of each method; on every data set the worst at most 15 % (or the print's 0.01) above the best"""
    spreads = {}
    for dataset in UCI:
        best = _best(look, dataset, "rmse", min).values()
        if len(best) >= 2:
            low, high = min(best), max(best)
            spreads[dataset] = 0.0 if high - low <= 1.001 * _RESOLUTION else high / low - 1
    if not spreads:
        return NO_RUNS
    text = ", ".join(f"{d} {100 * s:.0f} %" if s else f"{d} equal" for d, s in spreads.items())
    return (all(s <= 0.15 for s in spreads.values()) if len(spreads) == len(UCI) else None), text


def depths_3_and_4(look: Look) -> Answer:
    """average rank of the depths' log-likelihood over data sets that count and methods"""
    for depths in (DEPTHS[:n] for n in (4, 3, 2)):  # those that some data set and method has all of
        rows = [[look((d, m, n, None), "ll") for n in depths] for d in COUNTED for m in METHODS]
        if rows := [row for row in rows if None not in row]:
            ranks = average_ranks(np.array(rows, dtype=float), higher_is_better=True)
            text = ", ".join(f"depth {d}: {r:.2f}" for d, r in zip(depths, ranks, strict=True))
            holds = bool(ranks.argmin() in (1, 2) and ranks.argmax() == 0) if depths == DEPTHS else None
            return holds, f"average rank over {len(rows)} rows: {text}"
    return NO_RUNS


def positive_on_wine(look: Look) -> Answer:
    """mean log-likelihood above 0 at each of these depths that was run"""
    known = {d: v for d in (3, 4, 5) if (v := look(("wine", "aepmcm", d, None), "ll")) is not None}
    text = ", ".join(f"depth {d}: {fixed(v, 2)}" for d, v in known.items())
    return (all(v > 0 for v in known.values()), text) if known else NO_RUNS


def better_density(dataset: str) -> Callable[[Look], Answer]:
    def better(look: Look) -> Answer:
        """AEPMCM's log-likelihood more than 0.1 above VI's"""
        vi, aepmcm = (look((dataset, m, 3, None), "ll") for m in ("vi", "aepmcm"))
        if vi is None or aepmcm is None:
            return NO_RUNS
        return aepmcm - vi > 0.1, f"VI {fixed(vi, 3)}, AEPMCM {fixed(aepmcm, 3)}"

    return better


def best_on_big_data(look: Look) -> Answer:
    """the highest of the five models on both"""
    outcome, parts = [], []
    for dataset in BIG:
        values = {(m, s): v for m, s in BIG_MODELS if (v := look((dataset, m, 3, s), "ll")) is not None}
        if {m for m, _ in values} >= {"aepmcm", "vi"}:
            (method, s), value = max(values.items(), key=lambda item: item[1])
            outcome.append(method == "aepmcm")
            parts.append(f"{dataset}: {called(method, s)} {fixed(value, 2)}")
    return (all(outcome) if len(outcome) == 2 else None), ", ".join(parts) or "no runs"


def slow_aep(look: Look) -> Answer:
    """at least five times as long"""
    ratios = {}
    for dataset in BIG:
        aep, aepmcm = (look((dataset, *model), "seconds_per_step") for model in (("aep", 3, None), ("aepmcm", 3, 10)))
        if aep and aepmcm:
            ratios[dataset] = aep / aepmcm
    text = ", ".join(f"{d} {r:.1f}x" for d, r in ratios.items())
    return (min(ratios.values()) >= 5, text) if ratios else NO_RUNS


def no_aep_on_protein(look: Look) -> Answer:
    """no finished run of AEP on protein"""
    found = [d for d in DEPTHS if look(("protein", "aep", d, None), "ll") is not None]
    return (False, f"AEP finished protein at depth {', '.join(map(str, found))}") if found else NO_RUNS


CLAIMS = (
    Claim("AEPMCM has the best log-likelihood on 6 of the 8 data sets.", aepmcm_wins, _COUNT),
    Claim("All methods have similar RMSE everywhere.", similar_rmse, PRINTED),
    Claim("Depths 3 and 4 are the best, depth 2 is the worst.", depths_3_and_4, _COUNT),
    Claim(
        "On wine AEPMCM of depth 3 to 5 reaches a positive log-likelihood: narrow peaks on the integers.",
        positive_on_wine,
        tuple(("wine", "aepmcm", d, None) for d in (3, 4, 5)),
    ),
    Claim(
        "On sincos AEPMCM sees both branches, VI averages them.",
        better_density("sincos"),
        GENERATED[:2],
    ),
    Claim(
        "On heteroscedastic data AEPMCM follows the varying noise, VI does not.",
        better_density("heteroscedastic"),
        GENERATED[2:],
    ),
    Claim(
        "AEPMCM has the best log-likelihood on year and airline.",
        best_on_big_data,
        tuple((d, m, 3, 10) for d in BIG for m in ("aepmcm", "vi")),
    ),
    Claim(
        "A gradient step of AEP takes about ten times as long as one of AEPMCM-10.",
        slow_aep,
        tuple((d, m, 3, s) for d in BIG for m, s in (("aepmcm", 10), ("aep", None))),
        refuted_by_one=True,
    ),
    Claim(
        "AEP on protein takes too long to be run.",
        no_aep_on_protein,
        tuple(("protein", "aep", d, None) for d in DEPTHS),
        refuted_by_one=True,
        printed="the column is empty",
    ),
)

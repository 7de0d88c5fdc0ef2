"""The spread of a run under other seeds: may a run with other digits be the same run on another processor?

Training magnifies rounding, so a run elsewhere is one more draw of what seeds give. With n draws of mean m, one more
normal draw lies in the prediction interval m ± t s sqrt(1 + 1/n). Few seeds know little of a run's own deviation, and
data sets differ in it a hundredfold, methods and depths little: s is pooled over the runs of a data set, with their
degrees of freedom. Errors in units of the target enter by logarithm.
"""

import json
import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t

from dgpexp.predictive.metrics import METRICS
from dgpexp.store.tidy_table import CELL, recorded_settings

LEVEL = 0.001  # how often one more draw would be called different
LEAST = 3  # degrees of freedom: with fewer t reaches so far that nothing could be told
Row = Mapping[Any, Any]  # as in store.tidy_table


@dataclass(frozen=True)
class Spread:
    """What seeds gave: the values of each run by metric, the deviation on each data set with its degrees of freedom."""

    values: dict[tuple[Hashable, str], list[float]]
    deviations: dict[tuple[str, str], tuple[float, int]]

    def within(self, committed: Row, metric: str, value: float) -> bool | None:
        """Whether a value may be one more draw of a committed run; None where its data set has too few other seeds.

        A deviation counts as one unit of the last printed digit at least. What is not finite is one more draw if some
        seed was not finite either.
        """
        draws = self.values.get((but_for_seed(committed), metric), [])
        finite = [v for v in draws if math.isfinite(v)]
        deviation, freedom = self.deviations.get((str(committed["dataset"]), metric), (0.0, 0))
        if freedom < LEAST:
            return None
        if not math.isfinite(value) or not finite:
            return len(finite) < len(draws)
        center = float(np.mean(finite))
        unit = 10.0 ** -METRICS[metric].decimals([committed[metric]]) / METRICS[metric].scale
        floor = math.log1p(unit / math.exp(center)) if METRICS[metric].in_units else unit
        reach = t.ppf(1 - LEVEL / 2, freedom) * max(deviation, floor) * math.sqrt(1 + 1 / len(finite))
        return bool(abs(_scaled(metric, value) - center) <= reach)


def spread(committed: Iterable[Row], seeds: Iterable[Row], metrics: Iterable[str]) -> Spread:
    """Pool the committed runs with those of the same settings under other seeds."""
    found: dict[tuple[Hashable, str], list[float]] = defaultdict(list)
    set_of: dict[Hashable, str] = {}
    rows, names = [*committed, *seeds], list(metrics)
    for row in rows:
        set_of[but_for_seed(row)] = str(row["dataset"])
        for metric in names:
            if not math.isnan(row[metric]):
                found[but_for_seed(row), metric].append(_scaled(metric, row[metric]))
    squares: dict[tuple[str, str], list[tuple[float, int]]] = defaultdict(list)
    for (run, metric), values in found.items():
        finite = [v for v in values if math.isfinite(v)]
        if len(finite) > 1:
            squares[set_of[run], metric].append((float(np.var(finite) * len(finite)), len(finite) - 1))
    sums = {key: (sum(s for s, _ in parts), sum(n for _, n in parts)) for key, parts in squares.items()}
    return Spread(dict(found), {key: (math.sqrt(total / freedom), freedom) for key, (total, freedom) in sums.items()})


def but_for_seed(row: Row) -> Hashable:
    """What a run is, without its seed."""
    settings = {key: value for key, value in recorded_settings(row["settings"]).items() if key != "seed"}
    return *(row[name] for name in CELL), json.dumps(settings, sort_keys=True)


def _scaled(metric: str, value: float) -> float:
    return math.log(value) if METRICS[metric].in_units and 0 < value < math.inf else value

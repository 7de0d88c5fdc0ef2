"""Two models on the same splits: by how much one is better, and how sure that is. One rule for every "better".

Splits move a data set by as much as methods do, so everything here is paired by split.

Random splits of one data set share most of their training rows, so their results are correlated and the usual standard
error of their mean is too small. Let the n differences d_1 ... d_n have variance σ² and correlation ρ. Then

    Var[mean d] = σ² (ρ + (1 - ρ) / n),        E[s²] = σ² (1 - ρ),        s² = Σ (d_j - mean)² / (n - 1),

so that s² (1/n + ρ / (1 - ρ)) has the expectation Var[mean d]; s²/n, which takes ρ for 0, falls short of it by a factor
that grows with n. Nadeau and Bengio (Inference for the generalization error, Machine Learning 52, 2003) put ρ at the
share of test rows, n_test / (n_test + n_train), which makes ρ / (1 - ρ) = n_test / n_train: the *corrected resampled
t*. With a tenth of the rows for testing and 20 splits the interval is √(1 + 20/9) = 1.8 times as wide as Student's.
Generated data are drawn anew for every seed: there n_test / n_train counts as 0 and the test is Student's.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from dgpexp.numerals import fixed
from dgpexp.predictive.metrics import METRICS
from dgpexp.report.statistics.stats import ALPHA, average, holm

LEAST = 3  # pairs for a test: two of them may agree by chance
LEAST_RESAMPLED = 6  # pairs for a bootstrap, which knows no scatter but theirs
_DRAWS = 9999


@dataclass(frozen=True)
class Difference:
    """first - second of one metric: the mean over the pairs, a 95 % interval, and the test of which one is better.

    Where a nominal value is best (coverage) it is the difference of the distances from it.
    """

    metric: str
    dataset: str  # empty where the two are of different data sets
    cell: str  # in words
    first: str
    second: str
    n: int
    mean_first: float
    mean_second: float
    difference: float
    stderr: float | None = None
    low: float | None = None
    high: float | None = None
    p: float | None = None  # None: too few pairs, or pairs without scatter
    adjusted: float | None = None  # Holm's, in its family
    layers: int | None = None
    over_points: bool = False  # the interval of a single pair, over its test points
    of_classes: bool = False
    confounds: tuple[str, ...] = ()  # settings that differ besides what was asked for: no winner is named

    @property
    def better(self) -> str:
        """Who is better at level 0.05 after Holm's correction; empty if nobody is known to be."""
        if self.adjusted is None or self.adjusted >= ALPHA or self.confounds:
            return ""
        return self.first if self.gain > 0 else self.second

    @property
    def gain(self) -> float:
        """By how much `first` is better in the mean."""
        loss = METRICS[self.metric].loss
        return loss(self.mean_second) - loss(self.mean_first)

    @property
    def family(self) -> str:
        """What stands in one table: the log density of a number is not the log probability of a class."""
        shared = len(METRICS[self.metric].tasks) > 1
        return f"{self.metric} of classes" if shared and self.of_classes else self.metric

    def shown(self, value: float | None) -> str:
        """A mean or an end of the interval as people read it, in the units of the tables."""
        metric = METRICS[self.metric]
        half = None if self.high is None else self.high - self.difference
        return "" if value is None else fixed(metric.scale * value, 1 + metric.decimals([self.mean_second], [half]))

    @property
    def interval(self) -> str:
        """`0.10 to 0.14`; empty where there is none."""
        text = "" if self.low is None else f"{self.shown(self.low)} to {self.shown(self.high)}"
        return text + (" (points)" if self.over_points else "")


def paired(
    metric: str, first: ArrayLike, second: ArrayLike, share: float, dataset: str = "", cell: str = "",
    names: tuple[str, str] = ("first", "second"), layers: int | None = None,
) -> Difference:  # fmt: skip
    """The difference of two models on the same splits, with n_test / n_train = `share`.

    Pairs whose differences do not scatter say nothing of other splits: no interval, no winner.
    """
    a, b = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    means = float(a.mean()), float(b.mean())
    found = Difference(metric, dataset, cell, *names, len(a), *means, means[0] - means[1], layers=layers)
    if METRICS[metric].nominal is not None:
        return _nearer(found, a, b, share)
    with np.errstate(invalid="ignore"):
        s = average(a - b)
    found = replace(found, difference=s.mean)
    if s.deviation is None or s.deviation <= 1e-12 * max(np.abs(a).max(), np.abs(b).max()):
        return found
    stderr = s.deviation * math.sqrt(1 / s.n + share)
    half = float(stats.t.ppf(0.975, s.n - 1)) * stderr
    p = 2 * float(stats.t.sf(abs(s.mean) / stderr, s.n - 1)) if s.n >= LEAST else None
    return replace(found, stderr=stderr, low=s.mean - half, high=s.mean + half, p=p)


def _nearer(found: Difference, a: np.ndarray, b: np.ndarray, share: float) -> Difference:
    """Which mean is nearer to the nominal value: |mean a - c| - |mean b - c|, by a bootstrap of the pairs.

    The difference of two distances is not a mean of differences, so no t test fits. A bootstrap mean varies by
    (n - 1) s² / n² about the mean; its deviation is scaled to s² (1/n + n_test / n_train), for the reason above.
    """
    metric, n = METRICS[found.metric], len(a)
    found = replace(found, difference=metric.loss(found.mean_first) - metric.loss(found.mean_second))
    if n < LEAST_RESAMPLED or not np.isfinite([*a, *b]).all() or np.ptp(a - b) == 0:
        return found
    rows = np.random.default_rng(0).integers(n, size=(_DRAWS, n))
    wider = math.sqrt((1 / n + share) * n * n / (n - 1))
    far = [np.abs(v.mean() + wider * (v[rows].mean(axis=1) - v.mean()) - (metric.nominal or 0.0)) for v in (a, b)]
    drawn = far[0] - far[1]
    low, high = (float(q) for q in np.quantile(drawn, (0.025, 0.975)))
    tail = min(int((drawn <= 0).sum()), int((drawn >= 0).sum()))
    p = min(1.0, 2 * (tail + 1) / (_DRAWS + 1))
    return replace(found, stderr=float(drawn.std(ddof=1)), low=low, high=high, p=p)


def corrected(family: Iterable[Difference]) -> list[Difference]:
    """Holm's correction over those that could be tested."""
    every = list(family)
    tested = [i for i, d in enumerate(every) if d.p is not None]
    adjusted = dict(zip(tested, holm([every[i].p or 0.0 for i in tested]), strict=True))
    return [replace(d, adjusted=adjusted.get(i)) for i, d in enumerate(every)]

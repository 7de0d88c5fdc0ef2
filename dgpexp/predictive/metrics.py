"""Every number that is measured of a run, declared once: how it is computed, called, written and compared.

Tables, views, status, export, compare and curves read METRICS. To add a metric, add its entry; where it needs a score
of single points that is not there yet, add that to POINTS.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dgpexp.tasks import REGRESSION, Task

# Scores of single points [n], from a predictive distribution, y [n] in its units, and the step y is rounded to.
POINTS: Mapping[str, Callable[[Any, np.ndarray, float], np.ndarray]] = {
    "error": lambda prediction, y, step: prediction.mean() - y,
    "log_density": lambda prediction, y, step: prediction.log_density(y),
    "log_rounded": lambda prediction, y, step: prediction.log_mean_density(y, step),
    "crps": lambda prediction, y, step: prediction.crps(y),
    "probability": lambda prediction, y, step: prediction.cdf(y),  # uniform on (0, 1) where calibrated
}
Scores = dict[str, np.ndarray]  # POINTS of some test points: [n] each


@dataclass(frozen=True)
class Metric:
    """One number of a run. `nominal` is set where the best value is the nearest to it (coverage)."""

    key: str
    label: str
    short: str = ""  # where there is little room
    task: Task | None = REGRESSION  # None: of any task, and measured by the runner
    points: tuple[str, ...] = ()  # the scores of single points that `summary` takes, in order
    summary: Callable[..., float] = np.mean
    least: int = 1  # test points that it needs
    slow: bool = False  # computed only where it may end up in a result
    higher_is_better: bool = False
    nominal: float | None = None
    in_units: bool = False  # of y, so that it is small where y is (naval)
    scale: float = 1.0  # shown = scale · stored
    unit: str = ""
    stderr: str = ""  # the key of its standard error over test points

    def loss(self, value: float) -> float:
        """Smaller is better, whatever the metric."""
        if self.nominal is not None:
            return abs(value - self.nominal)
        return -value if self.higher_is_better else value

    def decimals(self, means: Iterable[float], stderrs: Iterable[float | None] = ()) -> int:
        """At least the thesis's two; more where the numbers are small (naval's RMSE) or the errors are."""
        sizes = sorted(abs(self.scale * m) for m in means if math.isfinite(m))
        errors = sorted(self.scale * s for s in stderrs if s)
        digits = 1 if self.unit == "ms" else 2
        if self.in_units and sizes and 0 < (middle := sizes[len(sizes) // 2]) < 1:
            digits = max(3, 1 - math.floor(math.log10(middle)))
        if errors and (middle := errors[len(errors) // 2]) < 0.01 and self.nominal is None and not self.unit:
            digits = max(digits, -math.floor(math.log10(middle)))
        return min(digits, 6)


def _coverage(percent: int) -> Metric:
    """The share of points inside the central interval: calibrated is percent / 100."""
    return Metric(
        key=f"coverage{percent}",
        label=f"coverage of the {percent} % interval",
        short=f"{percent} % cover",
        points=("probability",),
        summary=lambda probability: np.mean(np.abs(probability - 0.5) <= percent / 200),
        nominal=percent / 100,
    )


def _stderr(points: np.ndarray) -> float:
    """The standard error of a mean over test points: how well these few know it."""
    return float(np.std(points, ddof=1) / np.sqrt(len(points)))


METRICS = {
    metric.key: metric
    for metric in (
        Metric("rmse", "RMSE", points=("error",), summary=lambda error: np.sqrt(np.mean(error**2)), in_units=True),
        # the mean log density (4.2.53), (4.3.22), (4.2.30)
        Metric("ll", "test log-likelihood", "LL", points=("log_density",), higher_is_better=True, stderr="ll_stderr"),
        Metric("crps", "CRPS", points=("crps",), slow=True, in_units=True),
        *(_coverage(percent) for percent in (50, 90, 95)),
        # counts no peak narrower than the rounding of y: the ll of wine, whose y are whole numbers, has no limit
        Metric(
            "ll_rounded",
            "log-likelihood of the rounded target",
            "rounded LL",
            points=("log_rounded",),
            slow=True,
            higher_is_better=True,
        ),
        # these two tell whether a few points carry the mean
        Metric(
            "ll_median",
            "log density of the median test point",
            "median LL",
            points=("log_density",),
            summary=np.median,
            higher_is_better=True,
        ),
        Metric(
            "ll_worst",
            "log density of the worst test point",
            "worst LL",
            points=("log_density",),
            summary=np.min,
            higher_is_better=True,
        ),
        Metric(
            "ll_stderr",
            "standard error of the log-likelihood over test points",
            "± LL",
            points=("log_density",),
            summary=_stderr,
            least=2,
        ),
        Metric("seconds_per_step", "ms per gradient step", "ms per step", task=None, scale=1000.0, unit="ms"),
    )
}


def metrics_of(task: Task) -> list[Metric]:
    """Those that are computed from the predictions of a task."""
    return [metric for metric in METRICS.values() if metric.task is task]


def rounding_step(y: np.ndarray) -> float:
    """The smallest difference between two values of y: what it was rounded to, if it was."""
    gaps = np.diff(np.unique(y))
    return float(gaps.min()) if len(gaps) else 0.0


def score(task: Task, prediction: Any, y: np.ndarray, step: float, full: bool) -> Scores:
    """Scores of y [n], rounded to multiples of `step`, under a prediction for the same points; `full`: the slow too."""
    wanted = {name for metric in metrics_of(task) if full or not metric.slow for name in metric.points}
    return {name: POINTS[name](prediction, y, step) for name in wanted}


def summary(task: Task, parts: list[Scores]) -> dict[str, float]:
    """What a run reports of the points of all `parts`: every metric of the task whose scores are there."""
    points = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    return {
        metric.key: float(metric.summary(*(points[name] for name in metric.points)))
        for metric in metrics_of(task)
        if all(name in points and len(points[name]) >= metric.least for name in metric.points)
    }

"""Every number that is measured of a run, declared once: how it is computed, called, written and compared.

Tables, views, status, export, compare and curves read METRICS. To add a metric, add its entry; where it needs a score
of single points that is not there yet, add that to POINTS.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dgpexp.predictive.tally import BINS, binned, calibration_error
from dgpexp.tasks import CLASSIFICATION, REGRESSION, Task

# Scores of single points [n], from a predictive distribution, y [n] in its units (or numbers of classes), and the step
# y is rounded to; None where the distribution has no such score.
POINTS: Mapping[str, Callable[[Any, np.ndarray, float], np.ndarray | None]] = {
    "error": lambda prediction, y, step: prediction.mean() - y,
    "log_density": lambda prediction, y, step: prediction.log_density(y),
    "log_rounded": lambda prediction, y, step: prediction.log_mean_density(y, step),
    "crps": lambda prediction, y, step: prediction.crps(y),
    "probability": lambda prediction, y, step: prediction.pit(y),  # uniform on (0, 1) where calibrated
    # of classes
    "hit": lambda prediction, y, step: prediction.hit(y),
    "confidence": lambda prediction, y, step: prediction.confidence(),
    "brier": lambda prediction, y, step: prediction.brier(y),
    "second": lambda prediction, y, step: prediction.probabilities[:, 1] if len(prediction.labels) == 2 else None,
    "class": lambda prediction, y, step: y,
}
NEW = "new"  # one more score, of those who know the training rows: the point is no exact copy of one [n]
Scores = dict[str, np.ndarray]  # POINTS of some test points: [n] each

MEAN = "mean (standard error) over splits"
OVER_SPLITS = f"{MEAN}, in the units of the target"
# Where a report shows a metric besides the table that it has of its own.
TESTS, RUNS, OWN = "tests between methods", "the line of a run", "the table of the user's own data sets"


@dataclass(frozen=True)
class Metric:
    """One number of a run. `nominal` is set where the best value is the nearest to it (coverage)."""

    key: str
    label: str
    short: str = ""  # where there is little room (else the label)
    title: str = ""  # over a column or a table (else the short one)
    about: str = ""  # under its table (else a sentence from the label)
    shown: tuple[str, ...] = ()  # TESTS, RUNS, OWN
    tasks: tuple[Task, ...] = (REGRESSION,)  # none: measured by the runner, whatever the task
    points: tuple[str, ...] = ()  # the scores of single points that `summary` takes, in order
    summary: Callable[..., float | None] = np.mean  # None where these points cannot tell it
    least: int = 1  # test points that it needs
    slow: bool = False  # computed only where it may end up in a result
    higher_is_better: bool = False
    nominal: float | None = None
    in_units: bool = False  # of y, so that it is small where y is (naval)
    scale: float = 1.0  # shown = scale · stored
    unit: str = ""
    stderr: str = ""  # the key of its standard error over test points

    @property
    def brief(self) -> str:
        return self.short or self.label

    @property
    def heading(self) -> str:
        return self.title or self.brief

    @property
    def caption(self) -> str:
        return self.about or f"{self.label[0].upper()}{self.label[1:]}, {OVER_SPLITS}; {self.direction}."

    @property
    def direction(self) -> str:
        """Which values are the better ones, in words."""
        if self.nominal is not None:
            return f"nearest {100 * self.nominal:g} % is best"
        return f"{'higher' if self.higher_is_better else 'lower'} is better"

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
        title=f"coverage of {percent} % intervals",
        about=f"Share of test points inside the central {percent} % interval; nearest {percent} % is best. "
        "Not in the thesis.",
        shown=(OWN,) if percent == 90 else (),
        points=("probability",),
        summary=lambda probability: np.mean(np.abs(probability - 0.5) <= percent / 200),
        nominal=percent / 100,
    )


def _stderr(points: np.ndarray) -> float:
    """The standard error of a mean over test points: how well these few know it."""
    return float(np.std(points, ddof=1) / np.sqrt(len(points)))


def area_under_curve(second: np.ndarray, y: np.ndarray) -> float | None:
    """P(a point of class 1 is given more of class 1 than a point of class 0; ties count half), by Mann and Whitney."""
    from scipy.stats import rankdata  # here, since its import takes a second that predictions need not wait for

    positives = int(y.sum())
    if not 0 < positives < len(y):
        return None
    ranks = rankdata(second)[y == 1].sum() - positives * (positives + 1) / 2
    return float(ranks / (positives * (len(y) - positives)))


def _of_new_rows(metric: Metric) -> Metric:
    """The metric over the test rows that are new: copies of training rows test the memory as well as the model."""

    def summary(points: np.ndarray, new: np.ndarray) -> float | None:
        return metric.summary(points[new]) if new.any() else None

    return replace(
        metric,
        key=f"{metric.key}_new",
        label=f"{metric.label} of new rows",
        short=f"{metric.brief} of new rows",
        title=f"{metric.heading} of new rows",
        about=f"{metric.label[0].upper()}{metric.label[1:]} over the test rows that are no exact copy of a training "
        f"row, {OVER_SPLITS}. Data sets without copies are left out.",
        shown=(),
        points=(*metric.points, NEW),
        summary=summary,
        stderr="",
    )


_BOTH = (REGRESSION, CLASSIFICATION)

METRICS = {
    metric.key: metric
    for metric in (
        Metric(
            "rmse",
            "RMSE",
            about=f"Test RMSE, {OVER_SPLITS}; lower is better.",
            shown=(TESTS, RUNS, OWN),
            points=("error",),
            summary=lambda error: np.sqrt(np.mean(error**2)),
            in_units=True,
        ),
        # the mean log density (4.2.53), (4.3.22), (4.2.30)
        Metric(
            "ll",
            "test log-likelihood",
            "LL",
            title="log-likelihood",
            about=f"Test log-likelihood a point, {OVER_SPLITS}; higher is better.",
            shown=(TESTS, RUNS, OWN),
            tasks=_BOTH,
            points=("log_density",),
            higher_is_better=True,
            stderr="ll_stderr",
        ),
        Metric(
            "crps",
            "CRPS",
            about=f"Continuous ranked probability score, {OVER_SPLITS}; lower is better. Not in the thesis.",
            shown=(TESTS, RUNS, OWN),
            points=("crps",),
            slow=True,
            in_units=True,
        ),
        *(_coverage(percent) for percent in (50, 90, 95)),
        # counts no peak narrower than the rounding of y: the ll of wine, whose y are whole numbers, has no limit
        Metric(
            "ll_rounded",
            "log-likelihood of the rounded target",
            "rounded LL",
            title="log-likelihood of rounded targets",
            about="Density averaged over the step to which the target was rounded (1 on wine, 0.001 on naval), its log "
            "a point: narrower peaks gain nothing; higher is better. Not in the thesis.",
            points=("log_rounded",),
            slow=True,
            higher_is_better=True,
        ),
        # these two tell whether a few points carry the mean
        Metric(
            "ll_median",
            "log density of the median test point",
            "median LL",
            title="log density of the median point",
            about="The median test point of each split: no tail.",
            tasks=_BOTH,
            points=("log_density",),
            summary=np.median,
            higher_is_better=True,
        ),
        Metric(
            "ll_worst",
            "log density of the worst test point",
            "worst LL",
            title="log density of the worst point",
            about="The worst test point of each split: heavy tails.",
            shown=(RUNS,),
            tasks=_BOTH,
            points=("log_density",),
            summary=np.min,
            higher_is_better=True,
        ),
        Metric(
            "ll_stderr",
            "standard error of the log-likelihood over test points",
            "± LL",
            tasks=_BOTH,
            points=("log_density",),
            summary=_stderr,
            least=2,
        ),
        Metric(
            "accuracy",
            "accuracy (%)",
            "accuracy",
            title="accuracy (%)",
            about=f"Share of the test points whose most probable class is theirs, {MEAN}; higher is better.",
            shown=(TESTS, RUNS, OWN),
            tasks=(CLASSIFICATION,),
            points=("hit",),
            higher_is_better=True,
            scale=100.0,
            unit="%",
        ),
        Metric(
            "brier",
            "Brier score",
            "Brier",
            about=f"Σ_c (P(c) - 1{{y = c}})², from 0 to 2, {MEAN}; lower is better.",
            shown=(TESTS, RUNS, OWN),
            tasks=(CLASSIFICATION,),
            points=("brier",),
        ),
        Metric(
            "ece",
            "expected calibration error",
            "ECE",
            about=f"Accuracy against confidence in {BINS} bins, {MEAN}; lower is better.",
            shown=(OWN,),
            tasks=(CLASSIFICATION,),
            points=("confidence", "hit"),
            summary=lambda confidence, hit: calibration_error(binned(confidence, hit)),
        ),
        Metric(
            "auc",
            "area under the ROC curve",
            "AUC",
            about=f"Of two classes, {MEAN}; higher is better.",
            tasks=(CLASSIFICATION,),
            points=("second", "class"),
            summary=area_under_curve,
            higher_is_better=True,
        ),
        Metric("seconds_per_step", "ms per gradient step", "ms per step", tasks=(), scale=1000.0, unit="ms"),
    )
}
METRICS |= {new.key: new for new in (_of_new_rows(METRICS[key]) for key in ("rmse", "ll", "crps"))}


def metrics_of(task: Task) -> list[Metric]:
    """The metrics that are computed from predictions of a task."""
    return [metric for metric in METRICS.values() if task in metric.tasks]


def tabled(task: Task) -> list[Metric]:
    """The metrics that have a table: all of a task but the standard errors of others."""
    errors = {metric.stderr for metric in METRICS.values()}
    return [metric for metric in metrics_of(task) if metric.key not in errors]


def headline(task: Task) -> tuple[str, ...]:
    """What is watched of a task, in the order of METRICS, which is that of tables."""
    return tuple(key for key in METRICS if key in task.headline)


def tested(task: Task) -> tuple[str, ...]:
    """By what methods are tested against each other: what is watched, then the rest."""
    return tuple(dict.fromkeys((*task.headline, *(m.key for m in metrics_of(task) if TESTS in m.shown))))


def score(task: Task, prediction: Any, y: np.ndarray, step: float, full: bool) -> Scores:
    """Scores of y [n], rounded to multiples of `step`, under a prediction for the same points; `full`: the slow too."""
    wanted = {name for metric in metrics_of(task) if full or not metric.slow for name in metric.points}
    wanted.discard(NEW)
    scores = {name: POINTS[name](prediction, y, step) for name in wanted}
    return {name: points for name, points in scores.items() if points is not None}


def summary(task: Task, parts: list[Scores]) -> dict[str, float]:
    """What a run reports of the points of all `parts`: every metric of the task that these points can tell."""
    points = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    found = {
        metric.key: metric.summary(*(points[name] for name in metric.points))
        for metric in metrics_of(task)
        if all(name in points and len(points[name]) >= metric.least for name in metric.points)
    }
    return {key: float(value) for key, value in found.items() if value is not None}

"""How good a prediction is: scores of single points, and what a run reports of them. All in the units of y."""

from dataclasses import dataclass

import numpy as np

from dgpexp.predictive.mixture import Mixture

COVERAGES = (50, 90, 95)  # per cent of the central intervals


@dataclass(frozen=True)
class Scores:
    """Scores of every test point: [n] each."""

    error: np.ndarray  # predictive mean - y
    log_density: np.ndarray  # log p(y*|x*): higher is better
    log_rounded: np.ndarray | None  # log of the density averaged over the rounding of y; None where not asked for
    crps: np.ndarray | None  # lower is better; None where not asked for
    probability: np.ndarray  # F(y): uniform on (0, 1) if the predictions are calibrated


def rounding_step(y: np.ndarray) -> float:
    """The smallest difference between two values of y: what it was rounded to, if it was."""
    gaps = np.diff(np.unique(y))
    return float(gaps.min()) if len(gaps) else 0.0


def score(prediction: Mixture, y: np.ndarray, step: float, full: bool) -> Scores:
    """Scores of y [n], rounded to multiples of `step`, under a prediction for the same points; `full`: the slow too."""
    return Scores(
        error=prediction.mean() - y,
        log_density=prediction.log_density(y),
        log_rounded=prediction.log_mean_density(y, step) if full else None,
        crps=prediction.crps(y) if full else None,
        probability=prediction.cdf(y),
    )


def summary(parts: list[Scores]) -> dict[str, float]:
    """What a run reports: RMSE, test log-likelihood, CRPS, and how many points the central intervals hold.

    ll is the mean log density (4.2.53), (4.3.22), (4.2.30); ll_median and ll_worst tell whether a few points carry it,
    ll_stderr, its standard error over the points, how well these few points know it.
    ll_rounded counts no peak narrower than the rounding of y: the ll of wine, whose y are whole numbers, has no limit.
    coverageNN is the share of points inside the central NN % interval: calibrated is NN / 100.
    """
    error, log_density, probability = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("error", "log_density", "probability")
    )
    metrics = {
        "rmse": np.sqrt(np.mean(error**2)),
        "ll": np.mean(log_density),
        "ll_median": np.median(log_density),
        "ll_worst": np.min(log_density),
    }
    if len(log_density) > 1:
        metrics["ll_stderr"] = np.std(log_density, ddof=1) / np.sqrt(len(log_density))
    for percent in COVERAGES:
        metrics[f"coverage{percent}"] = np.mean(np.abs(probability - 0.5) <= percent / 200)
    for name, of_points in (("crps", "crps"), ("ll_rounded", "log_rounded")):
        scores = [getattr(part, of_points) for part in parts]
        if all(points is not None for points in scores):
            metrics[name] = np.mean(np.concatenate(scores))
    return {name: float(value) for name, value in metrics.items()}

"""How far the predictions of a user's own table can be believed: six panels from the test rows of all its splits.

predicted and actual   a point for each test row, with its 90 % interval
calibration            the share of rows below each quantile; the diagonal is right, the band is chance
residuals              (actual - mean) / deviation against the mean: without a pattern, and mostly within ±2
densities              what is predicted for a sure, a usual and an unsure row; dotted: its modes, dot: what it was
learning               test log-likelihood during training, a line for each split: flat at its end
relevance              1 / lengthscale of the first layer, for inputs of unit deviation: how quickly the function may
                       change with an input. Not a cause, and shared between inputs that go together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from dgpexp.drawing import canvas
from dgpexp.predictive.mixture import Mixture

_MOST_INPUTS = 12


@dataclass(frozen=True)
class SplitPredictions:
    """One split: what was predicted for its test rows, what they were, and what else is drawn of the run."""

    prediction: Any  # for t rows: a Mixture, or Classes (class_diagnostics.py)
    y: np.ndarray  # [t]
    curves: pd.DataFrame  # step, ll
    relevance: np.ndarray  # [D]; of inputs that a method has no lengthscales for, nothing


def draw(tested: Sequence[SplitPredictions], features: Sequence[str], target: str, colour: str) -> Figure:
    """All six panels."""
    mixture, y = Mixture.joined([t.prediction for t in tested]), np.concatenate([t.y for t in tested])
    figure, axes = canvas.panels(2, 3, 5.2, width=10.0)
    _actual(axes[0, 0], mixture, y, target, colour)
    _calibration(axes[0, 1], mixture.cdf(y), colour)
    _residuals(axes[0, 2], mixture, y, target, colour)
    _densities(axes[1, 0], mixture, y, target)
    learning(axes[1, 1], [t.curves for t in tested], colour)
    relevance(axes[1, 2], [t.relevance for t in tested], features, colour)
    return figure


def _actual(ax: Axes, mixture: Mixture, y: np.ndarray, target: str, colour: str) -> None:
    mean, ends = mixture.mean(), mixture.interval(0.9)
    ax.vlines(y, ends[:, 0], ends[:, 1], color=colour, alpha=0.2, linewidth=1)
    ax.plot(y, mean, ".", color=colour, markersize=3)
    low, high = min(y.min(), mean.min()), max(y.max(), mean.max())
    ax.plot([low, high], [low, high], color=canvas.BLACK, linewidth=0.8)
    inside = np.mean((ends[:, 0] <= y) & (y <= ends[:, 1]))
    ax.set(title="predicted and actual", xlabel=f"actual {target}", ylabel="mean and 90 % interval")
    canvas.note(ax, f"{len(y)} rows, {100 * inside:.0f} % inside", x=0.98, y=0.03)


def _calibration(ax: Axes, probability: np.ndarray, colour: str) -> None:
    """F_n(y_n) is uniform where predictions are calibrated; a binomial band says what chance allows."""
    n, level = len(probability), np.linspace(0, 1, 101)
    low, high = (stats.binom.ppf(p, n, level) / n for p in (0.025, 0.975))
    ax.fill_between(level, low, high, color=canvas.GREY, alpha=0.25, linewidth=0, label="95 % of calibrated models")
    ax.plot(level, np.searchsorted(np.sort(probability), level, side="right") / n, color=colour, label="this model")
    ax.plot([0, 1], [0, 1], color=canvas.BLACK, linewidth=0.8)
    ax.set(title="calibration", xlabel="quantile", ylabel="share of rows below it", xlim=(0, 1), ylim=(0, 1))
    ax.legend(loc="upper left")


def _residuals(ax: Axes, mixture: Mixture, y: np.ndarray, target: str, colour: str) -> None:
    mean = mixture.mean()
    ax.axhspan(-2, 2, color=canvas.GREY, alpha=0.15, linewidth=0)
    ax.axhline(0, color=canvas.BLACK, linewidth=0.8)
    ax.plot(mean, (y - mean) / mixture.std(), ".", color=colour, markersize=3)
    ax.set(title="residuals", xlabel=f"predicted {target}", ylabel="in predicted deviations")


def _densities(ax: Axes, mixture: Mixture, y: np.ndarray, target: str) -> None:
    order = np.argsort(mixture.std())
    kinds = {"sure": order[len(order) // 20], "usual": order[len(order) // 2], "unsure": order[-1 - len(order) // 20]}
    for (kind, row), colour in zip(kinds.items(), canvas.LINES, strict=False):
        one = Mixture(mixture.means[:, [row]], mixture.variances[:, [row]])
        low, high = one.quantile([0.001, 0.999])[:, 0]
        grid = np.linspace(low, high, 300)
        ax.plot(grid, one.pdf(grid[:, None])[:, 0], color=colour, label=kind)
        for mode in one.modes()[0]:
            ax.plot([mode, mode], [0, one.pdf(mode)[0]], ":", color=colour, linewidth=1)
        ax.plot(y[row], 0, "o", color=colour, markersize=4, clip_on=False)
    ax.set(title="densities of three rows", xlabel=target, ylabel="density", ylim=(0, None))
    ax.legend()


def learning(ax: Axes, curves: Sequence[pd.DataFrame], colour: str) -> None:
    """A line for each split."""
    for curve in curves:
        ax.plot(curve["step"], curve["ll"], color=colour, alpha=0.6, linewidth=1)
    ax.set(title="learning", xlabel="step", ylabel="test log-likelihood")


def relevance(ax: Axes, relevance: Sequence[np.ndarray], features: Sequence[str], colour: str) -> None:
    """Bars of the mean over splits, whiskers from the least to the most."""
    ax.set(title="relevance of inputs", xlabel="1 / lengthscale")
    if not len(relevance[0]):
        canvas.note(ax, "this method has no lengthscales")
        return
    every = np.array(relevance)  # [splits, D]
    first = np.argsort(-every.mean(0))[:_MOST_INPUTS][::-1]
    ax.barh([features[j] for j in first], every.mean(0)[first], color=colour, alpha=0.5)
    ax.hlines(np.arange(len(first)), every.min(0)[first], every.max(0)[first], color=canvas.BLACK, linewidth=1)

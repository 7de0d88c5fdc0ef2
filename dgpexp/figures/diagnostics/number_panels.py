"""The panels of a predicted number."""

import numpy as np
from matplotlib.axes import Axes
from scipy import stats

from dgpexp.drawing import canvas
from dgpexp.figures.diagnostics.panel import Panel, Predicted
from dgpexp.figures.diagnostics.shared_panels import SHARED
from dgpexp.predictive.distribution import Distribution


def _actual(ax: Axes, tested: Predicted) -> None:
    prediction, y, rows = tested.prediction, tested.y, tested.drawn
    mean, (low, high) = prediction.mean(), prediction.at(rows).interval(0.9).T
    ax.vlines(y[rows], low, high, color=tested.colour, alpha=0.2, linewidth=1)
    ax.plot(y[rows], mean[rows], ".", color=tested.colour, markersize=3)
    low, high = min(y.min(), mean.min()), max(y.max(), mean.max())
    ax.plot([low, high], [low, high], color=canvas.BLACK, linewidth=0.8)
    inside = np.mean(np.abs(prediction.pit(y) - 0.5) <= 0.45)
    ax.set(xlabel=f"actual {tested.target}", ylabel="mean and 90 % interval")
    drawn = "" if len(rows) == len(y) else f", {len(rows)} drawn"
    canvas.note_below(ax, f"{len(y)} rows{drawn}, {100 * inside:.1f} % inside")


def _calibration(ax: Axes, tested: Predicted) -> None:
    """F_n(y_n) is uniform where predictions are calibrated; a binomial band says what chance allows."""
    probability = tested.prediction.pit(tested.y)
    n, level = len(probability), np.linspace(0, 1, 101)
    low, high = (stats.binom.ppf(p, n, level) / n for p in (0.025, 0.975))
    ax.fill_between(level, low, high, color=canvas.GREY, alpha=0.25, linewidth=0, label="95 % of calibrated models")
    share = np.searchsorted(np.sort(probability), level, side="right") / n
    ax.plot(level, share, color=tested.colour, label="this model")
    ax.plot([0, 1], [0, 1], color=canvas.BLACK, linewidth=0.8)
    ax.set(xlabel="quantile", ylabel="share of rows below it", xlim=(0, 1), ylim=(0, 1))
    ax.legend(loc="upper left", frameon=False)


def _residuals(ax: Axes, tested: Predicted) -> None:
    rows = tested.drawn
    mean = tested.prediction.mean()
    away = (tested.y - mean) / tested.prediction.std()
    ax.axhspan(-2, 2, color=canvas.GREY, alpha=0.15, linewidth=0)
    ax.axhline(0, color=canvas.BLACK, linewidth=0.8)
    ax.plot(mean[rows], away[rows], ".", color=tested.colour, markersize=3)
    ax.set(xlabel=f"predicted {tested.target}", ylabel="in predicted deviations")
    beyond = int(np.sum(np.abs(away) > 2))
    canvas.note_below(ax, f"{beyond} of {len(away)} rows beyond ±2")


def _densities(ax: Axes, tested: Predicted) -> None:
    prediction, y, rows = tested.prediction, tested.y, tested.drawn
    several = np.sum(~np.isnan(prediction.at(rows).modes()), axis=1) > 1  # [drawn]
    for (kind, row), colour in zip(_chosen(prediction, rows[several]).items(), canvas.LINES, strict=False):
        one = prediction.at([row])
        low, high = one.quantile([0.001, 0.999])[:, 0]
        grid = np.linspace(low, high, 300)
        ax.plot(grid, one.pdf(grid[:, None])[:, 0], color=colour, label=kind)
        for mode in one.modes()[0]:
            ax.plot([mode, mode], [0, one.pdf(mode)[0]], ":", color=colour, linewidth=1)
        ax.plot(y[row], 0, "o", color=colour, markersize=4, clip_on=False)
    canvas.few_ticks(ax)
    ax.set(xlabel=tested.target, ylabel="density", ylim=(0, 1.5 * ax.get_ylim()[1]))  # room for the legend
    title = f"{several.sum()} of {len(rows)} rows have several modes"
    ax.legend(frameon=False, loc="upper right", ncols=2, title=title, title_fontsize=8)


def _chosen(prediction: Distribution, several: np.ndarray) -> dict[str, int]:
    """Rows by what they are examples of; `several` are those with several modes, of which the surest is shown."""
    order = np.argsort(prediction.std())
    chosen = {"sure": order[len(order) // 20], "usual": order[len(order) // 2], "unsure": order[-1 - len(order) // 20]}
    return chosen | ({"several modes": several[np.argmin(prediction.std()[several])]} if len(several) else {})


NUMBER_PANELS = (
    Panel(
        "actual",
        "predicted and actual",
        "A point for each test row, with its 90 % interval. On the line a prediction is right; nine in ten intervals "
        "should cross it.",
        _actual,
    ),
    Panel(
        "calibration",
        "calibration",
        "The share of test rows below each predicted quantile. On the diagonal, quantiles are what they claim to be; "
        "a curve that is steep in its middle comes from intervals that are too wide, one that is flat there from "
        "intervals that are too narrow. The band is what chance does to a calibrated model with so many rows.",
        _calibration,
    ),
    Panel(
        "residuals",
        "residuals",
        "(Actual − mean) / predicted deviation, against the mean: about 19 of 20 within ±2, and without a pattern. A "
        "bow is an effect that was not learnt, a funnel a deviation that should vary.",
        _residuals,
    ),
    Panel(
        "densities",
        "densities of a few rows",
        "What is predicted for a sure, a usual and an unsure row and, where there is one, a row with several modes. "
        "Dotted: the modes; dot: what it was. Of several modes the mean may be a value that hardly occurs.",
        _densities,
    ),
    *SHARED,
)

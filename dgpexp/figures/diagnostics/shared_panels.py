"""Panels that numbers and classes have in common: learning, the worth of columns, lengthscales."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from dgpexp.drawing import canvas
from dgpexp.figures.diagnostics.panel import Panel, Predicted

_MOST = 12  # bars


def _learning(ax: Axes, tested: Predicted) -> None:
    for curve in tested.curves:
        alone = "o" if len(curve) == 1 else None  # of a point there is no line
        ax.plot(curve["step"], curve["ll"], color=tested.colour, alpha=0.6, linewidth=1, marker=alone, markersize=4)
    ax.set(xlabel="step", ylabel="test log-likelihood")


def _worth(ax: Axes, tested: Predicted) -> None:
    _bars(ax, list(tested.worth), np.array(list(tested.worth.values())).T, tested.colour)
    ax.axvline(0, color=canvas.BLACK, linewidth=0.8)
    ax.set(xlabel="log-likelihood lost a row")


def _lengthscales(ax: Axes, tested: Predicted) -> None:
    ax.set(xlabel="1 / lengthscale")
    if not tested.lengthscales.size:
        canvas.note(ax, "this method has no lengthscales")
        return
    _bars(ax, tested.features, 1 / tested.lengthscales, tested.colour)


def _bars(ax: Axes, names: Sequence[str], values: np.ndarray, colour: str) -> None:
    """Draw the means of values [splits, names], the largest on top, with lines from the least to the most."""
    mean = values.mean(0)
    first = np.argsort(-mean, kind="stable")[:_MOST][::-1]
    ax.barh([names[j] for j in first], mean[first], color=colour, alpha=0.5)
    ax.hlines(np.arange(len(first)), values.min(0)[first], values.max(0)[first], color=canvas.BLACK, linewidth=1)


LEARNING = Panel(
    "learning",
    "learning",
    "Test log-likelihood during training, a line for each split. It should be flat at its end; where it still climbs, "
    "train for longer; where it falls, the model learns its training rows by heart.",
    _learning,
)
WORTH = Panel(
    "worth",
    "worth of columns",
    "How much log-likelihood a test row loses if the cells of a column are shuffled among the test rows, all inputs "
    "that were made of it together: mean over splits, line from the least to the most. It says what this model uses, "
    "not what causes what. Of two columns that say the same, each may look worthless, and a column near 0, or below "
    "it, may as well be dropped.",
    _worth,
)
LENGTHSCALES = Panel(
    "lengthscales",
    "bending along inputs",
    "1 / lengthscale of the first layer, for inputs scaled to unit deviation: mean over splits, line from the least "
    "to the most. A long bar says that the function may bend within a fraction of the input's deviation; a short one, "
    "that it is nearly straight along it, not that the input is useless: with several layers, straight effects pass "
    "the first one untouched. A level of words is an input of 0 and 1 and cannot bend: its bar says how differently "
    "rows with and without it may be treated, and a rare level, whose deviation is small, is far from the others "
    "however long its bar is. Inputs that go together share the bar, and another training may share it otherwise.",
    _lengthscales,
)
SHARED = (LEARNING, WORTH, LENGTHSCALES)

"""How far the predicted classes of a table can be believed: four panels from the test rows of all its splits.

reliability     accuracy of the rows that were predicted with about the same confidence, with what chance allows; on the
                diagonal a model is as often right as it says, below it is too sure. The larger the dot, the more rows.
confusion       what the rows of each class were taken for, as shares of the class; in the cells, rows
learning        test log-likelihood during training, a line for each split: flat at its end
relevance       1 / lengthscale of the first layer, as for numbers
"""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy import stats

from dgpexp.drawing import canvas
from dgpexp.figures.diagnostics import SplitPredictions, learning, relevance
from dgpexp.predictive.classes import Classes
from dgpexp.predictive.metrics import calibration_error

_BINS = 10
_MOST_WRITTEN = 12  # classes whose counts and labels fit into the panel


def draw(tested: Sequence[SplitPredictions], features: Sequence[str], target: str, colour: str) -> Figure:
    """All four panels."""
    classes, y = Classes.joined([t.prediction for t in tested]), np.concatenate([t.y for t in tested])
    figure, axes = canvas.panels(2, 2, 6.6, width=8.2)
    _reliability(axes[0, 0], classes.confidence(), classes.hit(y), colour)
    _confusion(axes[0, 1], confusion(classes, y), classes.labels, target)
    learning(axes[1, 0], [t.curves for t in tested], colour)
    relevance(axes[1, 1], [t.relevance for t in tested], features, colour)
    return figure


def confusion(classes: Classes, y: np.ndarray) -> np.ndarray:
    """How many rows of class i (down) were taken for class j (across): [C, C]."""
    count = len(classes.labels)
    return np.bincount(y.astype(int) * count + classes.most_probable(), minlength=count**2).reshape(count, count)


def _reliability(ax: Axes, confidence: np.ndarray, hit: np.ndarray, colour: str) -> None:
    place = np.clip(np.ceil(confidence * _BINS).astype(int) - 1, 0, _BINS - 1)
    for b in np.unique(place):
        inside = place == b
        n, accuracy, claimed = inside.sum(), hit[inside].mean(), confidence[inside].mean()
        low, high = stats.binomtest(int(hit[inside].sum()), int(n)).proportion_ci(method="wilson")
        ax.vlines(claimed, low, high, color=colour, alpha=0.5, linewidth=1.2)
        ax.plot(claimed, accuracy, "o", color=colour, markersize=3 + 9 * np.sqrt(n / len(hit)))
    ax.plot([0, 1], [0, 1], color=canvas.BLACK, linewidth=0.8)
    ax.set(title="reliability", xlabel="confidence", ylabel="accuracy", xlim=(0, 1.03), ylim=(0, 1.03))
    error = calibration_error(confidence, hit)
    canvas.note(ax, f"{len(hit)} rows, {100 * hit.mean():.1f} % right\ncalibration error {error:.3f}", y=0.03)


def _confusion(ax: Axes, counts: np.ndarray, labels: Sequence[str], target: str) -> None:
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1)
    if len(labels) <= _MOST_WRITTEN:
        for (i, j), n in np.ndenumerate(counts):
            if n:
                ax.text(
                    j, i, str(n), ha="center", va="center", fontsize=7, color="white" if shares[i, j] > 0.5 else "black"
                )
        places = range(len(labels))
        ax.set_xticks(places, labels, rotation=90 if max(map(len, labels)) > 3 else 0)
        ax.set_yticks(places, labels)
    ax.set(title="confusion", xlabel=f"predicted {target}", ylabel=f"actual {target}")

"""The panels of predicted classes.

The first two need nothing but a `Tally`, which every run of classes records: a report draws them without its model.
"""

import numpy as np
from matplotlib.axes import Axes
from scipy import stats

from dgpexp.drawing import canvas
from dgpexp.figures.diagnostics.panel import Panel, Predicted
from dgpexp.figures.diagnostics.shared_panels import SHARED
from dgpexp.predictive.tally import Tally

_MOST_WRITTEN = 12  # classes whose counts and labels fit into the panel
_DENSEST = 0.7  # of a cell, so that ink can be read on it


def reliability(ax: Axes, tally: Tally, colour: str) -> None:
    """A dot for each bin of confidence, with Wilson's 95 % interval."""
    rows = tally.bins[:, 0].sum()
    for n, right, sure in tally.bins[tally.bins[:, 0] > 0]:
        low, high = stats.binomtest(int(right), int(n)).proportion_ci(method="wilson")
        ax.vlines(sure / n, low, high, color=colour, alpha=0.5, linewidth=1.2)
        ax.plot(sure / n, right / n, "o", color=colour, markersize=3 + 9 * np.sqrt(n / rows), clip_on=False)
    ax.plot([0, 1], [0, 1], color=canvas.BLACK, linewidth=0.8)
    ax.set(xlabel="confidence", ylabel="accuracy", xlim=(0, 1.03), ylim=(0, 1.03))
    share = 100 * np.trace(tally.confusion) / rows
    # in the corner of the modest: hardly ever does a model say little and know much
    canvas.note(ax, f"{rows:.0f} rows,\n{share:.1f} % right", x=0.03)


def confusion(ax: Axes, tally: Tally, target: str, colour: str) -> None:
    """The actual class down, the predicted one across; cells of a colour that a page can turn, unlike an image's."""
    counts, labels = tally.confusion, tally.labels
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    down, across = np.indices(shares.shape)
    faces = [(colour, _DENSEST * share) for share in shares.flat]
    ax.bar(across.ravel(), 1, width=1, bottom=down.ravel() - 0.5, color=faces, linewidth=0)
    if len(labels) <= _MOST_WRITTEN:
        for (i, j), n in np.ndenumerate(counts):
            if n:
                ax.text(j, i, str(n), ha="center", va="center", fontsize=7)
        places = range(len(labels))
        ax.set_xticks(places, labels, rotation=90 if max(map(len, labels)) > 3 else 0)
        ax.set_yticks(places, labels)
    ax.set(xlabel=f"predicted {target}", ylabel=f"actual {target}", aspect="equal")
    ax.set(xlim=(-0.5, len(labels) - 0.5), ylim=(len(labels) - 0.5, -0.5))


def _tally(tested: Predicted) -> Tally:
    return Tally.of(tested.prediction, tested.y)


CLASS_PANELS = (
    Panel(
        "reliability",
        "reliability",
        "Accuracy of the test rows that were predicted with about the same confidence, with what chance allows. On "
        "the diagonal a model is right as often as it says; below it is too sure, above too modest. The larger the "
        "dot, the more rows.",
        lambda ax, tested: reliability(ax, _tally(tested), tested.colour),
    ),
    Panel(
        "confusion",
        "confusion",
        "What the test rows of each class were taken for: the denser, the larger the share of the class; in the cells, "
        "rows.",
        lambda ax, tested: confusion(ax, _tally(tested), tested.target, tested.colour),
    ),
    *SHARED,
)

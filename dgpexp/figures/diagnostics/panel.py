"""What a panel is, what it draws from, and all of them in one picture."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dgpexp.drawing import canvas

MOST_DRAWN = 1000  # rows; more of them only hide each other


@dataclass(frozen=True)
class Predicted:
    """What one model predicted for the test rows of all its splits, what they were, and what else is drawn of it."""

    prediction: Any  # for the t test rows of all splits: a Mixture, or Classes
    y: np.ndarray  # [t]
    curves: Sequence[pd.DataFrame]  # of each split: step, ll
    lengthscales: np.ndarray  # [splits, D] of the first layer, for scaled inputs; D is 0 for a method without any
    worth: Mapping[str, np.ndarray]  # column -> log-likelihood a row that is lost without it, [splits]
    features: Sequence[str]
    target: str
    colour: str

    @property
    def splits(self) -> int:
        return len(self.curves)

    @property
    def drawn(self) -> np.ndarray:
        """The rows that a panel with a point for each shows: all, or a random part of very many."""
        rows = np.arange(len(self.y))
        return rows if len(rows) <= MOST_DRAWN else np.sort(np.random.default_rng(0).permutation(rows)[:MOST_DRAWN])


@dataclass(frozen=True)
class Panel:
    """One thing to look at. The caption says what is shown, and what it does not say."""

    name: str
    title: str
    caption: str
    draw: Callable[[Axes, Predicted], None]


def picture(panels: Sequence[Panel], tested: Predicted) -> Figure:
    """All panels side by side."""
    rows = 2
    columns = -(-len(panels) // rows)
    figure, axes = canvas.panels(rows, columns, 2.8 * rows, width=3.2 * columns)
    for panel, ax in zip(panels, axes.flat, strict=False):
        panel.draw(ax, tested)
        ax.set_title(panel.title)
    for ax in axes.flat[len(panels) :]:
        ax.set_visible(False)
    return figure

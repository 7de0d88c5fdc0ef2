"""Figures of the methods beside the thesis's: power EP against its power, and all methods against one clock."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dgpexp.drawing import canvas
from dgpexp.drawing.palette import MUTED, colour, marker
from dgpexp.predictive.metrics import METRICS
from dgpexp.report.paper_folds import PaperFolds
from dgpexp.report.plots.curves import Series
from dgpexp.report.powers import METHOD, SHOWN, WHOLE, Powers
from dgpexp.report.statistics.stats import summarise


@canvas.for_page()
def against_power(found: Sequence[Powers]) -> Figure:
    """A column a data set, a row a metric: differences from α = 1 on the same splits; coverage as it is."""
    size = (1.3 + 2.5 * len(found), 1.0 + 1.9 * len(SHOWN))
    figure, axes = canvas.framed(size, (len(SHOWN), len(found)), (0.75, 0.15, 0.55, 0.45), (0.55, 0.3))
    for column, p in enumerate(found):
        axes[0, column].set_title(f"{p.dataset}, {p.layers} layers")
        for row, metric in enumerate(SHOWN):
            _panel(axes[row, column], p, metric)
        axes[-1, column].set_xlabel("α")
    for row, metric in enumerate(SHOWN):
        about = METRICS[metric]
        axes[row, 0].set_ylabel(about.brief if about.nominal is not None else f"{about.brief}, less that of α = 1")
    return figure


def _panel(ax: Axes, p: Powers, metric: str) -> None:
    nominal = METRICS[metric].nominal
    numbers = p.values if nominal is not None else p.differences
    found = {alpha: summarise(numbers(alpha, metric)) for alpha in sorted(p.runs)}
    points = [(alpha, s.mean, s.stderr or 0.0) for alpha, s in found.items() if s.n]
    if nominal is None and WHOLE in p.runs:
        points.append((WHOLE, 0.0, 0.0))  # what the others are compared with
    ax.axhline(nominal or 0.0, color=MUTED, lw=0.8, ls="--")
    if points:
        x, y, error = zip(*points, strict=True)
        ax.errorbar(x, y, yerr=error, color=colour(METHOD), marker=marker(METHOD), ms=5, lw=1.2, elinewidth=1.4)
    ax.grid(axis="y")
    ax.set(xlim=(-0.05, 1.05), xticks=(0, 0.25, 0.5, 0.75, 1))
    ax.yaxis.set_major_locator(MaxNLocator(5))


def on_one_clock(found: PaperFolds, dataset: str, curve: Callable[[str], pd.DataFrame]) -> Series:
    """The learning curve of every method on the first fold that it has, of the standardised target."""
    series: Series = {}
    for method in found.methods:
        for run_id, scale in found.of(dataset, method)[["run_id", "y_scale"]].itertuples(index=False):
            seen = curve(run_id)
            if len(seen):
                series[method, None] = seen.assign(rmse=seen["rmse"] / scale, ll=seen["ll"] + np.log(scale))
                break
    return series

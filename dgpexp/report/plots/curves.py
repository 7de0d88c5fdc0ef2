"""Learning curves: those of the big data sets against time (5.3), and that of one run."""

import textwrap
from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dgpexp.drawing import canvas, palette
from dgpexp.drawing.palette import MUTED, colour, marker
from dgpexp.predictive.metrics import METRICS, headline
from dgpexp.report.cells import Cell, called
from dgpexp.report.grid import Grid
from dgpexp.tasks import REGRESSION

INTERVALS = 30  # of equal length on the log axis: late evaluations lie too close to be told apart
Series = dict[tuple[str, int | None], pd.DataFrame]  # by method and S


@canvas.for_page()
def curves(dataset: str, series: Series, grid: Grid | None, remark: str, whose: str = "thesis") -> Figure:
    """RMSE and log-likelihood on the test set against seconds of training (log axis): Figures 5.3.1, 5.3.2 and alike.

    `whose` are the final values of the data set that the grid has as published.
    """
    rows = -(-len(series) // 3) + 1
    top = 0.9 + palette.ROW * rows
    figure, axes = canvas.framed((7.2, 3.0 + top), (1, 2), (0.55, 0.15, 0.5, top), (0.6, 0.0))
    for ax, metric in zip(axes[0], headline(REGRESSION), strict=True):
        ax.set_xscale("log")
        ax.grid(True)
        ax.set_xlabel("seconds of training")
        ax.set_title(METRICS[metric].label)
        courses = {key: course for key, c in series.items() if len(course := _course(c, metric))}
        for (method, samples), course in courses.items():
            _draw(ax, method, samples, course)
        if courses:
            last = max(float(course["seconds"].iloc[-1]) for course in courses.values())
            _view(ax, list(courses.values()), last)
            cells = [c for c in grid.cells.values() if c.dataset == dataset and c.metric == metric] if grid else []
            _published(ax, cells, 1.35 * last, whose)
        canvas.plain_decades(ax.xaxis)
    lines, _ = axes[0, 0].get_legend_handles_labels()
    hollow = palette.sign(f"hollow, at the right: final value of the {whose}", "none")
    palette.write_keys(figure, [*(lines[k : k + 3] for k in range(0, len(lines), 3)), [hollow]], 0.6, 0.5)
    title = "\n".join(textwrap.wrap(dataset + (f": {remark}" if remark else ""), 100))
    figure.suptitle(title, x=0.06, y=0.985, va="top", ha="left", fontsize=9, color=MUTED)
    return figure


def _course(curve: pd.DataFrame, metric: str) -> pd.DataFrame:
    """A line per interval in which the model was evaluated: median time, and quartiles of the metric."""
    seen = curve[(curve["train_seconds"] > 0) & curve[metric].notna()]
    if seen.empty:
        return seen
    seconds = seen["train_seconds"]
    edges = np.geomspace(seconds.min(), seconds.max(), INTERVALS + 1)[1:-1]
    parts = seen.groupby(np.digitize(seconds, edges))
    quartiles = {name: parts[metric].quantile(q) for name, q in (("low", 0.25), ("middle", 0.5), ("high", 0.75))}
    return pd.DataFrame({"seconds": parts["train_seconds"].median(), **quartiles})


def _draw(ax: Axes, method: str, samples: int | None, course: pd.DataFrame) -> None:
    ax.fill_between(course["seconds"], course["low"], course["high"], color=colour(method), alpha=0.15, lw=0)
    ax.plot(
        course["seconds"], course["middle"], color=colour(method), lw=2.6 if samples == 20 else 1.1,
        marker=marker(method), ms=4.5,
        ls="--" if samples == 20 else "-", markevery=4, label=called(method, samples),
    )  # fmt: skip


def _view(ax: Axes, courses: Sequence[pd.DataFrame], last: float) -> None:
    """The first steps are wild: show what the later half of the intervals spans, and room at the right."""
    later = pd.concat([c[["low", "high"]].iloc[len(c) // 2 :] for c in courses])
    low, high = float(later["low"].min()), float(later["high"].max())
    room = 0.15 * (high - low) or 0.1
    ax.set_ylim(low - room, high + room)
    ax.set_xlim(right=1.8 * last)


def _published(ax: Axes, cells: Sequence[Cell], at: float, whose: str) -> None:
    """The final values at the right; those far from ours as words: as dots they would squeeze the curves."""
    low, high = ax.get_ylim()
    tall = high - low
    values = [(c, c.published.mean) for c in cells if c.published]
    near = [(c, v) for c, v in values if low - tall < v < high + tall]
    for c, value in near:
        ax.plot(
            at, value, marker=marker(c.method), mfc="none", mec=colour(c.method), ms=6, ls="none",
            alpha=0.55 if c.samples == 20 else 1.0,
        )  # fmt: skip
    if near:
        room = 0.06 * tall
        ax.set_ylim(min(low, *(v - room for _, v in near)), max(high, *(v + room for _, v in near)))
    for y, word, far in (
        (0.03, "below", [v for _, v in values if v <= low - tall]),
        (0.97, "above", [v for _, v in values if v >= high + tall]),
    ):
        if far:
            text = f"{whose}: {min(far):g} to {max(far):g}, far {word}"
            ax.text(0.98, y, text, transform=ax.transAxes, ha="right", va="bottom" if y < 0.5 else "top", color=MUTED)


@canvas.for_page()
def learning(run_id: str, method: str, curve: pd.DataFrame) -> Figure:
    """One run: objective and watched metrics by step."""
    watched = {name: f"test {METRICS[name].heading}" for name in curve.columns if name in METRICS}
    parts = {"objective": "objective a data point", **watched}
    figure, axes = canvas.framed((11.0, 3.4), (1, len(parts)), (0.6, 0.15, 0.55, 0.7), (0.6, 0.0))
    for ax, (name, label) in zip(axes[0], parts.items(), strict=True):
        seen = curve.dropna(subset=[name])
        ax.plot(seen["step"], seen[name], color=colour(method), lw=1.5)
        ax.set_title(label)
        ax.set_xlabel("step")
        ax.grid(True)
    figure.suptitle(run_id, fontsize=9, color=MUTED)
    return figure

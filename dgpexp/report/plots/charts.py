"""Figures of the cells of tables: dots with bars (5.1) and ranks."""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import offset_copy

from dgpexp.drawing import canvas, palette
from dgpexp.drawing.palette import FAINT, INK, MUTED, colour, marker
from dgpexp.methods import name_of
from dgpexp.numerals import fixed
from dgpexp.predictive.metrics import METRICS
from dgpexp.report.cells import Cell
from dgpexp.report.grid import Grid
from dgpexp.report.page.render import splits
from dgpexp.report.statistics.comparisons import Ranking
from dgpexp.report.statistics.stats import Average, cliques

_LONG = 0.01  # numbers below it have so many digits that few ticks have room
_ROW = 0.2125  # inches of a method and depth


@canvas.for_page()
def dots(grid: Grid) -> Figure:
    """Figures 5.1.1 and 5.1.2: a panel a data set; ours filled (half, if of one split), the thesis's hollow below. At
    the right, the splits where not all are done."""
    columns = 3  # at the width of a page, so that the type keeps its size in print
    lines = -(-len(grid.rows) // columns)
    top = 0.5 + 3 * palette.ROW
    size = (7.2, 0.05 + top + (0.55 + _ROW * max(len(grid.columns), 8)) * lines)
    figure, axes = canvas.framed(size, (lines, columns), (0.95, 0.4, 0.6, top), (0.4, 0.55))
    for i, dataset in enumerate(grid.rows):
        ax = axes[i // columns, i % columns]
        _panel(ax, dataset, [grid.cells[i, j] for j in range(len(grid.columns))])
    for ax in axes.flat[len(grid.rows) :]:
        ax.set_visible(False)
    labels = [f"{c.group} {c.label}" for c in grid.columns]
    for ax in axes.flat:
        first = ax in axes[:, 0]
        ax.set_yticks(range(len(labels)) if first else [], labels if first else [])
    metric = METRICS[next(iter(grid.cells.values())).metric]
    figure.supxlabel(f"{metric.label} ({metric.direction})", fontsize=9)
    methods = list(dict.fromkeys(c.method for c in grid.cells.values()))
    one = palette.sign("half filled: ours, of one split (error unknown)", "left")
    theirs = palette.sign("hollow: the thesis (pale: ambiguous print)", "none")
    palette.write_keys(figure, [palette.keys_of(methods), [one], [theirs]], 0.95)
    return figure


def _panel(ax: Axes, title: str, cells: Sequence[Cell]) -> None:
    ax.set_title(title)
    ax.grid(axis="x")
    ax.tick_params(length=0)
    ax.ticklabel_format(axis="x", style="plain", useOffset=False)
    ax.xaxis.set_major_locator(MaxNLocator(4 if max((abs(c.mean) for c in cells if c.n), default=1.0) > _LONG else 1))
    seen = _view(ax, cells)
    ax.set_ylim(len(cells) - 0.4, -0.6)  # the first column on top
    for method in dict.fromkeys(c.method for c in cells):
        rows = [j for j, c in enumerate(cells) if c.method == method]
        if rows[0]:
            ax.axhline(rows[0] - 0.5, color=FAINT, lw=0.8, zorder=0)
        for fill, single in (("full", False), ("left", True)):
            places = [j for j in rows if math.isfinite(cells[j].mean) and cells[j].n and (cells[j].n == 1) == single]
            ours = [(cells[j].mean, j - 0.12, cells[j].stderr) for j in places if seen(cells[j].mean)]
            _bars(ax, method, ours, fill)
        for legible in (True, False):
            printed = [(p, j) for j in rows if (p := cells[j].published) and p.mean and p.legible == legible]
            theirs = [(p.mean, j + 0.22, p.stderr) for p, j in printed]
            _bars(ax, method, theirs, "none", alpha=1.0 if legible else 0.45)
    for j, c in enumerate(cells):
        if c.n and not seen(c.mean):
            _at_the_edge(ax, c, j - 0.12)
        if told := splits(c):
            ax.text(1.02, j, told, transform=ax.get_yaxis_transform(), va="center", fontsize=8, color=MUTED)
    if any(c.published and not c.published.mean for c in cells):  # as a dot it would say more than was printed
        ax.set_title("thesis: 0.00", loc="right", fontsize=9, color=MUTED)
    if not any(c.n or (c.published and c.published.mean) for c in cells):
        ax.set_xticks([])
        ax.text(0.5, 0.5, "no finished run yet", transform=ax.transAxes, ha="center", color=MUTED)


def _view(ax: Axes, cells: Sequence[Cell]) -> Callable[[float], bool]:
    """Show the middle of the values and what is near it; returns what says whether a mean of ours is in sight.

    Near: within four spans of the printed values and our median, or where none is printed, of the middle half of ours.
    What is farther would flatten the panel.
    """
    printed = [c.published.mean for c in cells if c.published and c.published.mean]
    ours = [c.mean for c in cells if c.n and math.isfinite(c.mean)]
    if not ours:
        return lambda mean: False
    middle = [*np.quantile(ours, (0.5,) if printed else (0.25, 0.75)), *printed]
    span = max(middle) - min(middle) or 0.1 * abs(middle[0]) or 1.0
    low, high = min(middle) - 4 * span, max(middle) + 4 * span
    near = [v for v in (*ours, *printed) if low <= v <= high]
    errors = [(c.mean, c.stderr or 0.0) for c in cells if c.n and low <= c.mean <= high]
    near += [v for mean, e in errors for v in (max(mean - e, low), min(mean + e, high))]
    near += [p.mean + side * (p.stderr or 0.0) for c in cells if (p := c.published) and p.mean for side in (-1, 1)]
    room = 0.06 * (max(near) - min(near)) or span
    ax.set_xlim(min(near) - room, max(near) + room)
    return lambda mean: low <= mean <= high


def _at_the_edge(ax: Axes, c: Cell, y: float) -> None:
    """An arrow at the edge, and the value: as a dot it would flatten the panel."""
    right = c.mean > ax.get_xlim()[1]
    edge = ax.get_yaxis_transform()
    ax.plot(0.985 if right else 0.015, y, marker=">" if right else "<", color=colour(c.method), ms=6, transform=edge)
    metric = METRICS[c.metric]
    text = fixed(metric.scale * c.mean, metric.decimals([c.mean]))
    at = 0.95 if right else 0.05
    ax.text(at, y, text, transform=edge, va="center", ha="right" if right else "left", fontsize=9, color=INK)


def _bars(
    ax: Axes, method: str, points: list[tuple[float, float, float | None]], fill: str, alpha: float = 1.0
) -> None:
    """Dots with bars at (value, height, standard error if known); hollow ones are smaller and thinner."""
    if not points:
        return
    x, y, error = zip(*points, strict=True)
    ours = fill != "none"
    ax.errorbar(
        x, y, xerr=[e or 0.0 for e in error], ls="none", marker=marker(method), color=colour(method), fillstyle=fill,
        markerfacecoloralt="none", ms=(5.0 if marker(method) == "D" else 6.0) - (0.0 if ours else 0.8), mew=0.9,
        elinewidth=1.6 if ours else 0.8, zorder=3 if ours else 2, alpha=alpha,
    )  # fmt: skip


@canvas.for_page()
def by_metric(
    names: Sequence[str], metrics: Mapping[str, str], along: str, draw: Callable[[Axes, int, str], None]
) -> Figure:
    """A column for each name, a row for each metric with its label, filled by `draw(axes, column, metric)`."""
    size = (1.3 + 2.5 * len(names), 1.0 + 1.9 * len(metrics))
    figure, axes = canvas.framed(size, (len(metrics), len(names)), (0.75, 0.15, 0.55, 0.45), (0.55, 0.3))
    for row, (metric, label) in enumerate(metrics.items()):
        for column, ax in enumerate(axes[row]):
            draw(ax, column, metric)
            ax.grid(axis="y")
        axes[row, 0].set_ylabel(label)
    for ax, name in zip(axes[0], names, strict=True):
        ax.set_title(name)
    for ax in axes[-1]:
        ax.set_xlabel(along)
    return figure


def steps(ax: Axes, method: str, points: Mapping[Any, Average], **style: Any) -> None:
    """A line of means with their errors, at the places of `points`."""
    x, y, error = list(points), [s.mean for s in points.values()], [s.stderr or 0.0 for s in points.values()]
    ax.errorbar(x, y, yerr=error, color=colour(method), marker=marker(method), ms=5, lw=1.2, elinewidth=1.4, **style)


@canvas.for_page()
def ranks(ranking: Ranking) -> Figure:
    """A critical-difference diagram: average ranks on a line; bars join what the Nemenyi test cannot tell apart."""
    count = len(ranking.names)
    half = -(-count // 2)
    bars = cliques(ranking.ranks, ranking.critical)
    size = (min(8.0, 4.8 + 0.4 * count), 1.0 + 0.24 * half + 0.14 * len(bars))
    figure, axes = canvas.framed(size, (1, 1), (0.05, 0.05, 0.05, 0.05))
    ax = axes[0, 0]
    ax.set_axis_off()
    ax.set_xlim(0.4 - 0.22 * count, count + 0.6 + 0.22 * count)
    ax.plot([1, count], [0, 0], color=INK, lw=1.2)
    for tick in range(1, count + 1):
        ax.plot([tick, tick], [0, 0.12], color=INK, lw=1.0)
        ax.text(tick, 0.2, str(tick), ha="center", va="bottom", fontsize=9)
    ax.plot([1, min(count, 1 + ranking.critical)], [0.95] * 2, color=INK, lw=1.5, marker="|", ms=7)
    ax.text(1, 1.1, f"critical difference {ranking.critical:.2f}", fontsize=9, va="bottom")
    below = -0.3 - 0.28 * len(bars)
    for k, (name, rank) in enumerate(zip(ranking.names, ranking.ranks, strict=True)):
        left = k < half
        level = below - 0.45 * (k if left else count - 1 - k)
        edge = 0.9 if left else count + 0.1
        method = name_of(name.rsplit(" ", 1)[0])
        ties = [j for j, other in enumerate(ranking.ranks) if other == rank]
        beside = offset_copy(ax.transData, figure, 6 * (ties.index(k) - (len(ties) - 1) / 2), units="points")
        ax.plot(rank, 0, marker=marker(method), color=colour(method), ms=5, zorder=4, transform=beside)
        ax.plot([rank, rank, edge], [0, level, level], color=MUTED, lw=0.9, transform=beside)
        text = f"{name}  ({rank:.2f})" if left else f"({rank:.2f})  {name}"
        ax.text(edge - 0.1 if left else edge + 0.1, level, text, va="center", ha="right" if left else "left")
    for b, (first, last) in enumerate(bars):
        height = -0.25 - 0.28 * b
        ends = [ranking.ranks[first] - 0.06, ranking.ranks[last] + 0.06]
        ax.plot(ends, [height, height], color=INK, lw=3.2, solid_capstyle="round", zorder=3)
    ax.set_ylim(below - 0.45 * half - 0.1, 1.7)
    return figure

"""The figures of the thesis from the cells of its tables: dots with bars (5.1), learning curves (5.3), ranks."""

from collections.abc import Sequence

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from dgpexp.drawing.style import FAINT, INK, MUTED, RC, colour, marker, panels
from dgpexp.methods import method_name, name_of
from dgpexp.predictive.metrics import METRICS, headline
from dgpexp.report.cells import Cell
from dgpexp.report.grid import Grid
from dgpexp.report.statistics.comparisons import Ranking
from dgpexp.report.statistics.stats import cliques
from dgpexp.tasks import REGRESSION


def dots(grid: Grid) -> Figure:
    """Figures 5.1.1 and 5.1.2: a panel a data set; ours filled, the thesis's hollow just below it."""
    with mpl.rc_context(RC):
        columns = 4
        lines = -(-len(grid.rows) // columns)
        size = (11.5, 1.0 + 3.5 * lines)
        figure, axes = panels(size, (lines, columns), (0.95, 0.15, 0.75, 0.75), (0.2, 0.55))
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
        figure.legend(handles=_legend(methods), loc="upper center", ncols=len(methods) + 1, frameon=False)
        return figure


def _panel(ax: Axes, title: str, cells: Sequence[Cell]) -> None:
    ax.set_title(title)
    ax.grid(axis="x")
    ax.tick_params(length=0)
    ax.xaxis.set_major_locator(MaxNLocator(4))
    ax.set_ylim(len(cells) - 0.4, -0.6)  # the first column on top
    for method in dict.fromkeys(c.method for c in cells):
        rows = [j for j, c in enumerate(cells) if c.method == method]
        if rows[0]:
            ax.axhline(rows[0] - 0.5, color=FAINT, lw=0.8, zorder=0)
        ours = [(cells[j].mean, j - 0.12, cells[j].stderr or 0.0) for j in rows if cells[j].n]
        _bars(ax, method, ours, filled=True)
        for legible in (True, False):
            printed = [(p, j) for j in rows if (p := cells[j].published) and p.mean and p.legible == legible]
            theirs = [(p.mean, j + 0.22, p.stderr or 0.0) for p, j in printed]
            _bars(ax, method, theirs, filled=False, alpha=1.0 if legible else 0.45)
    if any(c.published and not c.published.mean for c in cells):  # as a dot it would say more than was printed
        ax.set_title("thesis: 0.00 everywhere", loc="right", fontsize=8, color=MUTED)
    if not any(c.n or (c.published and c.published.mean) for c in cells):
        ax.set_xticks([])
        ax.text(0.5, 0.5, "no finished run yet", transform=ax.transAxes, ha="center", color=MUTED)


def _bars(ax: Axes, method: str, points: list[tuple[float, float, float]], filled: bool, alpha: float = 1.0) -> None:
    """Dots with bars at (value, height, standard error); hollow ones are smaller and thinner."""
    if not points:
        return
    x, y, error = zip(*points, strict=True)
    size = (5.0 if marker(method) == "D" else 6.0) - (0.0 if filled else 0.8)
    face = colour(method) if filled else "none"
    ax.errorbar(
        x, y, xerr=error, ls="none", marker=marker(method), color=colour(method), mfc=face, mec=colour(method), ms=size,
        mew=0.9, elinewidth=1.6 if filled else 0.8, zorder=3 if filled else 2, alpha=alpha,
    )  # fmt: skip


def _legend(methods: Sequence[str], hollow: bool = True) -> list[Line2D]:
    handles = [
        Line2D([], [], ls="none", marker=marker(m), color=colour(m), ms=6, label=f"{method_name(m)}") for m in methods
    ]
    if hollow:
        label = "hollow: the thesis (pale: ambiguous print)"
        handles.append(Line2D([], [], ls="none", marker="o", mfc="none", mec=MUTED, ms=6, label=label))
    return handles


def curves(dataset: str, series: dict[tuple[str, int | None], pd.DataFrame], grid: Grid | None, remark: str) -> Figure:
    """Figures 5.3.1 and 5.3.2: RMSE and log-likelihood on the test set against seconds of training (log axis)."""
    with mpl.rc_context(RC):
        figure, axes = panels((10.0, 4.1), (1, 2), (0.6, 0.15, 0.85, 0.6), (0.65, 0.0))
        for ax, metric in zip(axes[0], headline(REGRESSION), strict=True):
            ax.set_xscale("log")
            ax.grid(True)
            ax.set_xlabel("seconds of training")
            ax.set_title(METRICS[metric].label)
            last = 0.0
            for (method, samples), curve in series.items():
                seen = curve[(curve["train_seconds"] > 0) & curve[metric].notna()]
                if seen.empty:
                    continue
                last = max(last, float(seen["train_seconds"].iloc[-1]))
                ax.plot(
                    seen["train_seconds"], seen[metric], color=colour(method), lw=1.5, marker=marker(method), ms=4.5,
                    ls="--" if samples == 20 else "-", markevery=_sparse(len(seen)),
                    label=method_name(method) + (f"-{samples}" if samples else ""),
                )  # fmt: skip
            _view(ax, [c[metric] for c in series.values()])
            _plain_decades(ax)
            for c in grid.cells.values() if grid and last else ():
                if c.metric == metric and c.published:
                    ax.plot(
                        last * 1.35, c.published.mean, marker=marker(c.method), mfc="none", mec=colour(c.method),
                        ms=6, ls="none", alpha=0.55 if c.samples == 20 else 1.0,
                    )  # fmt: skip
        handles, _ = axes[0, 0].get_legend_handles_labels()
        hollow = _legend([])[0]
        hollow.set_label("hollow, at the right: the thesis's final value")
        figure.legend(handles=[*handles, hollow], loc="lower center", ncols=6, frameon=False)
        figure.suptitle(dataset + (f": {remark}" if remark else ""), fontsize=8.5, color=MUTED)
        return figure


def _plain_decades(ax: Axes) -> None:
    """0.1, 1, 10, ... ; between two decades 1, 2, 5 as well."""
    low, high = ax.get_xlim()
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0,) if high > 100 * low else (1.0, 2.0, 5.0)))
    ax.xaxis.set_major_formatter("{x:g}")
    ax.xaxis.set_minor_formatter(NullFormatter())


def _sparse(n: int) -> list[int]:
    """About eight markers, evenly spread on a log axis."""
    return sorted({min(n - 1, round(n ** (k / 7)) - 1) for k in range(8)}) if n else []


def _view(ax: Axes, values: Sequence[pd.Series]) -> None:
    """The first steps are wild; show what the later nine tenths of every curve span, with room for the thesis."""
    tails = pd.concat([v.dropna().iloc[len(v) // 10 :] for v in values]) if values else pd.Series(dtype=float)
    if len(tails) > 1:
        low, high = float(tails.quantile(0.01)), float(tails.quantile(0.99))
        room = 0.15 * (high - low) or 0.1
        ax.set_ylim(low - room, high + room)


def ranks(ranking: Ranking) -> Figure:
    """A critical-difference diagram: average ranks on a line; bars join what the Nemenyi test cannot tell apart."""
    with mpl.rc_context(RC):
        count = len(ranking.names)
        half = -(-count // 2)
        bars = cliques(ranking.ranks, ranking.critical)
        size = (8.0, 1.0 + 0.24 * half + 0.14 * len(bars))
        figure, axes = panels(size, (1, 1), (0.05, 0.05, 0.05, 0.05))
        ax = axes[0, 0]
        ax.set_axis_off()
        ax.set_xlim(0.4 - 0.22 * count, count + 0.6 + 0.22 * count)
        top = 0.0
        ax.plot([1, count], [top, top], color=INK, lw=1.2)
        for tick in range(1, count + 1):
            ax.plot([tick, tick], [top, top + 0.12], color=INK, lw=1.0)
            ax.text(tick, top + 0.2, str(tick), ha="center", va="bottom", fontsize=8)
        ax.plot([1, min(count, 1 + ranking.critical)], [top + 0.95] * 2, color=INK, lw=1.5, marker="|", ms=7)
        ax.text(1, top + 1.1, f"critical difference {ranking.critical:.2f}", fontsize=8, va="bottom")
        below = top - 0.3 - 0.28 * len(bars)
        for k, (name, rank) in enumerate(zip(ranking.names, ranking.ranks, strict=True)):
            left = k < half
            level = below - 0.45 * (k if left else count - 1 - k)
            edge = 0.9 if left else count + 0.1
            method = name_of(name.rsplit(" ", 1)[0])
            ax.plot([rank, rank, edge], [top, level, level], color=MUTED, lw=0.9)
            ax.plot(rank, top, marker=marker(method), color=colour(method), ms=5, zorder=4)
            text = f"{name}  ({rank:.2f})" if left else f"({rank:.2f})  {name}"
            ax.text(edge - 0.1 if left else edge + 0.1, level, text, va="center", ha="right" if left else "left")
        for b, (first, last) in enumerate(bars):
            height = top - 0.25 - 0.28 * b
            ends = [ranking.ranks[first] - 0.04, ranking.ranks[last] + 0.04]
            ax.plot(ends, [height, height], color=INK, lw=3.2, solid_capstyle="round", zorder=3)
        ax.set_ylim(below - 0.45 * half - 0.1, top + 1.7)
        return figure


def learning(run_id: str, curve: pd.DataFrame) -> Figure:
    """One run: objective and watched metrics by step."""
    with mpl.rc_context(RC):
        watched = {name: f"test {METRICS[name].heading}" for name in curve.columns if name in METRICS}
        parts = {"objective": "objective a data point", **watched}
        figure, axes = panels((11.0, 3.4), (1, len(parts)), (0.6, 0.15, 0.55, 0.7), (0.6, 0.0))
        for ax, (name, label) in zip(axes[0], parts.items(), strict=True):
            seen = curve.dropna(subset=[name])
            ax.plot(seen["step"], seen[name], color=colour(run_id.rsplit("-", 4)[1] if "-" in run_id else ""), lw=1.5)
            ax.set_title(label)
            ax.set_xlabel("step")
            ax.grid(True)
        figure.suptitle(run_id, fontsize=9, color=MUTED)
        return figure

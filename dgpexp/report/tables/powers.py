"""Power EP against its power α: what α buys, each value also paired with α = 1, which is AEPMCM.

`dgpexp run uci --method pep --set alpha=0.25` and its like leave runs that differ in α alone. Splits move a data set by
more than α does, so under every mean stands the mean difference from α = 1 over the splits that both have.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from dgpexp.drawing import canvas
from dgpexp.drawing.palette import MUTED, colour, marker
from dgpexp.predictive.metrics import METRICS
from dgpexp.report.cells import Cell
from dgpexp.report.grid import Column, Grid, Section, Sketch
from dgpexp.report.material import Material
from dgpexp.report.statistics.stats import average
from dgpexp.store.stored_run import COMPLETED

RELATIVES = Section(
    "relatives",
    "Relatives",
    "Methods beside the thesis's three, in experiments of their own: power EP between VI and AEPMCM, and random "
    "features on the folds of their paper.",
)
METHOD = "pep"
WHOLE = 1.0  # the α of AEPMCM
SHOWN = ("ll", "rmse", "coverage90")
_CAPTION = (
    "Difference from α = 1, which is AEPMCM, on the same splits, with its standard error: above 0 a log-likelihood is "
    "better, an RMSE worse. Coverage of 90 % intervals as it is. Towards α = 0 lies VI."
)


@dataclass(frozen=True)
class Powers:
    """The runs of one data set and depth that differ in α and split only."""

    dataset: str
    layers: int
    runs: dict[float, pd.DataFrame]  # by α: the metrics of every split

    def values(self, alpha: float, metric: str) -> list[float]:
        """One for each split."""
        return self.runs[alpha][metric].dropna().tolist() if alpha in self.runs else []

    def differences(self, alpha: float, metric: str) -> list[float]:
        """From α = 1, one for each split that both have; none for α = 1 itself."""
        if alpha == WHOLE or not {alpha, WHOLE} <= set(self.runs):
            return []
        return (self.runs[alpha][metric] - self.runs[WHOLE][metric]).dropna().tolist()


def gather(runs: pd.DataFrame) -> list[Powers]:
    """Every data set and depth with runs at several α; of settings that differ otherwise, those with the most runs."""
    done = runs[(runs["status"] == COMPLETED) & (runs["method"] == METHOD)]
    read = pd.DataFrame([_parted(text) for text in done["settings"]], done.index, columns=["alpha", "rest"])
    done = done.join(read).dropna(subset=["alpha", "layers", "split"])
    found = []
    for (dataset, layers), cell in done.groupby(["dataset", "layers"]):
        same = [g for _, g in cell.groupby("rest") if g["alpha"].nunique() > 1]
        if same:
            chosen = max(same, key=len)
            by_alpha = {float(str(a)): g.set_index("split")[list(SHOWN)] for a, g in chosen.groupby("alpha")}
            found.append(Powers(str(dataset), int(str(layers)), by_alpha))
    return found


def _parted(settings: Any) -> tuple[float | None, str]:
    """α, and all other settings as text."""
    try:
        read = json.loads(settings)
        return float(read.pop("alpha")), json.dumps(read, sort_keys=True)
    except (TypeError, ValueError, KeyError, AttributeError):
        return None, ""


def grids(found: Material) -> list[Grid]:
    """A table for each metric: data sets down, α across; nothing where no α was varied."""
    powers = gather(found.source.runs)
    return [_grid(metric, powers) for metric in SHOWN] if powers else []


def figures(report: Material) -> Iterator[Sketch]:
    """The differences from α = 1."""
    if powers := gather(report.source.runs):
        yield Sketch("power", RELATIVES, "Power EP against α", _CAPTION, drawn(powers))


def _grid(metric: str, found: list[Powers]) -> Grid:
    alphas = sorted({alpha for p in found for alpha in p.runs})
    rows: list[str] = []
    cells: dict[tuple[int, int], Cell] = {}
    for p in found:
        name = f"{p.dataset} {p.layers}"
        parts = [(name, p.values)]
        if METRICS[metric].nominal is None:
            parts.append((f"{name}, less α = 1", p.differences))
        for label, numbers in parts:
            for j, alpha in enumerate(alphas):
                cells[len(rows), j] = _cell(p, metric, numbers(alpha, metric), f"α = {alpha:g}")
            rows.append(label)
    about = METRICS[metric]
    caption = f"{about.label[0].upper()}{about.label[1:]}, mean (standard error) over splits; {about.direction}."
    if about.nominal is None:
        caption += " Below it the mean difference from α = 1 on the same splits."
    columns = tuple(Column("", f"α = {alpha:g}") for alpha in alphas)
    title = f"Power EP against α: {about.heading}"
    return Grid(RELATIVES, f"power-{metric}", title, caption, "data set and depth", tuple(rows), columns, cells)


def _cell(p: Powers, metric: str, numbers: list[float], note: str) -> Cell:
    s = average(numbers)
    verdict, anchor = ("ours only" if s.n else "empty"), f"cell-{p.dataset}-{METHOD}-{p.layers}"
    return Cell(
        p.dataset, METHOD, p.layers, None, metric, s.n, s.n, s.mean, s.stderr, verdict=verdict, note=note, anchor=anchor
    )


@canvas.for_page()
def drawn(found: Sequence[Powers]) -> Figure:
    """A column for each data set, a row for each metric: differences from α = 1, coverage as it is."""
    size = (1.3 + 2.5 * len(found), 1.0 + 1.9 * len(SHOWN))
    figure, axes = canvas.framed(size, (len(SHOWN), len(found)), (0.75, 0.15, 0.55, 0.45), (0.55, 0.3))
    for column, p in enumerate(found):
        axes[0, column].set_title(f"{p.dataset}, {p.layers} layers")
        for row, metric in enumerate(SHOWN):
            _draw(axes[row, column], p, metric)
        axes[-1, column].set_xlabel("α")
    for row, metric in enumerate(SHOWN):
        about = METRICS[metric]
        axes[row, 0].set_ylabel(about.brief if about.nominal is not None else f"{about.brief}, less that of α = 1")
    return figure


def _draw(ax: Axes, p: Powers, metric: str) -> None:
    nominal = METRICS[metric].nominal
    numbers = p.values if nominal is not None else p.differences
    found = {alpha: average(numbers(alpha, metric)) for alpha in sorted(p.runs)}
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

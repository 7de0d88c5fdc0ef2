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

from dgpexp.drawing.palette import MUTED
from dgpexp.predictive.metrics import METRICS
from dgpexp.report.cells import Cell, averaged
from dgpexp.report.grid import Column, Grid, Section, Sketch, caption, cells_of
from dgpexp.report.plots import charts
from dgpexp.report.source import Material
from dgpexp.report.statistics.stats import Average, average
from dgpexp.store.stored_run import COMPLETED
from dgpexp.store.tidy_table import recorded_settings

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
    read = recorded_settings(settings)
    return read.pop("alpha", None), json.dumps(read, sort_keys=True)


def grids(found: Material) -> list[Grid]:
    """A table for each metric: data sets down, α across; nothing where no α was varied."""
    powers = gather(found.source.runs)
    return [_grid(metric, powers) for metric in SHOWN] if powers else []


def figures(report: Material) -> Iterator[Sketch]:
    """The differences from α = 1."""
    if powers := gather(report.source.runs):
        yield Sketch("power", RELATIVES, "Power EP against α", _CAPTION, drawn(powers))


def _grid(metric: str, found: list[Powers]) -> Grid:
    alphas, about = sorted({alpha for p in found for alpha in p.runs}), METRICS[metric]
    rows = {f"{p.dataset} {p.layers}{less}": (p, bool(less)) for p in found for less in ("", ", less α = 1")}
    if about.nominal is not None:
        rows = {name: row for name, row in rows.items() if not row[1]}
    cells = cells_of(rows.values(), alphas, lambda row, alpha: _cell(*row, metric, alpha))
    below = "" if about.nominal is not None else " Below it the mean difference from α = 1 on the same splits."
    columns = tuple(Column("", f"α = {alpha:g}") for alpha in alphas)
    title = f"Power EP against α: {about.heading}"
    return Grid(
        RELATIVES, f"power-{metric}", title, caption(metric) + below, "data set and depth", tuple(rows), columns, cells
    )


def _cell(p: Powers, less: bool, metric: str, alpha: float) -> Cell:
    numbers = (p.differences if less else p.values)(alpha, metric)
    return averaged((p.dataset, METHOD, p.layers, None), metric, numbers, f"α = {alpha:g}")


def drawn(found: Sequence[Powers]) -> Figure:
    """A column for each data set, a row for each metric: differences from α = 1, coverage as it is."""

    def draw(ax: Axes, column: int, metric: str) -> None:
        p, nominal = found[column], METRICS[metric].nominal
        numbers = p.differences if nominal is None else p.values
        points = {alpha: s for alpha in sorted(p.runs) if (s := average(numbers(alpha, metric))).n}
        if nominal is None and WHOLE in p.runs:
            points[WHOLE] = Average(0, 0.0, None, None)  # what the others are compared with
        ax.axhline(nominal or 0.0, color=MUTED, lw=0.8, ls="--")
        charts.steps(ax, METHOD, points)
        ax.set(xlim=(-0.05, 1.05), xticks=(0, 0.25, 0.5, 0.75, 1))
        ax.yaxis.set_major_locator(MaxNLocator(5))

    of_one = {metric: "" if METRICS[metric].nominal is not None else ", less that of α = 1" for metric in SHOWN}
    labels = {metric: METRICS[metric].brief + text for metric, text in of_one.items()}
    return charts.by_metric([f"{p.dataset}, {p.layers} layers" for p in found], labels, "α", draw)

"""Power EP against its power α: the tables of what α buys, each value also paired with α = 1, which is AEPMCM.

`dgpexp run uci --method pep --set alpha=0.25` and its like leave runs that differ in α alone. Splits move a data set by
more than α does, so under every mean stands the mean difference from α = 1 over the splits that both have.
"""

import json
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dgpexp.predictive.metrics import METRICS
from dgpexp.report.cells import Cell
from dgpexp.report.grid import Column, Grid
from dgpexp.report.statistics.stats import summarise
from dgpexp.store.stored_run import COMPLETED

METHOD = "pep"
WHOLE = 1.0  # the α of AEPMCM
SHOWN = ("ll", "rmse", "coverage90")


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


def grids(found: list[Powers]) -> list[Grid]:
    """A table a metric: data sets down, α across; nothing where no α was varied."""
    return [_grid(metric, found) for metric in SHOWN] if found else []


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
    return Grid(f"power-{metric}", title, caption, "data set and depth", tuple(rows), columns, cells)


def _cell(p: Powers, metric: str, numbers: list[float], note: str) -> Cell:
    s = summarise(numbers)
    verdict, anchor = ("ours only" if s.n else "empty"), f"cell-{p.dataset}-{METHOD}-{p.layers}"
    return Cell(
        p.dataset, METHOD, p.layers, None, metric, s.n, s.n, s.mean, s.stderr, verdict=verdict, note=note, anchor=anchor
    )

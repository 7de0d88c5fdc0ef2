"""An experiment of the user's own: a table for each metric, and a figure for each number that was swept.

Data sets stand down; across stand the methods, and the settings in which the runs differ. Runs of the experiments that
dgpexp ships, and of tables of the user's own, are left to the other tables.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dgpexp.methods import METHODS, method_name
from dgpexp.plan.protocol import CSV, concerns, shipped_protocols
from dgpexp.predictive.metrics import METRICS, headline
from dgpexp.report.cells import Cell, averaged
from dgpexp.report.grid import Column, Grid, Section, Sketch, caption, cells_of
from dgpexp.report.plots import charts
from dgpexp.report.source import Material
from dgpexp.report.statistics.stats import average
from dgpexp.store.stored_run import COMPLETED
from dgpexp.store.tidy_table import recorded_settings
from dgpexp.tasks import TASKS

SECTION = Section("sweeps", "Your experiments")
_SHOWN = tuple(dict.fromkeys(key for task in TASKS.values() for key in headline(task)))


def gather(runs: pd.DataFrame) -> tuple[pd.DataFrame, list[str]]:
    """The finished runs of the user's experiments with a column for each setting that varies, and these settings."""
    stems = runs["experiment"].astype(str).str.partition("+")[0] if len(runs) else pd.Series(dtype=str)
    own = ~stems.isin([*shipped_protocols(), CSV, ""])
    done = runs[(runs["status"] == COMPLETED) & own & runs["layers"].notna()] if len(runs) else runs
    settings = pd.DataFrame([recorded_settings(text) for text in done["settings"]], done.index)
    varied = [str(key) for key in settings if settings[key].astype(str).nunique() > 1]
    found = done.drop(columns=varied, errors="ignore").join(settings[varied])
    return found.sort_values(["layers", *varied], kind="stable"), varied


def alone(found: Material) -> bool:
    """Whether a profile has runs of the user's experiments and no others."""
    runs = found.source.runs
    return len(runs) > 0 and len(gather(runs)[0]) == int((runs["status"] == COMPLETED).sum()) > 0


def grids(found: Material) -> list[Grid]:
    """A table for each metric that the runs have."""
    runs, varied = gather(found.source.runs)
    return [_grid(metric, runs, varied) for metric in _SHOWN if metric in runs and runs[metric].notna().any()]


def _grid(metric: str, runs: pd.DataFrame, varied: list[str]) -> Grid:
    labels = [_label(row, varied) for row in runs.to_dict("records")]
    columns = sorted(dict.fromkeys(labels), key=lambda label: (list(METHODS).index(label[0]), label[1]))
    datasets, entries = sorted(runs["dataset"].unique()), list(zip(runs["dataset"], labels, strict=True))

    def entry(dataset: str, label: tuple[str, int, str]) -> Cell:
        method, layers, rest = label
        values = runs.loc[[place == (dataset, label) for place in entries], metric].dropna().tolist()
        return averaged((dataset, method, layers, None), metric, values, rest)

    heads = tuple(Column(f"{method_name(method)} {layers}", rest) for method, layers, rest in columns)
    title, cells = f"Your experiment: {METRICS[metric].heading}", cells_of(datasets, columns, entry)
    return Grid(SECTION, f"sweep-{metric}", title, caption(metric), "data set", tuple(datasets), heads, cells)


def _label(row: dict[Any, Any], varied: list[str]) -> tuple[str, int, str]:
    """Method, depth, and the values of the settings that vary and concern the method."""
    rest = ", ".join(f"{key} {row[key]}" for key in varied if concerns(key, row["method"]))
    return row["method"], int(row["layers"]), rest


def figures(report: Material) -> Iterator[Sketch]:
    """Each metric against each number that was swept."""
    runs, varied = gather(report.source.runs)
    metrics = [metric for metric in _SHOWN if metric in runs and runs[metric].notna().any()]
    for key in [key for key in varied if pd.api.types.is_numeric_dtype(runs[key]) and runs[key].dtype != bool]:
        caption = f"Mean over splits with its standard error against {key}."
        yield Sketch(
            f"sweep-{key}", SECTION, f"Your experiment against {key}", caption, drawn(runs, varied, key, metrics)
        )


def drawn(runs: pd.DataFrame, varied: list[str], key: str, metrics: list[str]) -> Figure:
    """A column for each data set, a row for each metric, a line for each method, depth and further setting."""
    datasets, others = sorted(runs["dataset"].unique()), [k for k in varied if k != key]

    def draw(ax: Axes, column: int, metric: str) -> None:
        here = runs[runs["dataset"] == datasets[column]]
        labels = [_label(row, others) for row in here.to_dict("records")]
        for label in dict.fromkeys(labels):
            line = here[[one == label for one in labels]]
            points = {x: average(part[metric].dropna().tolist()) for x, part in line.groupby(key)}
            charts.steps(ax, label[0], points, label=f"{method_name(label[0])} {label[1]} {label[2]}".strip())

    figure = charts.by_metric(datasets, {metric: METRICS[metric].brief for metric in metrics}, key, draw)
    figure.axes[0].legend(fontsize=7)
    return figure

"""Virtual workers that wait for nobody (profile `async`): the error after the last update, for each number of them."""

from collections.abc import Iterator

from dgpexp.figures import registry
from dgpexp.figures.deep import virtual_workers
from dgpexp.methods import METHODS, method_name
from dgpexp.predictive.metrics import METRICS
from dgpexp.report.cells import Cell
from dgpexp.report.grid import Column, Grid, Section, Sketch
from dgpexp.report.source import Material
from dgpexp.report.statistics.stats import average
from dgpexp.store.tidy_table import UPDATES

SECTION = Section("workers", "Workers that wait for nobody")


def alone(found: Material) -> bool:
    """Whether the profile is theirs: its runs differ in what other tables do not tell apart."""
    return found.profile == UPDATES and len(virtual_workers.gather(found.source.runs)) > 0


def grids(found: Material) -> list[Grid]:
    """Accuracy and log-likelihood: methods down, numbers of workers across."""
    return [_grid(metric, found) for metric in ("accuracy", "ll")] if alone(found) else []


def _grid(metric: str, found: Material) -> Grid:
    runs = virtual_workers.gather(found.source.runs)
    methods, counts = [name for name in METHODS if name in set(runs["method"])], sorted(set(runs["workers"]))
    cells = {}
    for i, method in enumerate(methods):
        for j, count in enumerate(counts):
            same = runs[(runs["method"] == method) & (runs["workers"] == count)]
            s = average(same[metric].dropna().tolist())
            about = str(same["dataset"].iloc[0]), method, int(same["layers"].iloc[0]), None, metric
            cells[i, j] = Cell(*about, s.n, s.n, s.mean, s.stderr, verdict="ours only")
    caption = "Mean (standard error) over seeds after the last update, on 1,000 test images."
    columns = tuple(Column("workers", str(count)) for count in counts)
    title = f"Asynchronous updates: {METRICS[metric].heading}"
    return Grid(
        SECTION, f"workers-{metric}", title, caption, "method", tuple(map(method_name, methods)), columns, cells
    )


def figures(report: Material) -> Iterator[Sketch]:
    """Error against updates and against modelled time."""
    if alone(report):
        about = registry.describe("virtual-workers")
        figure = virtual_workers.drawn(virtual_workers.gather(report.source.runs), report.source.curve)
        yield Sketch("workers", SECTION, about.title, about.caption, figure)

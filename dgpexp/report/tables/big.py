"""Section 5.3: Tables 5.3.1 and 5.3.2 on year and airline, and their curves against the time of training."""

from collections.abc import Iterator

from dgpexp.predictive.metrics import METRICS, headline
from dgpexp.report import comparable
from dgpexp.report.cells import called, cell
from dgpexp.report.grid import Column, Grid, Section, Sketch
from dgpexp.report.plots import curves
from dgpexp.report.plots.curves import Series
from dgpexp.report.published import BIG
from dgpexp.report.source import Material
from dgpexp.tasks import REGRESSION

SECTION = Section("big", "5.3 Big data")
_TIME = "seconds_per_step"


def grids(found: Material) -> list[Grid]:
    """A table for each of the two data sets."""
    return [grid(dataset, found) for dataset in BIG]


def grid(dataset: str, found: Material) -> Grid:
    """Methods with S down; time of a step, RMSE and log-likelihood across.

    Where a model was run on random numbers only, its time is shown, and marked.
    """
    table = f"5.3.{1 + BIG.index(dataset)}"
    known = dict.fromkeys((key[1], key[3]) for key, value in found.published.items() if value.table == table)
    every = (*found.groups.values(), *found.timed.values())
    ours = {(g.method, g.samples) for g in every if g.dataset == dataset and g.layers == 3}
    treatments = [*known, *sorted(ours - set(known), key=str)]
    rows = tuple(called(m, s) for m, s in treatments)
    metrics = (_TIME, *headline(REGRESSION))
    cells, random = {}, []
    for i, (method, samples) in enumerate(treatments):
        key = (dataset, method, 3, samples)
        for j, metric in enumerate(metrics):
            cells[i, j] = found.cell(key, metric)
        if not cells[i, 0].n and (instead := cell(key, _TIME, found.timed, found.published)).n:
            cells[i, 0] = instead
            random.append(rows[i])
    caption = (
        "3 layers of 8 units, M = 100, minibatch 100; final values are medians over the last 2000 steps. "
        "The clock counts training only; the thesis's machine was a six-core Xeon E5-2630 v3."
    )
    real = any(g.dataset == dataset and len(g.runs) for g in found.groups.values())
    remarks = (
        comparable.remark(dataset),
        f"{METRICS[_TIME].heading} of {', '.join(random)}: {comparable.on_random_numbers(dataset)}" if random else "",
        "" if real else comparable.why_empty(dataset),
    )
    columns = tuple(Column("", METRICS[metric].heading) for metric in metrics)
    notes, title = tuple(filter(None, remarks)), f"Big data: {dataset}"
    return Grid(SECTION, table, title, caption, "method", rows, columns, cells, "column", notes=notes, numbered=True)


def figures(report: Material) -> Iterator[Sketch]:
    """Figures 5.3.1 and 5.3.2, where there are curves."""
    for dataset in BIG:
        series = _series(report, dataset)
        if not series:
            continue
        table, remark = grid(dataset, report), comparable.remark(dataset)
        caption = (
            "RMSE and log-likelihood on the test set against seconds of training, evaluation not counted. A line joins "
            "medians over intervals of equal length on the axis; in its band lies half of the evaluations. "
        ) + (f"Note: {remark}." if remark else "")
        figure = curves.curves(dataset, series, table, remark)
        yield Sketch(table.id, SECTION, f"Figure {table.id}. {dataset}", caption, figure)


def _series(report: Material, dataset: str) -> Series:
    """The learning curves of the data set by method and S."""
    found = {}
    for g in report.groups.values():
        if g.dataset == dataset and len(g.runs) and g.layers == 3:
            curve = report.source.curve(str(g.runs["run_id"].iloc[0]))
            if len(curve):
                found[g.method, g.samples] = curve
    return found

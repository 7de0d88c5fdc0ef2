"""Section 5.1: Tables 5.1.1 and 5.1.2 on the UCI sets, their figures, and the metrics that the thesis did not print."""

from collections.abc import Iterator

from dgpexp.predictive.metrics import METRICS, tabled
from dgpexp.report.grid import Grid, Section, Sketch, by_depth
from dgpexp.report.plots import charts
from dgpexp.report.published import DEPTHS, METHODS, UCI, in_order
from dgpexp.report.source import Material
from dgpexp.tasks import REGRESSION

SECTION = Section("uci", "5.1 Regression", more="CRPS, coverage and tails: tables that the thesis does not print")
_NUMBERS = {"rmse": "5.1.1", "ll": "5.1.2"}  # the tables of the thesis by what they show


def grids(found: Material) -> list[Grid]:
    """A table for every metric that was measured, those of the thesis among them."""
    made = [grid(metric.key, found) for metric in tabled(REGRESSION)]
    return [g for g in made if g.numbered or any(c.n for c in g.cells.values())]


def grid(metric: str, found: Material) -> Grid:
    """Data sets down, method and depth across."""
    number, heading = _NUMBERS.get(metric), METRICS[metric].heading
    ours = [g for g in found.groups.values() if g.section == SECTION.id]
    datasets, methods = in_order(UCI, (g.dataset for g in ours)), in_order(METHODS, (g.method for g in ours))
    depths = {m: {*(DEPTHS if m in METHODS else ()), *(g.layers for g in ours if g.method == m)} for m in methods}
    treatments = [(m, d) for m in methods for d in sorted(depths[m])]
    title = heading[0].upper() + heading[1:] + (" on the UCI data sets" if number else "")
    notes = ("AEP on protein: the thesis left it empty (“excessive computation time”).",) if number else ()
    table, printed = number or metric.replace("_", "-"), bool(number)
    caption = METRICS[metric].caption
    return by_depth(
        SECTION, table, title, caption, metric, datasets, treatments, found, notes=notes, numbered=printed, main=printed
    )


def figures(report: Material) -> Iterator[Sketch]:
    """Figures 5.1.1 and 5.1.2."""
    caption = (
        "One panel for each data set; mean and standard error over splits of each method and depth, ours filled, "
        "half filled if of a single split, the thesis's hollow below it. The numbers stand in the table."
    )
    for metric, number in _NUMBERS.items():
        table = grid(metric, report)
        yield Sketch(number, SECTION, f"Figure {number}. {table.title}", caption, charts.dots(table))

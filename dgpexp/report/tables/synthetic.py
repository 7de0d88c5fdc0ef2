"""Section 5.2: Tables 5.2.1 and 5.2.2 on generated data, with AEP, which the thesis did not show."""

from dgpexp.methods import method_name
from dgpexp.predictive.metrics import METRICS, headline
from dgpexp.report.grid import Column, Grid, Section, cells_of
from dgpexp.report.published import METHODS, SYNTHETIC, in_order
from dgpexp.report.source import Material
from dgpexp.tasks import REGRESSION

SECTION = Section("synthetic", "5.2 Predictive distribution")


def grids(found: Material) -> list[Grid]:
    """A table for every generated data set."""
    datasets = in_order(SYNTHETIC, (g.dataset for g in found.groups.values() if g.section == SECTION.id))
    return [grid(i, dataset, found) for i, dataset in enumerate(datasets, 1)]


def grid(number: int, dataset: str, found: Material) -> Grid:
    """Methods down, what is watched across."""
    methods = in_order(METHODS, (g.method for g in found.groups.values() if (g.dataset, g.layers) == (dataset, 3)))
    printed = dataset in SYNTHETIC
    table = f"5.2.{number}" if printed else dataset
    caption = "3 layers of 3 units; ours: mean (standard error) over seeds of data and training. "
    if printed:
        caption += "The thesis prints one run: the difference is counted in deviations of one run about our mean."
    else:
        caption += "The thesis prints no numbers for it."
    metrics = headline(REGRESSION)
    cells = cells_of(methods, metrics, lambda method, metric: found.cell((dataset, method, 3, None), metric))
    rows, columns = tuple(map(method_name, methods)), tuple(Column("", METRICS[m].heading) for m in metrics)
    title = f"Generated data: {dataset}"
    return Grid(SECTION, table, title, caption, "method", rows, columns, cells, "column", numbered=printed)

"""Section 5.2: Tables 5.2.1 and 5.2.2 on generated data, with AEP, which the thesis did not show."""

from dgpexp.methods import method_name
from dgpexp.predictive.metrics import METRICS, headline
from dgpexp.report.cells import cell
from dgpexp.report.grid import Column, Grid, Section
from dgpexp.report.material import Material, in_order
from dgpexp.report.published import METHODS, SYNTHETIC
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
    cells = {
        (i, j): cell((dataset, method, 3, None), metric, found.groups, found.published)
        for i, method in enumerate(methods)
        for j, metric in enumerate(headline(REGRESSION))
    }
    rows = tuple(map(method_name, methods))
    columns = tuple(Column("", METRICS[metric].heading) for metric in headline(REGRESSION))
    title = f"Generated data: {dataset}"
    return Grid(SECTION, table, title, caption, "method", rows, columns, cells, "column", numbered=printed)

"""The tables of the report: each module here gathers its runs, makes its grids, and draws the figures beside them.

A module has `grids(found: Material) -> list[Grid]` and, if it draws, `figures(report: Report) -> Iterator[Sketch]`. A
grid names its section, and the page, the terminal, the exports and the JSON show whatever is here. To add a table,
write a module and name it in MODULES.
"""

from collections.abc import Iterator
from typing import Any

from dgpexp.report.grid import Grid, Sketch
from dgpexp.report.source import Material
from dgpexp.report.tables import big, classification, own, paper_folds, powers, regression, sweeps, synthetic, workers

MODULES: tuple[Any, ...] = (
    regression,
    synthetic,
    big,
    classification,
    powers,
    paper_folds,
    own,
    sweeps,
)  # as on the page


def all_grids(found: Material) -> list[Grid]:
    """Every table, in the order of the page."""
    return [grid for module in _modules(found) for grid in module.grids(found)]


def all_figures(report: Any) -> Iterator[Sketch]:
    """Every figure that stands beside a table of the report."""
    for module in _modules(report):
        if hasattr(module, "figures"):
            yield from module.figures(report)


def _modules(found: Any) -> tuple[Any, ...]:
    """All tables; of a profile whose runs only one of them can tell apart, that alone."""
    return tuple(module for module in (sweeps, workers) if module.alone(found)) or MODULES

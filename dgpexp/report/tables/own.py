"""Tables of the user's own: a row for each data set, method and depth, one table for each task."""

from dgpexp.methods import method_name
from dgpexp.predictive.metrics import MEAN, OVER_SPLITS, OWN, metrics_of
from dgpexp.report.cells import Entry
from dgpexp.report.grid import Column, Grid, Section, cells_of
from dgpexp.report.source import Material
from dgpexp.tasks import REGRESSION, TASKS, Task

SECTION = Section("own", "Your data")


def grids(found: Material) -> list[Grid]:
    """One for each task that has runs."""
    own = [g for g in found.groups.values() if g.section == SECTION.id]
    by_task = {task: sorted(g.key for g in own if g.task is task) for task in TASKS.values()}
    return [_grid(task, keys, found) for task, keys in by_task.items() if keys]


def _grid(task: Task, keys: list[Entry], found: Material) -> Grid:
    rows = tuple(f"{d} · {method_name(m)} {layers}" for d, m, layers, _ in keys)
    metrics = [m for m in metrics_of(task) if OWN in m.shown]
    cells = cells_of(keys, metrics, lambda entry, metric: found.cell(entry, metric.key))
    columns = tuple(Column("", m.label) for m in metrics)
    caption = f"{(OVER_SPLITS if task.scaled else MEAN).capitalize()}."
    name, title = ("own", "") if task is REGRESSION else (f"own-{task.name}", f": {task.name}")
    notes = ("`dgpexp report NAME` makes a page of one of them, with pictures of how far to believe it.",)
    title = f"Data sets of your own{title}"
    return Grid(SECTION, name, title, caption, "data set · method", rows, columns, cells, "none", notes=notes)

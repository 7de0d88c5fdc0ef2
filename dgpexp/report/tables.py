"""The tables of the thesis, and those of the metrics that it did not print, as grids of cells."""

from collections.abc import Iterable

from dgpexp.methods import method_name
from dgpexp.predictive.metrics import MEAN, METRICS, OVER_SPLITS, OWN, headline, metrics_of, tabled
from dgpexp.report import comparable
from dgpexp.report.cells import Group, cell
from dgpexp.report.grid import Column, Grid
from dgpexp.report.published import BIG, DEPTHS, METHODS, SYNTHETIC, UCI, Key, Published, of_table
from dgpexp.tasks import CLASSIFICATION, REGRESSION, TASKS, Task

Groups = dict[tuple[str, str, int, int | None], Group]

_NUMBERS = {"rmse": "5.1.1", "ll": "5.1.2"}  # the tables of the thesis by what they show
_TIME = "seconds_per_step"


def all_grids(groups: Groups, published: dict[Key, Published], timed: Groups) -> list[Grid]:
    """Every table in the order of the page; `timed` are groups of runs on random numbers."""
    grids = [regression(metric.key, groups, published) for metric in tabled(REGRESSION)]
    grids += [synthetic(i, dataset, groups, published) for i, dataset in enumerate(_synthetic_sets(groups), 1)]
    grids += [big(i, dataset, groups, published, timed) for i, dataset in enumerate(BIG, 1)]
    if any(g.section == CLASSIFICATION.name for g in groups.values()):
        grids += [classification(metric.key, groups, published) for metric in tabled(CLASSIFICATION)]
    grids += [own(task, groups, published) for task in TASKS.values() if _own(task, groups)]
    return grids


def _ordered(known: Iterable, found: Iterable) -> list:
    """What the thesis has in its order, then what only we have."""
    known = list(known)
    return known + sorted(set(found) - set(known))


def regression(metric: str, groups: Groups, published: dict[Key, Published]) -> Grid:
    """Data sets down, method and depth across: Tables 5.1.1 and 5.1.2 and their siblings."""
    number, heading = _NUMBERS.get(metric), METRICS[metric].heading
    ours = [g for g in groups.values() if g.section == "uci"]
    datasets = _ordered(UCI, (g.dataset for g in ours))
    methods = _ordered(METHODS, (g.method for g in ours))
    extra = {(g.method, g.layers) for g in ours}
    treatments = [
        (m, d) for m in methods for d in sorted({*(DEPTHS if m in METHODS else ()), *(d for n, d in extra if n == m)})
    ]
    cells = {
        (i, j): cell((dataset, method, layers, None), metric, groups, published)
        for i, dataset in enumerate(datasets)
        for j, (method, layers) in enumerate(treatments)
    }
    columns = tuple(Column(method_name(m), str(d)) for m, d in treatments)
    notes = ("AEP on protein: the thesis left it empty (“excessive computation time”).",) if number else ()
    title = heading[0].upper() + heading[1:] + (" on the UCI data sets" if number else "")
    table, caption = number or metric.replace("_", "-"), METRICS[metric].caption
    return Grid(table, title, caption, "data set", tuple(datasets), columns, cells, "row", notes)


def classification(metric: str, groups: Groups, published: dict[Key, Published]) -> Grid:
    """Data sets down, method and depth across; the numbers of two other papers stand in the cells of their methods."""
    ours = [g for g in groups.values() if g.section == CLASSIFICATION.name]
    cells_of = {(g.dataset, g.method, g.layers) for g in ours}
    cells_of |= {(d, m, n) for d, m, n, _, name in published if n and name == metric and comparable.is_of_classes(d)}
    datasets = sorted({dataset for dataset, _, _ in cells_of})
    methods = _ordered(METHODS, (method for _, method, _ in cells_of))
    treatments = [(m, d) for m in methods for d in sorted({d for _, n, d in cells_of if n == m})]
    cells = {
        (i, j): cell((dataset, method, layers, None), metric, groups, published)
        for i, dataset in enumerate(datasets)
        for j, (method, layers) in enumerate(treatments)
    }
    columns = tuple(Column(method_name(m), str(d)) for m, d in treatments)
    heading = METRICS[metric].heading
    notes = ("spambase and eeg are tested on the folds of Cutajar et al. (2017), five each.",)
    table, title = f"{CLASSIFICATION.name}-{metric.replace('_', '-')}", f"Classification: {heading}"
    caption = METRICS[metric].caption.replace(OVER_SPLITS, MEAN)  # a class has no units
    return Grid(table, title, caption, "data set", tuple(datasets), columns, cells, "row", notes)


def _synthetic_sets(groups: Groups) -> list[str]:
    return _ordered(SYNTHETIC, (g.dataset for g in groups.values() if g.section == "synthetic"))


def synthetic(number: int, dataset: str, groups: Groups, published: dict[Key, Published]) -> Grid:
    """Methods down, what is watched across: Tables 5.2.1 and 5.2.2, with AEP, which the thesis did not show."""
    ours = {(g.method, g.layers) for g in groups.values() if g.dataset == dataset}
    treatments = _ordered(((m, 3) for m in METHODS), ours)
    table = f"5.2.{number}" if dataset in SYNTHETIC else dataset
    caption = "3 layers of 3 units; ours: mean (standard error) over seeds of data and training. "
    if dataset in SYNTHETIC:
        caption += "The thesis prints one run: the difference is counted in deviations of one run about our mean."
    else:
        caption += "The thesis prints no numbers for it."
    return _two_metrics(table, f"Generated data: {dataset}", caption, dataset, treatments, groups, published)


def own(task: Task, groups: Groups, published: dict[Key, Published]) -> Grid:
    """Data sets of the user's own, those of one task: one row per data set, method and depth."""
    keys = sorted(g.key for g in _own(task, groups))
    rows = tuple(f"{d} · {method_name(m)} {layers}" for d, m, layers, _ in keys)
    metrics = [m for m in metrics_of(task) if OWN in m.shown]
    cells = {(i, j): cell(k, m.key, groups, published) for i, k in enumerate(keys) for j, m in enumerate(metrics)}
    columns = tuple(Column("", m.label) for m in metrics)
    caption = f"{(OVER_SPLITS if task.scaled else MEAN).capitalize()}."
    name, title = ("own", "") if task is REGRESSION else (f"own-{task.name}", f": {task.name}")
    notes = ("`dgpexp report NAME` makes a page of one of them, with pictures of how far to believe it.",)
    title = f"Data sets of your own{title}"
    return Grid(name, title, caption, "data set · method", rows, columns, cells, "none", notes)


def _own(task: Task, groups: Groups) -> list[Group]:
    return [g for g in groups.values() if g.section == "own" and g.task is task]


def _two_metrics(
    table: str,
    title: str,
    caption: str,
    dataset: str,
    treatments: list,
    groups: Groups,
    published: dict[Key, Published],
) -> Grid:
    cells = {
        (i, j): cell((dataset, method, layers, None), metric, groups, published)
        for i, (method, layers) in enumerate(treatments)
        for j, metric in enumerate(headline(REGRESSION))
    }
    rows = tuple(method_name(m) if d == 3 else f"{method_name(m)} {d}" for m, d in treatments)
    columns = tuple(Column("", METRICS[metric].heading) for metric in headline(REGRESSION))
    return Grid(table, title, caption, "method", rows, columns, cells, "column")


def big(number: int, dataset: str, groups: Groups, published: dict[Key, Published], timed: Groups) -> Grid:
    """Methods with S down; time a step, RMSE and log-likelihood across: Tables 5.3.1 and 5.3.2.

    Where a model was run on random numbers only, its time is shown, and marked.
    """
    table = f"5.3.{number}"
    known = dict.fromkeys((method, samples) for (_, method, _, samples, _), _ in of_table(published, table))
    ours = [g for g in (*groups.values(), *timed.values()) if g.dataset == dataset and g.layers == 3]
    treatments = [*known, *sorted({(g.method, g.samples) for g in ours} - set(known), key=str)]
    rows = tuple(method_name(m) + (f"-{s}" if s else "") for m, s in treatments)
    metrics = (_TIME, *headline(REGRESSION))
    cells, random = {}, []
    for i, (method, samples) in enumerate(treatments):
        key = (dataset, method, 3, samples)
        for j, metric in enumerate(metrics):
            cells[i, j] = cell(key, metric, groups, published)
        if not cells[i, 0].n and (instead := cell(key, _TIME, timed, published)).n:
            cells[i, 0] = instead
            random.append(rows[i])
    caption = (
        "3 layers of 8 units, M = 100, minibatch 100; final values are medians over the last 2000 steps. "
        "The clock counts training only; the thesis's machine was a six-core Xeon E5-2630 v3."
    )
    real = any(g.dataset == dataset and len(g.runs) for g in groups.values())
    remarks = (
        comparable.remark(dataset),
        f"{METRICS[_TIME].heading} of {', '.join(random)}: {comparable.on_random_numbers(dataset)}" if random else "",
        "" if real else comparable.why_empty(dataset),
    )
    columns = tuple(Column("", METRICS[metric].heading) for metric in metrics)
    notes = tuple(filter(None, remarks))
    return Grid(table, f"Big data: {dataset}", caption, "method", rows, columns, cells, "column", notes)

"""The tables of the thesis, and the two it did not print (CRPS, coverage), as grids of cells."""

from collections.abc import Iterable

from dgpexp.methods import method_name
from dgpexp.predictive.metrics import METRICS
from dgpexp.report import comparable
from dgpexp.report.cells import Group, cell
from dgpexp.report.grid import Column, Grid
from dgpexp.report.published import BIG, DEPTHS, METHODS, SYNTHETIC, UCI, Key, Published

Groups = dict[tuple[str, str, int, int | None], Group]

_SPLITS = "mean (standard error) over splits, in the units of the target"
_INSIDE = "Share of test points inside the central {0} % interval; nearest {0} % is best. Not in the thesis."
_REGRESSION = {  # metric -> table, title, caption
    "rmse": ("5.1.1", "RMSE on the UCI data sets", f"Test RMSE, {_SPLITS}; lower is better."),
    "ll": (
        "5.1.2",
        "Log-likelihood on the UCI data sets",
        f"Test log-likelihood a point, {_SPLITS}; higher is better.",
    ),
    "crps": ("crps", "CRPS", f"Continuous ranked probability score, {_SPLITS}; lower is better. Not in the thesis."),
    "coverage50": ("coverage50", "Coverage of 50 % intervals", _INSIDE.format(50)),
    "coverage90": ("coverage90", "Coverage of 90 % intervals", _INSIDE.format(90)),
    "coverage95": ("coverage95", "Coverage of 95 % intervals", _INSIDE.format(95)),
    "ll_rounded": (
        "ll-rounded",
        "Log-likelihood of rounded targets",
        "Density averaged over the step to which the target was rounded (1 on wine, 0.001 on naval), its log a point: "
        "narrower peaks gain nothing; higher is better. Not in the thesis.",
    ),
    "ll_median": ("ll-median", "Log density of the median point", "The median test point of each split: no tail."),
    "ll_worst": ("ll-worst", "Log density of the worst point", "The worst test point of each split: heavy tails."),
}


def all_grids(groups: Groups, published: dict[Key, Published]) -> list[Grid]:
    """Every table in the order of the page."""
    grids = [regression(metric, groups, published) for metric in _REGRESSION]
    grids += [synthetic(i, dataset, groups, published) for i, dataset in enumerate(_synthetic_sets(groups), 1)]
    grids += [big(i, dataset, groups, published) for i, dataset in enumerate(BIG, 1)]
    if any(g.section == "own" for g in groups.values()):
        grids.append(own(groups, published))
    return grids


def _ordered(known: Iterable, found: Iterable) -> list:
    """What the thesis has in its order, then what only we have."""
    known = list(known)
    return known + sorted(set(found) - set(known))


def regression(metric: str, groups: Groups, published: dict[Key, Published]) -> Grid:
    """Data sets down, method and depth across: Tables 5.1.1 and 5.1.2 and their siblings."""
    table, title, caption = _REGRESSION[metric]
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
    notes = (
        ("AEP on protein: the thesis left it empty (“excessive computation time”).",)
        if metric in ("rmse", "ll")
        else ()
    )
    return Grid(table, title, caption, "data set", tuple(datasets), columns, cells, "row", notes)


def _synthetic_sets(groups: Groups) -> list[str]:
    return _ordered(SYNTHETIC, (g.dataset for g in groups.values() if g.section == "synthetic"))


def synthetic(number: int, dataset: str, groups: Groups, published: dict[Key, Published]) -> Grid:
    """Methods down, RMSE and log-likelihood across: Tables 5.2.1 and 5.2.2, with AEP, which the thesis did not show."""
    ours = {(g.method, g.layers) for g in groups.values() if g.dataset == dataset}
    treatments = _ordered(((m, 3) for m in METHODS), ours)
    table = f"5.2.{number}" if dataset in SYNTHETIC else dataset
    caption = "3 layers of 3 units; ours: mean (standard error) over seeds of data and training. "
    if dataset in SYNTHETIC:
        caption += "The thesis prints one run: the difference is counted in deviations of one run about our mean."
    else:
        caption += "The thesis prints no numbers for it."
    return _two_metrics(table, f"Generated data: {dataset}", caption, dataset, treatments, groups, published)


def own(groups: Groups, published: dict[Key, Published]) -> Grid:
    """Data sets of the user's own: one row per data set, method and depth."""
    keys = sorted(g.key for g in groups.values() if g.section == "own")
    rows = tuple(f"{d} · {method_name(m)} {layers}" for d, m, layers, _ in keys)
    metrics = ("rmse", "ll", "crps", "coverage90")
    cells = {(i, j): cell(k, m, groups, published) for i, k in enumerate(keys) for j, m in enumerate(metrics)}
    columns = tuple(Column("", METRICS[m].label) for m in metrics)
    return Grid(
        "own", "Data sets of your own", f"{_SPLITS.capitalize()}.", "data set · method", rows, columns, cells, "none"
    )


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
        for j, metric in enumerate(("rmse", "ll"))
    }
    rows = tuple(method_name(m) if d == 3 else f"{method_name(m)} {d}" for m, d in treatments)
    columns = (Column("", "RMSE"), Column("", "log-likelihood"))
    return Grid(table, title, caption, "method", rows, columns, cells, "column")


def big(number: int, name: str, groups: Groups, published: dict[Key, Published]) -> Grid:
    """Methods with S down; time a step, RMSE and log-likelihood across: Tables 5.3.1 and 5.3.2."""
    real = any(g.dataset == name and len(g.runs) for g in groups.values())
    shaped = any(g.dataset == name + comparable.SHAPE and len(g.runs) for g in groups.values())
    dataset = name + comparable.SHAPE if shaped and not real else name
    known = [("aepmcm", 10), ("aepmcm", 20), ("vi", 10), ("vi", 20), ("aep", None)]
    ours = {(g.method, g.samples) for g in groups.values() if g.dataset == dataset and g.layers == 3}
    treatments = known + sorted(ours - set(known), key=str)
    cells = {
        (i, j): cell((dataset, method, 3, samples), metric, groups, published)
        for i, (method, samples) in enumerate(treatments)
        for j, metric in enumerate(("seconds_per_step", "rmse", "ll"))
    }
    rows = tuple(method_name(m) + (f"-{s}" if s else "") for m, s in treatments)
    caption = (
        "3 layers of 8 units, M = 100, minibatch 100; final values are medians over the last 2000 steps. "
        "The clock counts training only; the thesis's machine was a six-core Xeon E5-2630 v3."
    )
    notes = tuple(
        filter(None, (comparable.remark(dataset), "" if real or shaped else comparable.why_empty(name, "", "big")))
    )
    columns = (Column("", "ms per step"), Column("", "RMSE"), Column("", "log-likelihood"))
    return Grid(f"5.3.{number}", f"Big data: {dataset}", caption, "method", rows, columns, cells, "column", notes)

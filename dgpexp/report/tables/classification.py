"""Classification, which the thesis leaves to future work: tables of every metric, reliability and confusion."""

from collections.abc import Iterator

from dgpexp.predictive.metrics import MEAN, METRICS, OVER_SPLITS, tabled
from dgpexp.report import comparable
from dgpexp.report.grid import Grid, Section, Sketch, by_depth
from dgpexp.report.plots import class_counts
from dgpexp.report.published import METHODS, in_order
from dgpexp.report.source import Material
from dgpexp.tasks import CLASSIFICATION

SECTION = Section(
    CLASSIFICATION.name,
    "Classification",
    "The thesis's first future work: not in its tables. Small numbers are those of two other papers (results/published "
    "has the sources), in the columns of their methods; they trained otherwise and are not judged.",
    "Calibration, scores and tails: more tables",
)
_RELIABILITY = (
    "Test points of all splits by the confidence of their prediction: how often they were right, with a 95 % interval. "
    "Below the diagonal a model is too sure; the larger the dot, the more points."
)
_CONFUSION = "How many test points of each class (down) were taken for each class (across)."


def grids(found: Material) -> list[Grid]:
    """A table for every metric, once there are runs."""
    if not any(g.section == SECTION.id for g in found.groups.values()):
        return []
    return [grid(metric.key, found) for metric in tabled(CLASSIFICATION)]


def grid(metric: str, found: Material) -> Grid:
    """Data sets down, method and depth across; the numbers of two other papers stand in the cells of their methods."""
    cells_of = {(g.dataset, g.method, g.layers) for g in found.groups.values() if g.section == SECTION.id}
    cells_of |= {
        (d, m, n) for d, m, n, _, name in found.published if n and name == metric and comparable.is_of_classes(d)
    }
    datasets = sorted({dataset for dataset, _, _ in cells_of})
    methods = in_order(METHODS, (method for _, method, _ in cells_of))
    treatments = [(m, d) for m in methods for d in sorted({d for _, n, d in cells_of if n == m})]
    notes = ("spambase and eeg are tested on the folds of Cutajar et al. (2017), five each.",)
    table, title = f"{SECTION.id}-{metric.replace('_', '-')}", f"Classification: {METRICS[metric].heading}"
    caption = METRICS[metric].caption.replace(OVER_SPLITS, MEAN)  # a class has no units
    main = metric in CLASSIFICATION.headline
    return by_depth(SECTION, table, title, caption, metric, datasets, treatments, found, main=main, notes=notes)


def figures(report: Material) -> Iterator[Sketch]:
    """Reliability, and of more than two classes confusion, of every data set whose runs counted their test points."""
    groups = [g for g in report.groups.values() if g.section == SECTION.id]
    for dataset, cells in class_counts.tallies(groups).items():
        drawn = class_counts.reliability(cells)
        yield Sketch(f"reliability-{dataset}", SECTION, f"Reliability on {dataset}", _RELIABILITY, drawn)
        if len(next(iter(cells.values())).labels) > 2:
            drawn = class_counts.confusion(cells)
            yield Sketch(f"confusion-{dataset}", SECTION, f"Confusion on {dataset}", _CONFUSION, drawn)

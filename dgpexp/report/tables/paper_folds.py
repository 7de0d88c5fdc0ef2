"""Table 1 of Cutajar et al. (2017), random features: runs on its folds (`split_list = rff`) beside its numbers.

The paper measures regression on the target divided by its deviation in the training rows, s: ours are taken there,
rmse / s and ll + log s, with the s that every run has recorded. Its MNLL is minus our log-likelihood.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dgpexp.methods import METHODS, method_name
from dgpexp.report.cells import Cell, averaged
from dgpexp.report.comparable import is_of_classes
from dgpexp.report.grid import Column, Grid, Sketch, cells_of
from dgpexp.report.plots import curves
from dgpexp.report.plots.curves import Series
from dgpexp.report.published import STANDARDISED, Key, Published
from dgpexp.report.source import Material
from dgpexp.report.tables.powers import RELATIVES
from dgpexp.store.stored_run import COMPLETED

PROFILE = "rff"  # of uci and classification: the paper's settings
LAYERS = 2  # one hidden layer
TABLE = "folds-ll"  # of log-likelihoods
_CLOCK = (
    "One hidden layer, one fold of Cutajar et al. (2017), after its Figure 3: RMSE and log-likelihood of the "
    "standardised target on the test rows against seconds of training, evaluation not counted."
)
_NOTE = "printed by others than the thesis, who trained otherwise: shown, not judged"


@dataclass(frozen=True)
class PaperFolds:
    """Finished runs of the profile on the paper's folds, one hidden layer, by data set and method."""

    runs: pd.DataFrame

    @property
    def datasets(self) -> list[str]:
        """Regression first, as in the paper."""
        return sorted(set(self.runs["dataset"]), key=lambda name: (is_of_classes(name), name))

    @property
    def methods(self) -> list[str]:
        found = set(self.runs["method"])
        return [name for name in METHODS if name in found]

    def of(self, dataset: str, method: str) -> pd.DataFrame:
        return self.runs[(self.runs["dataset"] == dataset) & (self.runs["method"] == method)].sort_values("split")


def gather(runs: pd.DataFrame) -> PaperFolds:
    """The runs of the paper's profile as it stands, their numbers on the scale of the standardised target."""
    changed = runs["experiment"].astype(str).str.contains("+", regex=False)
    done = (runs["status"] == COMPLETED) & (runs["layers"] == LAYERS)
    chosen = runs[(runs["profile"] == PROFILE) & done & ~changed]
    scale = chosen["y_scale"]  # 1 for classes
    return PaperFolds(chosen.assign(rmse=chosen["rmse"] / scale, ll=chosen["ll"] + np.log(scale)))


def grids(found: Material) -> list[Grid]:
    """Log-likelihood, then RMSE and accuracy: data sets down, methods across; nothing without runs on these folds."""
    folds = gather(found.source.runs)
    return [_grid(which, folds, found.published) for which in (0, 1)] if len(folds.runs) else []


def figures(report: Material) -> Iterator[Sketch]:
    """Every method against one clock, on each data set of numbers."""
    folds = gather(report.source.runs)
    for dataset in (d for d in folds.datasets if not is_of_classes(d)):
        if series := on_one_clock(folds, dataset, report.source.curve):
            table = _grid(0, folds, report.published)
            drawn = curves.curves(dataset, series, table, "standardised target", "paper")
            title = f"Error against training time: {dataset}"
            yield Sketch(f"clock-{dataset}", RELATIVES, title, _CLOCK, drawn)


def _grid(which: int, folds: PaperFolds, published: dict[Key, Published]) -> Grid:
    """`which`: 0 for the log-likelihood, 1 for the other headline, RMSE or accuracy."""

    def entry(dataset: str, method: str) -> Cell:
        classes = is_of_classes(dataset)
        metric = ("ll", "accuracy" if classes else "rmse")[which]
        name = metric if classes else f"{STANDARDISED} {metric}"
        printed = published.get((dataset, method, LAYERS, None, name))
        values = folds.of(dataset, method)[metric].dropna().tolist()
        note = "no finished run yet" if not values else _NOTE if printed else ""
        return averaged((dataset, method, LAYERS, None), metric, values, note, printed)

    table, what = ((TABLE, "log-likelihood"), ("folds-error", "RMSE, and accuracy of classes (%)"))[which]
    caption = (
        "After Table 1 of Cutajar et al. (2017): one hidden layer, mean (standard error) over folds; in regression, "
        "of the standardised target. Below ours stands minus the MNLL of its DGP-RFF, and of its DGP-EP, AEP here."
    )
    columns, rows = tuple(Column("", method_name(m)) for m in folds.methods), tuple(folds.datasets)
    title, cells = f"On the folds of the random features: {what}", cells_of(rows, folds.methods, entry)
    return Grid(RELATIVES, table, title, caption, "data set", rows, columns, cells)


def on_one_clock(found: PaperFolds, dataset: str, curve: Callable[[str], pd.DataFrame]) -> Series:
    """The learning curve of every method on the first fold that it has, of the standardised target."""
    series: Series = {}
    for method in found.methods:
        for run_id, scale in found.of(dataset, method)[["run_id", "y_scale"]].itertuples(index=False):
            seen = curve(run_id)
            if len(seen):
                series[method, None] = seen.assign(rmse=seen["rmse"] / scale, ll=seen["ll"] + np.log(scale))
                break
    return series

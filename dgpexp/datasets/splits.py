"""Lists of splits, and a data set cut and scaled by one of them.

The list of the thesis is that of Hernández-Lobato and Adams (2015), 20 random splits of 90/10. Others are the folds of
one paper, and random splits that keep the share of every class.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from dgpexp.blocks import blocks
from dgpexp.datasets.catalog import Dataset
from dgpexp.datasets.large import is_large
from dgpexp.datasets.scaling import Scaler
from dgpexp.datasets.table import Table
from dgpexp.errors import UserError
from dgpexp.tasks import Task, task_of

RFF = "rff"  # Cutajar et al. (2017): test folds of about √N rows; rff_folds.npz has their row numbers in our tables
RANDOM = "random"
_MOST_STEPS = 1_000_000  # different values: a step between so many is too fine to matter
_WHOLE = 1e-4  # how far from a whole number a multiple may be


@dataclass(frozen=True)
class Split:
    """What a model is trained and tested on. Nothing in the training half or the scalers knows the test rows."""

    name: str
    x_train: np.ndarray  # [n, D] scaled
    y_train: np.ndarray  # [n, 1] scaled, or the number of the class
    x_test: np.ndarray  # [t, D] scaled by the training part
    y_test: np.ndarray  # [t] in the original units, or the number of the class
    x_scaler: Scaler
    y_scaler: Scaler
    features: tuple[str, ...]
    target: str
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of columns of words, which became features
    classes: tuple[str, ...] = ()  # labels of the classes 0, 1, ...; none where the target is a number
    rounding: float = 0.0  # the step that all targets of the data set are multiples of; 0: none
    tested: np.ndarray = field(default_factory=lambda: np.zeros(0, int))  # [t] rows of the table; none while streamed
    digest: str = ""  # of all its numbers, where it is known without reading them again

    @property
    def task(self) -> Task:
        return task_of(self.classes)

    @cached_property
    def twins(self) -> np.ndarray:
        """Which test rows [t] are exact copies of a training row, target included; unknown, so none, while streamed."""
        if not isinstance(self.x_train, np.ndarray):
            return np.zeros(len(self.y_test), dtype=bool)
        # What scaling did to equal numbers is equal. Two of N rows share 64 bits by chance with N² / 2^65.
        y_test = self.y_scaler.transform(self.y_test)[:, None]
        train, test = (_numbers(x, y) for x, y in ((self.x_train, self.y_train), (self.x_test, y_test)))
        return np.isin(test, train)


def _numbers(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """A number of 64 bits for each row of x [n, D] and y [n, 1], the same for equal rows."""
    import pandas as pd  # here: a look at the runs needs splits, and nothing so heavy

    return pd.util.hash_pandas_object(pd.DataFrame(np.column_stack([x, y])), index=False).to_numpy()


def split_indices(n: int, split: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers (train, test) of published split `split`, counted from 0, order included.

    One generator with seed 1 serves all splits of a data set, so split k is its (k+1)-th permutation.
    """
    rs = np.random.RandomState(1)
    for _ in range(split + 1):
        order = rs.permutation(n)  # what rs.choice(range(n), n, replace=False) draws
    cut = round(0.9 * n)
    return order[:cut], order[cut:]


def partition(dataset: Dataset, y: np.ndarray, split: int, wanted: str) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers (train, test) of split `split` of the list `wanted`: rff, random, or auto, the data set's own."""
    if (dataset.splits or RANDOM if wanted == "auto" else wanted) == RFF:
        return _published(dataset.name, len(y), split)
    return stratified_indices(y, split) if dataset.classes else split_indices(len(y), split)


def _published(name: str, rows: int, split: int) -> tuple[np.ndarray, np.ndarray]:
    with np.load(Path(__file__).parent / "rff_folds.npz", allow_pickle=False) as folds:
        own = [key for key in folds.files if key.startswith(f"{name}_test_")]
        if split >= len(own):
            has = f"has the splits 0 to {len(own) - 1}" if own else "has none of these splits"
            raise UserError(f"split_list = {RFF}: {name} {has}, so there is no split {split}; use random.")
        test = folds[f"{name}_test_{split + 1}"]
    return np.setdiff1d(np.arange(rows), test), test


def stratified_indices(y: np.ndarray, split: int) -> tuple[np.ndarray, np.ndarray]:
    """Row numbers (train, test) of random split `split` with every class's share in both parts, to a row.

    The order is that of `split_indices`; a tenth of every class, the last in that order, is the test. Tenths that are
    no whole numbers are rounded so that the test has as many rows as without classes: up where most is cut off.
    """
    order = np.concatenate(split_indices(len(y), split))
    numbers, counts = np.unique(y, return_counts=True)
    wanted = counts * (len(y) - round(0.9 * len(y))) / len(y)
    tested = np.floor(wanted).astype(int)
    up = np.argsort(tested - wanted, kind="stable")[: round(wanted.sum()) - tested.sum()]
    tested[up] += 1
    test = np.zeros(len(y), dtype=bool)
    for number, count in zip(numbers, tested, strict=True):
        rows = order[y[order] == number]
        test[rows[len(rows) - count :]] = True
    return order[~test[order]], order[test[order]]


def cut(table: Table, train: np.ndarray | slice, test: np.ndarray | slice) -> Split:
    """`table` as a Split: scalers, and means in the place of missing inputs, see the training rows and nothing else."""
    x_train, x_test, y_train = table.x[train], table.x[test], table.y[train]
    if np.isnan(x_train).any() or np.isnan(x_test).any():
        mean = _means(x_train)
        x_train, x_test = (np.where(np.isnan(x), mean, x) for x in (x_train, x_test))
    x_scaler, y_scaler = scalers(table, x_train, y_train)
    return split_of(
        table,
        x_train=x_scaler.transform(x_train),
        y_train=y_scaler.transform(y_train)[:, None],
        x_test=x_scaler.transform(x_test),
        y_test=np.array(table.y[test]),
        tested=np.arange(len(table.y))[test],
        x_scaler=x_scaler,
        y_scaler=y_scaler,
    )


def split_of(table: Table, **parts: Any) -> Split:
    """A split of this table into these parts, with what it says of its columns."""
    about = {name: getattr(table, name) for name in ("name", "features", "target", "levels", "classes")}
    return Split(**about, rounding=rounding_step(table.y), **parts)


def _means(x: np.ndarray) -> np.ndarray:
    """Means of the columns of x [n, D] without missing cells: [D]; 0 for an empty column."""
    there = ~np.isnan(x)
    return np.asarray(np.where(there, x, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1))


def scalers(table: Table, x_train: Any, y_train: Any) -> tuple[Scaler, Scaler]:
    """Scalers of inputs and target, from the training rows; numbers of classes and counts stay as they are."""
    if table.counts:
        refuse_no_counts(table)
    scaled = task_of(table.classes).scaled and not table.counts
    if is_large(len(y_train)):
        x_scaler, y_scaler = Scaler.fit_once(x_train, y_train)
        return table.x_scaler or x_scaler, y_scaler if scaled else Scaler.identity()
    y_scaler = Scaler.fit(y_train) if scaled else Scaler.identity()
    return table.x_scaler or (Scaler.robust if table.robust else Scaler.fit)(x_train), y_scaler


def refuse_no_counts(table: Table) -> None:
    """Refuse a target that is to be a count and has values that are none."""
    for y in blocks(table.y):
        wrong = np.asarray(y)[(y < 0) | (y != np.round(y))]
        if len(wrong):
            raise UserError(
                f"the target '{table.target}' of {table.name} has the value {wrong[0]:g}, no count: poisson needs "
                "0, 1, 2, ...; use likelihood = gaussian or studentt."
            )


def rounding_step(y: Any) -> float:
    """The step that all values of y [N] are multiples of: the smallest difference between two; 0 where there is none.

    From all rows of a data set, since a few test rows may differ by more, or all by a step that is no rounding.
    """
    values = np.zeros(0)
    for part in blocks(y):
        values = np.union1d(values, part)
        if len(values) > _MOST_STEPS:
            return 0.0
    gaps = np.diff(values)
    if not len(gaps):
        return 0.0
    step = float(f"{gaps.min():.9g}")  # a difference of decimals is off in its last digits
    with np.errstate(all="ignore"):
        multiples = values / step
        return step if np.all(np.abs(multiples - np.round(multiples)) < _WHOLE) else 0.0

"""Lists of splits beside the published random ones: the folds of one paper, and random splits that keep the classes."""

from pathlib import Path

import numpy as np

from dgpexp.datasets.catalog import Dataset
from dgpexp.datasets.splits import split_indices
from dgpexp.errors import UserError

RFF = "rff"  # Cutajar et al. (2017): test folds of about √N rows; rff_folds.npz has their row numbers in our tables
RANDOM = "random"


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

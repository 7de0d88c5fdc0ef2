"""From a name to numbers: `load` gives the whole table, `load_split` what one run is trained and tested on."""

import sys
from dataclasses import replace

import numpy as np

from dgpexp.datasets import synthetic
from dgpexp.datasets.catalog import Dataset, find
from dgpexp.datasets.folds import partition
from dgpexp.datasets.scaling import Scaler
from dgpexp.datasets.sources.chain import obtain
from dgpexp.datasets.splits import Split, cut
from dgpexp.datasets.streaming import cut_streamed
from dgpexp.datasets.table import Table, fingerprint
from dgpexp.errors import UserError

_LOOKED_AT = 100
_YEAR_TRAIN = 463_715  # the first rows train; UCI cut them so that no artist is in both parts


def load(name: str) -> Table:
    """The whole data set in original units, fetched if need be. A synthetic set comes with 1000 rows and seed 0."""
    dataset = find(name)
    if dataset.synthetic:
        return _generated(dataset, dataset.rows, 0)
    # Doubles stay mapped from the cache; airline's small integers become doubles here.
    table = _mapped(dataset)
    return replace(table, x=table.x.astype(np.float64, copy=False), y=table.y.astype(np.float64))


def load_split(
    name: str,
    split: int,
    rows: int = 1000,
    stream: bool = False,
    split_list: str = "auto",
    all_rows: bool = False,
    robust: bool = False,
) -> Split:
    """Split `split` of a set, scaled on its training part. For a synthetic set: `rows` new rows, seed `split`.

    `split_list` names another list of splits than the data set's own (folds.py). With `stream` the rows stay in
    the cached file, and are read when they are needed. With `all_rows` every row trains, and the first ones are the
    test too, which says no more than that predictions are numbers. `robust` scales inputs by median and quartiles.
    """
    dataset = find(name)
    if stream and dataset.synthetic:
        raise UserError(f"{name} is generated and has no file to be streamed from: leave stream out.")
    if (dataset.experiment == "year" or dataset.test_rows) and split > 0:
        raise UserError(f"{name} has one split, 0 (the first rows train, the rest test), so there is no split {split}.")
    fixed = dataset.experiment in ("synthetic", "year") or dataset.test_rows
    if fixed and split_list != "auto":
        raise UserError(f"split_list = {split_list}: {name} has a test part of its own; leave split_list out.")
    table = _generated(dataset, rows, split) if dataset.synthetic else _mapped(dataset) if stream else load(name)
    table = replace(table, robust=robust)
    take, n = cut_streamed if stream else cut, len(table.y)
    if all_rows:
        return take(table, slice(None), slice(None, _LOOKED_AT))
    if fixed:
        first = _YEAR_TRAIN if name == "year" else n - dataset.test_rows if dataset.test_rows else round(0.9 * n)
        return take(table, slice(None, first), slice(first, None))
    return take(table, *partition(dataset, table.y, split, split_list))


def checksum(name: str) -> str:
    """The fingerprint of the numbers that `load` gives, computed now."""
    dataset = find(name)
    if dataset.synthetic:
        table = load(name)
        return fingerprint(np.column_stack([table.x, table.y]))
    return fingerprint(_array(dataset))


def _array(dataset: Dataset) -> np.ndarray:
    return obtain(dataset, say=lambda line: print(line, file=sys.stderr))


def _mapped(dataset: Dataset) -> Table:
    """The set as its cached file has it, mapped and not read."""
    values = _array(dataset)  # [N, D+1]
    unit = Scaler(np.zeros(dataset.inputs), np.full(dataset.inputs, dataset.input_unit)) if dataset.input_unit else None
    return Table(
        dataset.name,
        values[:, :-1],
        values[:, -1],
        dataset.features,
        dataset.target,
        dataset.levels,
        dataset.classes,
        unit,
    )


def _generated(dataset: Dataset, rows: int, seed: int) -> Table:
    x, y = synthetic.generate(dataset.name, rows, seed)
    return Table(dataset.name, x, y, dataset.features, dataset.target)

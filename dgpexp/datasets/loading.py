"""From a name to numbers: `load` gives the whole table, `load_split` what one run is trained and tested on."""

from contextlib import suppress

import numpy as np

from dgpexp.datasets import synthetic
from dgpexp.datasets.airline import read_npz
from dgpexp.datasets.canonical import read_canonical
from dgpexp.datasets.catalog import Dataset, find
from dgpexp.datasets.folder import data_dir, read_cache, write_cache
from dgpexp.datasets.splits import Split, cut, split_indices
from dgpexp.datasets.table import Table, fingerprint
from dgpexp.errors import UserError

_YEAR_TRAIN = 463_715  # the first rows; no song of one artist is in both parts


def load(name: str) -> Table:
    """The whole data set in original units. A synthetic set comes with 1000 rows and seed 0."""
    dataset = find(name)
    if dataset.synthetic:
        return _generated(dataset, dataset.rows, 0)
    values = parsed(dataset)  # [N, D+1]
    # Files of doubles stay mapped from the cache; airline's small integers become doubles here.
    x, y = values[:, :-1], values[:, -1]
    return Table(name, x.astype(np.float64, copy=False), y.astype(np.float64), dataset.features, dataset.target)


def load_split(name: str, split: int, rows: int = 1000) -> Split:
    """Split `split` of a set, scaled on its training part. For a synthetic set: `rows` new rows, seed `split`."""
    dataset = find(name)
    if dataset.synthetic:
        table = _generated(dataset, rows, split)
        last = round(0.9 * rows)
        return cut(table, slice(None, last), slice(last, None))
    if dataset.experiment == "year" and split > 0:
        raise UserError(f"{name} has one split, 0 (the first rows train, the rest test), so there is no split {split}.")
    table = load(name)
    if dataset.experiment == "year":
        last = _YEAR_TRAIN if name == "year" else round(0.9 * dataset.rows)
        return cut(table, slice(None, last), slice(last, None))
    return cut(table, *split_indices(len(table.y), split))


def checksum(name: str) -> str:
    """The fingerprint of the array that `load` gives, computed now."""
    dataset = find(name)
    if dataset.synthetic:
        table = load(name)
        return fingerprint(np.column_stack([table.x, table.y]))
    return fingerprint(parsed(dataset))


def parsed(dataset: Dataset) -> np.ndarray:
    """The array [N, D+1] of a set that is on disk, from the cache if it is there and whole."""
    kept = read_cache(dataset.name)
    if kept is not None and fingerprint(kept) == dataset.fingerprint:
        return kept
    path = data_dir() / dataset.file
    if not dataset.file or not path.is_file():
        raise UserError(f"{dataset.name} is not in {data_dir()}; get it with `dgpexp data fetch {dataset.name}`.")
    values = read_npz(path) if path.suffix == ".npz" else read_canonical(path, dataset)
    if fingerprint(values) != dataset.fingerprint:
        raise UserError(f"{path} was altered: its numbers are not those of {dataset.name}; get it again.")
    with suppress(UserError):  # a read-only or full folder only costs the parsing again
        write_cache(dataset.name, values)
    return values


def _generated(dataset: Dataset, rows: int, seed: int) -> Table:
    x, y = synthetic.generate(dataset.name, rows, seed)
    return Table(dataset.name, x, y, dataset.features, dataset.target)

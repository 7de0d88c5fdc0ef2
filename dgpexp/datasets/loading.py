"""From a name to numbers: `load` gives a whole table, a `DataChoice` what one run is trained and tested on."""

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from dgpexp.config import Data, RunSpec
from dgpexp.datasets import synthetic
from dgpexp.datasets.catalog import Dataset, find
from dgpexp.datasets.large import MANY, is_large, tenths
from dgpexp.datasets.scaling import Scaler
from dgpexp.datasets.sources.chain import obtain, whereabouts
from dgpexp.datasets.splits import Split, cut, partition
from dgpexp.datasets.streaming import cut_streamed
from dgpexp.datasets.table import Table, fingerprint
from dgpexp.errors import UserError
from dgpexp.tasks import AUTO, LIKELIHOODS

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


@dataclass(frozen=True)
class DataChoice(Data):
    """Which rows a run is trained and tested on, and how they are scaled: all that loading knows of a run.

    It has every setting about data (config.Data), and it is the key under which loaded data are kept: a setting that
    decides data cannot be missing from that key.
    """

    dataset: str
    split: int = 0  # of a synthetic set: its seed
    likelihood: str = AUTO  # one of counts leaves y as it is, and refuses a y that is none

    @classmethod
    def of(cls, spec: RunSpec) -> "DataChoice":
        """The choice that the settings of a run make."""
        names = ("likelihood", *(f.name for f in fields(Data)))
        return cls(spec.dataset, spec.split, **{name: getattr(spec.settings, name) for name in names})

    def load(self) -> Split:
        """The chosen rows, scaled on their training part; what cannot be chosen is refused."""
        if self.synthetic_shape:
            return random_split(self.dataset, self._counts)
        name, dataset = self.dataset, find(self.dataset)
        if self.stream and dataset.synthetic:
            raise UserError(f"{name} is generated and has no file to be streamed from: leave stream out.")
        if (dataset.experiment == "year" or dataset.test_rows) and self.split > 0:
            only = "has one split, 0 (the first rows train, the rest test)"
            raise UserError(f"{name} {only}, so there is no split {self.split}.")
        fixed = dataset.experiment in ("synthetic", "year") or dataset.test_rows
        if fixed and self.split_list != "auto":
            raise UserError(f"split_list = {self.split_list}: {name} has a test part of its own; leave split_list out.")
        table = replace(self._table(dataset), robust=self.robust_scaling, counts=self._counts)
        n = len(table.y)
        if is_large(n):
            return self._load_large(dataset, table)
        take = cut_streamed if self.stream else cut
        if self.all_rows:
            return take(table, slice(None), slice(None, _LOOKED_AT))
        if fixed:
            first = _YEAR_TRAIN if name == "year" else n - dataset.test_rows if dataset.test_rows else round(0.9 * n)
            return take(table, slice(None, first), slice(first, None))
        return take(table, *partition(dataset, table.y, self.split, self.split_list))

    def _load_large(self, dataset: Dataset, table: Table) -> Split:
        """Rows of a large set stay in their file whatever `stream` says, and nothing is kept for every row."""
        n, name = len(table.y), self.dataset
        if self.robust_scaling or self.split_list != "auto":
            what = "robust_scaling" if self.robust_scaling else "split_list"
            raise UserError(f"{name} has {n:,} rows, and of more than {MANY:,} no {what} is possible: leave it out.")
        first = n - dataset.test_rows
        parts: tuple[Any, Any] = tenths(n, self.split)
        if self.all_rows or dataset.test_rows:
            parts = slice(None, first), slice(first, None) if dataset.test_rows else slice(None, _LOOKED_AT)
        return cut_streamed(table, *parts, digest=f"{dataset.fingerprint} {self}")

    @property
    def _counts(self) -> bool:
        return self.likelihood != AUTO and LIKELIHOODS[self.likelihood].counts

    def _table(self, dataset: Dataset) -> Table:
        if dataset.synthetic:
            return _generated(dataset, self.rows, self.split)
        return _mapped(dataset) if self.stream or is_large(dataset.rows) else load(self.dataset)


def load_split(dataset: str, split: int = 0, **choice: Any) -> Split:
    """Split `split` of a data set, scaled on its training part; `choice` are further fields of DataChoice."""
    return DataChoice(dataset, split, **choice).load()


def is_here(name: str) -> bool:
    """Whether a data set is generated, or in the data folder."""
    return bool(whereabouts(find(name))[0])


def fetch_missing(names: Iterable[str], say: Callable[[str], None]) -> dict[str, str]:
    """Get every data set that is not here; return {data set: what to do} for those that cannot be had."""
    missing = {}
    for name in dict.fromkeys(names):
        if is_here(name):
            continue
        try:
            obtain(find(name), say)
        except UserError as error:
            missing[name] = str(error)
    return missing


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
    about = dataset.features, dataset.target, dataset.levels, dataset.classes
    return Table(dataset.name, values[:, :-1], values[:, -1], *about, unit)


def _generated(dataset: Dataset, rows: int, seed: int) -> Table:
    x, y = synthetic.generate(dataset.name, rows, seed)
    return Table(dataset.name, x, y, dataset.features, dataset.target)


def random_table(rows: int, features: tuple[str, ...], classes: tuple[str, ...] = (), counts: bool = False) -> Table:
    """Independent standard normal inputs and target, or classes or counts by chance: there is nothing to learn."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, len(features)))
    y = rng.integers(len(classes) or 10, size=rows).astype(float) if classes or counts else rng.standard_normal(rows)
    return Table("random", x, y, features, "y", classes=classes, counts=counts)


def random_split(name: str, counts: bool = False) -> Split:
    """As many rows and inputs as the data set `name` has, to time a model without its file; a tenth is the test."""
    dataset = find(name)
    last = round(0.9 * dataset.rows)
    table = random_table(dataset.rows, dataset.features, dataset.classes, counts)
    return cut(table, slice(0, last), slice(last, None))

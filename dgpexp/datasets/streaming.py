"""A split whose rows stay in the file: for data larger than memory.

What stays in memory is a row number for every training row (and, for random splits, one for every row) and the test
targets; of a large set (large.py), nothing. The numbers are those of the split in memory, to the last bit.
"""

from dataclasses import replace

import numpy as np

from dgpexp.blocks import blocks, expect, let_go
from dgpexp.datasets.large import EVALUATED, Tenth, fixed_part, is_large
from dgpexp.datasets.scaling import Scaler
from dgpexp.datasets.splits import Split, scalers, split_of
from dgpexp.datasets.table import Table
from dgpexp.errors import UserError

Part = np.ndarray | slice | Tenth
# Rows after which the file is let go: of every row at random the system maps up to 2 MiB around it, which counts.
_AT_RANDOM, _IN_ORDER = 100, 100_000
_TAUGHT = 100_000  # training rows of a large set that are enough for a simple model


class Rows:
    """Some rows of a mapped array [N, D], as doubles; read, and scaled if there is a scaler, when asked for."""

    def __init__(self, values: np.ndarray, rows: Part, scaler: Scaler | None = None) -> None:
        self._scaler = scaler
        # A slice is a view of the mapped array and costs nothing; row numbers of a random split are looked up.
        self._view = values[rows] if isinstance(rows, slice) else values
        self._order = None if isinstance(rows, slice) else rows
        self.shape = (len(self._view) if self._order is None else len(self._order), *values.shape[1:])
        self.nbytes = 0  # in memory

    def __len__(self) -> int:
        return int(self.shape[0])

    def __getitem__(self, rows: np.ndarray | slice) -> np.ndarray:
        at_random = not isinstance(rows, slice)
        expect(self._view, at_random)
        wanted = rows if self._order is None else self._order[rows]
        if isinstance(wanted, slice):
            wanted = np.arange(*wanted.indices(len(self._view)))
        part, step = np.empty((len(wanted), *self.shape[1:])), _AT_RANDOM if at_random else _IN_ORDER
        for start in range(0, len(wanted), step):
            part[start : start + step] = self._view[wanted[start : start + step]]
            let_go(self._view)
        return part if self._scaler is None else self._scaler.transform(part)


def in_memory(split: Split) -> Split:
    """A split of a large set by a fixed part of its rows, as arrays; any other as it is."""
    if not is_large(len(split.x_train) + len(split.x_test)):
        return split
    train, test = fixed_part(len(split.x_train), _TAUGHT), fixed_part(len(split.x_test), EVALUATED)
    x, y = split.x_train[train], split.y_train[train]
    return replace(split, x_train=x, y_train=y, x_test=split.x_test[test], y_test=split.y_test[test])


def cut_streamed(table: Table, train: Part, test: Part, digest: str = "") -> Split:
    """`splits.cut`, with inputs and training targets that are read when a step needs them."""
    x_scaler, y_scaler = scalers(table, Rows(table.x, train), Rows(table.y, train))
    if np.isnan(x_scaler.mean).any() or any(np.isnan(part).any() for part in blocks(Rows(table.x, test))):
        raise UserError(
            f"{table.name} has missing cells, which cannot be filled in while rows are read: leave stream out."
        )
    targets = Scaler(y_scaler.mean[None], y_scaler.std[None])  # of the column [N, 1]
    return split_of(
        table,
        x_train=Rows(table.x, train, x_scaler),
        y_train=Rows(table.y[:, None], train, targets),
        x_test=Rows(table.x, test, x_scaler),
        y_test=Rows(table.y, test) if isinstance(test, Tenth) else Rows(table.y, test)[:],
        x_scaler=x_scaler,
        y_scaler=y_scaler,
        digest=digest,
    )

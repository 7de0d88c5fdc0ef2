"""Turn a pandas frame with words into inputs, encoded as `dgpexp run csv` encodes the same table."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dgpexp.datasets.scaling import LARGEST, SMALLEST
from dgpexp.errors import UserError
from dgpexp.tables import columns as encoding
from dgpexp.tables.file import Cells


@contextmanager
def value_errors() -> Iterator[None]:
    """Raise a UserError as the ValueError that users of scikit-learn expect."""
    try:
        yield
    except UserError as error:
        raise ValueError(str(error)) from error


def refuse_out_of_range(values: np.ndarray, names: Sequence[str]) -> None:
    """Refuse columns [n, D] that cannot be scaled: the squares of numbers that large, or that close, are inf or 0."""
    for name, column in zip(names, values.T, strict=True):
        row = int(np.argmax(np.abs(column)))
        if abs(column[row]) > LARGEST:
            raise ValueError(f"row {row} (counted from 0), '{name}' is too large ({column[row]}): take another unit.")
        if 0 < np.ptp(column) < SMALLEST:
            raise ValueError(f"the numbers of '{name}' differ by less than {SMALLEST:g}: take another unit.")


def has_words(x: Any) -> bool:
    """Whether x is a frame with a column that holds neither numbers nor booleans."""
    return isinstance(x, pd.DataFrame) and not all(map(_numeric, x.dtypes))


def _numeric(kind: Any) -> bool:
    return pd.api.types.is_numeric_dtype(kind) or pd.api.types.is_bool_dtype(kind)


def only_frame(x: Any) -> pd.DataFrame:
    """Refuse anything but a frame: the model was fitted on words."""
    if not isinstance(x, pd.DataFrame):
        raise ValueError("the model was fitted on a pandas frame with words: give it a frame with the same columns")
    return x


@dataclass(frozen=True)
class Columns:
    """How the columns of a frame become inputs; learnt from the training rows."""

    features: tuple[str, ...]
    levels: Mapping[str, tuple[str, ...]]  # of the columns of words

    @classmethod
    def learn(cls, frame: pd.DataFrame) -> "Columns":
        with value_errors():
            learnt = encoding.learn(_cells(frame), list(map(str, frame.columns)))
        if not learnt.features:
            raise ValueError("X has no column to predict from: every one has the same value in all rows.")
        return cls(learnt.features, learnt.levels)

    def encode(self, frame: pd.DataFrame) -> np.ndarray:
        """Inputs [n, D] of rows that have the columns of the training rows."""
        with value_errors():
            return encoding.encode(_cells(frame), self.features, self.levels)


@dataclass(frozen=True)
class _FrameCells(Cells):
    """Says where a cell is in a frame."""

    about_dates = "such as year, month or weekday"

    def place(self, row: int, column: str) -> str:
        return f"X, row {row} (counted from 0), column '{column}'"

    def leave_out(self, column: str) -> str:
        return "leave the column out"


def _cells(frame: pd.DataFrame) -> Cells:
    text, numbers = {}, {}
    for name, column in zip(map(str, frame.columns), (frame.iloc[:, j] for j in range(frame.shape[1])), strict=True):
        text[name] = ["" if missing else str(cell).strip() for cell, missing in zip(column, column.isna(), strict=True)]
        if _numeric(column.dtype) and not column.isna().any() and np.isfinite(column.astype(float)).all():
            numbers[name] = column.to_numpy(dtype=np.float64)
    return _FrameCells(Path("X"), ",", text, list(range(len(frame))), numbers=numbers)

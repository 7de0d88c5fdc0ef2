"""Turn a pandas frame with words into inputs, encoded as `dgpexp run csv` encodes the same table."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from dgpexp.datasets.scaling import LARGEST, SMALLEST
from dgpexp.errors import UserError
from dgpexp.tables import columns
from dgpexp.tables.file import Sheet, typed_sheet
from dgpexp.tables.reading import Reading, decide


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


def refuse_text(x: Any) -> None:
    """Refuse an array with text, which numpy would take for numbers in its own way: 1_2 for 12."""
    found = np.asarray(x) if isinstance(x, list) else x
    if not isinstance(found, np.ndarray) or found.dtype.kind not in "OSU":
        return
    if text := next((cell for cell in found.ravel() if isinstance(cell, str | bytes)), None):
        raise ValueError(f"X has text ({str(text)!r}): give it as a pandas frame, whose columns say what they are.")


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
    reading: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # of numbers that are written as text

    @classmethod
    def learn(cls, frame: pd.DataFrame) -> "Columns":
        with value_errors():
            sheet = _sheet(frame)
            names = list(sheet.columns)
            readings, refused = decide(sheet, names)
            columns.refuse([*refused, *_missing(sheet)])
            learnt = columns.learn(sheet, names, readings)
        if not learnt.features:
            raise ValueError("X has no column to predict from: every one has the same value in all rows.")
        stored = {name: kept for name, reading in readings.items() if (kept := reading.stored())}
        return cls(learnt.features, learnt.levels, stored)

    def encode(self, frame: pd.DataFrame) -> np.ndarray:
        """Inputs [n, D] of rows that have the columns of the training rows."""
        with value_errors():
            sheet = _sheet(frame)
            wanted = columns.needed(self.features, self.levels)
            columns.refuse(_missing(sheet, wanted))
            readings = {name: Reading.of_stored(self.reading.get(name, {})) for name in wanted}
            return columns.encode(sheet, self.features, self.levels, readings)


@dataclass(frozen=True)
class _FrameSheet(Sheet):
    """Says where a cell is in a frame."""

    about_dates = "such as year, month or weekday"

    def place(self, row: int, column: str) -> str:
        return f"X, row {row} (counted from 0), column '{column}'"

    def leave_out(self, column: str) -> str:
        return "leave the column out"


def _missing(sheet: Sheet, names: Any = None) -> list[str]:
    found = ((name, sheet.missing(name)) for name in names or sheet.columns)
    return [f"{sheet.place(int(rows[0]), name)} is missing: fill it in." for name, rows in found if len(rows)][:1]


def _sheet(frame: pd.DataFrame) -> Sheet:
    arrays = {}
    for name, column in zip(map(str, frame.columns), (frame.iloc[:, j] for j in range(frame.shape[1])), strict=True):
        if pd.api.types.is_bool_dtype(column.dtype):
            column = column.astype(float)
        if isinstance(column.dtype, pd.CategoricalDtype):  # levels, even where they are numbers
            indices = pa.array(column.cat.codes.to_numpy(), mask=column.isna().to_numpy())
            arrays[name] = pa.DictionaryArray.from_arrays(indices, pa.array(map(str, column.cat.categories)))
        elif _numeric(column.dtype):
            arrays[name] = pa.array(column.to_numpy(dtype=np.float64, na_value=np.nan))
        elif pd.api.types.is_datetime64_any_dtype(column.dtype):
            arrays[name] = pa.array(column.astype(str))
        else:
            arrays[name] = pa.array([None if pd.isna(cell) else str(cell) for cell in column], pa.string())
    found = typed_sheet(Path("X"), arrays, len(frame))
    return _FrameSheet(Path("X"), found.columns, len(frame), separator="")

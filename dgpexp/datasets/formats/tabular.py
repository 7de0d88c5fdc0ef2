"""Numbers out of files as they come: .csv, .txt, .data, .arff (also gzipped or bzip2ed), .xls, .xlsx.

What a file is shows in its first bytes, not in its name: OpenML serves CSV under a name that ends in .arff.
"""

import bz2
import gzip
import zipfile
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from dgpexp.errors import UserError

_XLS = b"\xd0\xcf\x11\xe0"
_PACKED: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open}


def open_text(path: Path) -> TextIO:
    """The text of a file, unpacked if it is gzipped or bzip2ed."""
    with path.open("rb") as f:
        start = f.read(3)
    opener: Any = next((o for magic, o in _PACKED.items() if start.startswith(magic)), open)
    text: TextIO = opener(path, "rt", encoding="utf-8-sig")
    return text


def read_table(path: Path, sheet: str = "") -> np.ndarray:
    """All numbers of a file, [N, C]: of that sheet (or the first) of a workbook, below the header of a text."""
    try:
        with path.open("rb") as f:
            start = f.read(4)
        if start == _XLS:
            return _finite(_xls(path, sheet), path)
        if start[:2] == b"PK" and zipfile.is_zipfile(path):
            return _finite(_xlsx(path, sheet), path)
        with open_text(path) as text:
            skip, first = _header(text)
        return read_numbers(path, _delimiter(first), skip)
    except UserError:
        raise
    except Exception as error:  # the spreadsheet readers raise whatever they trip over
        raise UserError(f"{path} cannot be read ({error or type(error).__name__}); get it again.") from error


def read_numbers(path: Path, delimiter: str | None, skip: int, columns: list[int] | None = None) -> np.ndarray:
    """The lines of numbers below `skip` lines; text, gaps and NaN are refused with the place where they stand."""
    try:
        with open_text(path) as text:
            values = np.loadtxt(text, delimiter=delimiter, skiprows=skip, usecols=columns, ndmin=2, comments=None)
    except ValueError as error:  # "could not convert string 'x' to float64 at row 3, column 2."
        raise UserError(f"{path} is not a table of numbers: {str(error).split(';')[0].rstrip('.')}.") from error
    except (OSError, EOFError, gzip.zlib.error) as error:  # type: ignore[attr-defined]
        raise UserError(f"{path} is damaged ({error}); get it again.") from error
    return _finite(values, path)


def _finite(values: np.ndarray, path: Path) -> np.ndarray:
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise UserError(f"{path} has a NaN or infinity in data row {row + 1}, column {column + 1}: remove that row.")
    return values


def _header(text: TextIO) -> tuple[int, str]:
    """How many lines stand before the numbers, and the first line of numbers."""
    first = text.readline()
    lines = 0
    if first.lstrip().startswith(("%", "@")):  # ARFF: comments and declarations up to @data
        lines = 1
        while first and not first.lower().startswith("@data"):
            first, lines = text.readline(), lines + 1
        return lines, text.readline()
    token = first.replace(";", ",").replace(",", " ").split()
    try:
        float(token[0])
        return 0, first
    except (ValueError, IndexError):
        return 1, text.readline()


def _delimiter(line: str) -> str | None:
    return next((d for d in ";," if d in line), None)


def _xls(path: Path, sheet: str) -> np.ndarray:
    import xlrd

    with xlrd.open_workbook(path) as book:
        s = book.sheet_by_name(sheet) if sheet else book.sheet_by_index(0)
        return np.array([s.row_values(i) for i in range(1, s.nrows)], dtype=np.float64)


def _xlsx(path: Path, sheet: str) -> np.ndarray:
    import openpyxl

    with path.open("rb") as f:  # openpyxl leaves a file open that it opened itself
        book = openpyxl.load_workbook(f, read_only=True, data_only=True)
        rows = (book[sheet] if sheet else book.worksheets[0]).iter_rows(min_row=2, values_only=True)
        # A workbook may count emptied cells at its edges as part of the sheet (energy's does).
        kept = [[c for c in row if c is not None] for row in rows if row and row[0] is not None]
        return np.array(kept, dtype=np.float64)

"""A CSV that somebody made: its cells as text, each with the line it stands on, or a sentence about what is wrong.

Nothing is guessed that a person could not check: the separator (comma, semicolon or tab) is the one that the header
line has most of, names and cells are trimmed, blank lines are passed over.
"""

import csv
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from dgpexp.datasets.formats.tabular import open_text
from dgpexp.errors import UserError

_ROWS_AT_ONCE = 10_000
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


@dataclass(frozen=True)
class Cells:
    """The text of a table, column by column."""

    path: Path
    separator: str
    columns: dict[str, list[str]]  # name -> trimmed cells, in the order of the file
    lines: list[int]  # where each row begins in the file, as an editor counts
    notes: tuple[str, ...] = ()  # what was left out
    numbers: dict[str, np.ndarray] = field(default_factory=dict)  # the columns that were read as numbers, by name

    about_dates = "by --dates (year, month, weekday, hour) or yourself"  # not a field

    def __len__(self) -> int:
        return len(self.lines)

    def place(self, row: int, column: str) -> str:
        """Where a person finds a cell."""
        return f"{self.path}, line {self.lines[row]}, column '{column}'"

    def leave_out(self, column: str) -> str:
        """How a person leaves a column out."""
        return f"leave the column out by --drop '{column}'"


def read_cells(path: Path) -> Cells:
    """All cells of a CSV with a header line, also gzipped."""
    if not path.is_file():
        raise UserError(f"there is no file {path}.")
    if zipfile.is_zipfile(path):
        raise UserError(f"{path} is a spreadsheet or a zip: save its table as CSV (UTF-8) first.")
    try:
        with open_text(path) as text:
            header = re.sub('"[^"]*"', "", next((line for line in text if line.strip()), ""))
            separator = max(_SEPARATORS, key=header.count)  # the comma where there is none
            text.seek(0)
            return _parsed(path, separator, csv.reader(text, delimiter=separator, skipinitialspace=True))
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text ({error.reason}): save it as CSV in UTF-8.") from error
    except (OSError, EOFError, zlib.error, csv.Error) as error:
        raise UserError(f"{path} cannot be read as CSV: {error}.") from error


def _parsed(path: Path, separator: str, reader: Any) -> Cells:
    lines: list[int] = []
    rows = _rows(path, separator, reader, lines)
    header = [name.strip() for name in next(rows, [])]
    if not header:
        raise UserError(f"{path} is empty: it needs a header line with the names of the columns, and rows below it.")
    columns: list[list[str]] = [[] for _ in header]
    while part := list(islice(rows, _ROWS_AT_ONCE)):  # a row is a list, and all of them would double the memory
        for column, cells in zip(columns, zip(*part, strict=True), strict=True):
            column.extend(map(str.strip, cells))
    named: dict[str, list[str]] = {}
    notes = []
    for number, (name, column) in enumerate(zip(header, columns, strict=True), 1):
        if name in named:
            raise UserError(f"{path} has two columns named '{name}': give each a name of its own.")
        if name:
            named[name] = column
        elif _counts(column):  # as pandas and R write it
            notes.append(f"column {number} has no name and counts the rows: it is left out.")
        elif any(column):  # else it is a separator too many at the end of each line
            raise UserError(f"{path}: column {number} has no name in the header line; give it one.")
    return Cells(path, separator, named, lines[1:], tuple(notes))


def _rows(path: Path, separator: str, reader: Any, lines: list[int]) -> Iterator[list[str]]:
    """The rows that are not blank, all as long as the first; `lines` is told where each begins."""
    begin, width = 1, 0
    for row in reader:
        if len(row) > 1 or any(cell.strip() for cell in row):
            width = width or len(row)
            if len(row) != width:
                raise UserError(
                    f"{path} cannot be read as CSV: line {begin} has {len(row)} cells, the header line {width} "
                    f"(separated by {_SEPARATORS[separator]})."
                )
            lines.append(begin)
            yield row
        begin = reader.line_num + 1


def _counts(column: list[str]) -> bool:
    return bool(column) and column in ([str(i) for i in range(k, k + len(column))] for k in (0, 1))

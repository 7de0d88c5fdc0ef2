"""A file that somebody made, as a sheet of columns: text as it was written, or what a file with types says.

Text is cut into cells by pyarrow. Three readers were tried on hostile files (tests/tables/hostile.py). pandas pads
short rows and moves cells of long ones; the sniffer of DuckDB drops a quote or turns quoting off; pyarrow
refuses both, keeps a column of text in one piece of memory, and reads Parquet. What all three accept is a quote that is
closed rows later, so quotes are checked here, by the strict parser of Python's csv module. No reader decides what a
column means: every cell stays text, and columns.py decides for the whole column.
"""

import base64
import csv
import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from dgpexp.errors import UserError
from dgpexp.tables.formats import as_csv, data_of

SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
_MISSING = pa.array(["", "na", "n/a", "#n/a", "<na>", "nan", "null", "?"])  # in lower case
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Sheet:
    """The columns of a table, in the order of the file.

    A column is an array of arrow: trimmed text, null where a Parquet file says so; text in a dictionary where the file
    says that its values are levels; or whole numbers, numbers, dates.
    """

    path: Path
    columns: dict[str, Any]
    rows: int
    separator: str = ","
    notes: tuple[str, ...] = ()  # what was left out
    kept: np.ndarray | None = None  # the numbers of the rows that are left of the file's
    _missing: dict[str, np.ndarray] = field(default_factory=dict, repr=False, compare=False)  # by column, once known

    about_dates = "by --dates (year, month, weekday, hour) or yourself"  # not a field

    def __len__(self) -> int:
        return self.rows

    def place(self, row: int, column: str) -> str:
        """Where a person finds a cell."""
        return f"{self.path}, {self.line(row)}, column '{column}'"

    def line(self, row: int) -> str:
        """Where a person finds a row: its line in the file, as an editor counts."""
        row = int(row if self.kept is None else self.kept[row])
        return f"line {self._lines[row]}" if self._lines else f"row {row + 1}"

    @cached_property
    def _lines(self) -> list[int]:
        """Where each row begins; asked for only when there is something to complain of."""
        if not self.separator:
            return []
        try:
            return [line for line, _ in _rows(self.path, _text_of(self.path, data_of(self.path)), self.separator)][1:]
        except (UserError, OSError):  # the file has gone meanwhile
            return []

    def leave_out(self, column: str) -> str:
        """How a person leaves a column out."""
        return f"leave the column out by --drop '{column}'"

    def without(self, gone: Iterable[int]) -> "Sheet":
        """The other rows."""
        keep = np.delete(np.arange(self.rows), sorted(gone))
        if len(keep) == self.rows:
            return self
        columns = {name: column.take(pa.array(keep)) for name, column in self.columns.items()}
        kept = keep if self.kept is None else self.kept[keep]
        return replace(self, columns=columns, rows=len(keep), kept=kept, _missing={})

    def missing(self, name: str) -> np.ndarray:
        """The rows in which a cell of the column is missing."""
        if name in self._missing:
            return self._missing[name]
        column = plain(self.columns[name])
        if pa.types.is_string(column.type):
            found = pc.is_in(pc.utf8_lower(column), value_set=_MISSING)
            found = pc.or_(found, column.is_null()) if column.null_count else found
        else:
            found = column.is_null(nan_is_null=True)
        rows = np.flatnonzero(found.to_numpy(zero_copy_only=False))
        return self._missing.setdefault(name, rows)


def plain(column: Any) -> Any:
    """The column without its dictionary."""
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def read_sheet(path: Path) -> Sheet:
    """The table in a file: Parquet, or what becomes text with a header line (formats.py)."""
    if not path.is_file() and not path.is_fifo():
        raise UserError(f"there is no file {path}.")
    data = data_of(path)
    if data[:4] == b"PAR1":
        return _parquet(path, pa.py_buffer(data))
    text = _text_of(path, data)
    separator = _separator(path, text)
    return _checked_names(path, _cells(path, text, separator), separator)


def _text_of(path: Path, data: bytes) -> bytes:
    """The whole text in UTF-8, unpacked, without the spaces before a quote."""
    try:
        data = as_csv(path, data)
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            data = data.decode("utf-16").encode()
        data = data.removeprefix(b"\xef\xbb\xbf")
        if b"\0" in data:
            raise UserError(f"{path} has NUL characters in it: it is no text, or UTF-16 without its mark.")
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text ({error.reason}): save it as CSV in UTF-8.") from error
    if b" " in data:
        data = re.sub(rb"(?m)^ +\r?$", b"", data)
        data = re.sub(rb'(?m)([,;\t|]|^) +(?="(?!"))', rb"\1", data) if b'"' in data else data
    return data


def _separator(path: Path, text: bytes) -> str:
    """What the header line has most of, if the line below it has as many."""
    lines = (line for line in io.BytesIO(text.replace(b"\r", b"\n")) if line.strip())
    head, first = (re.sub('"[^"]*"', "", next(lines, b"").decode()) for _ in range(2))
    counts = {separator: head.count(separator) for separator in SEPARATORS if separator in head}
    alike = {separator: count for separator, count in counts.items() if first.count(separator) == count}
    if len(alike) > 1 and len(set(alike.values())) == 1:
        marks = " or ".join(SEPARATORS[separator] for separator in alike)
        raise UserError(f"{path} may be separated by {marks}: put names that have such a mark into quotes.")
    counts = alike or counts
    return max(counts, key=lambda separator: counts[separator], default=",")


def _cells(path: Path, text: bytes, separator: str) -> list[Any]:
    """Every column as an array of trimmed text, the header line included."""
    if not text.strip():
        raise UserError(f"{path} is empty: it needs a header line with names of columns, and rows below it.")
    if b'"' in text:
        for _ in _rows(path, text, separator):  # raises what is wrong with the quotes
            pass
    width = len(next(_rows(path, text, separator))[1])
    names = [f"{j}" for j in range(width)]
    try:
        table = pyarrow.csv.read_csv(
            pa.BufferReader(text),
            pyarrow.csv.ReadOptions(use_threads=False, column_names=names),
            pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=b'"' in text),
            pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False),
        )
    except pa.ArrowInvalid as error:
        for _ in _rows(path, text, separator):  # says it with the line
            pass
        raise UserError(f"{path} cannot be read as CSV: {str(error)[:200]}.") from error
    return [pc.utf8_trim_whitespace(table.column(j).combine_chunks()) for j in range(width)]


def _rows(path: Path, text: bytes, separator: str) -> Iterator[tuple[int, list[str]]]:
    """The line on which each row begins, and its cells; a quote or a row that cannot be right is refused."""
    reader = csv.reader(
        io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline=""),
        delimiter=separator,
        strict=True,
        skipinitialspace=True,
    )
    begin, width = 1, 0
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise UserError(
                f"{path} cannot be read as CSV: the quotes in line {begin} are wrong ({error}): close them, or "
                "write a quote inside a cell twice."
            ) from error
        if row is None:
            return
        if len(row) > 1 or any(cell.strip() for cell in row):
            _refuse_swallowed(path, row, begin, separator, width)
            width = width or len(row)
            if len(row) != width:
                raise UserError(
                    f"{path} cannot be read as CSV: line {begin} has {len(row)} cells, the header line {width} "
                    f"(separated by {SEPARATORS[separator]})."
                )
            yield begin, row
        begin = reader.line_num + 1


def _refuse_swallowed(path: Path, row: list[str], begin: int, separator: str, width: int) -> None:
    """Refuse a cell with a line in it that has as many separators as a row: a quote is open above it."""
    for cell in row:
        if "\n" not in cell and "\r" not in cell:
            continue
        if width < 2 or any(line.count(separator) >= width - 1 for line in cell.splitlines()[1:]):
            raise UserError(
                f"{path}: a quote in line {begin} is closed only {len(cell.splitlines()) - 1} lines later, and "
                "the lines between look like rows: close it in its line, or take line breaks out of the cell."
            )


def _checked_names(path: Path, columns: list[Any], separator: str) -> Sheet:
    """The sheet below a header line whose names are all different."""
    named: dict[str, Any] = {}
    notes = []
    for number, whole in enumerate(columns, 1):
        name, column = whole[0].as_py(), whole.slice(1)
        if CONTROL.search(name):
            raise UserError(f"{path}: the name '{name}' has control characters in it: rename the column.")
        if name in named:
            raise UserError(f"{path} has two columns named '{name}': give each a name of its own.")
        if name:
            named[name] = column
        elif _counts(column):  # as pandas and R write it
            notes.append(f"column {number} has no name and counts the rows: it is left out.")
        elif pc.any(pc.not_equal(column, "")).as_py():  # else it is a separator too many at the end of each line
            raise UserError(f"{path}: column {number} has no name in the header line; give it one.")
    return Sheet(path, named, len(columns[0]) - 1, separator, tuple(notes))


def _counts(column: Any) -> bool:
    cells = column.to_pylist()
    return bool(cells) and cells in ([str(i) for i in range(k, k + len(cells))] for k in (0, 1))


def _parquet(path: Path, data: pa.Buffer) -> Sheet:
    try:
        table = pyarrow.parquet.read_table(pa.BufferReader(data))
    except (pa.ArrowException, OSError) as error:
        raise UserError(f"{path} cannot be read as Parquet: {str(error)[:200]}.") from error
    columns = {name: table.column(name) for name in table.column_names}
    for name in levels_of(pyarrow.parquet.read_metadata(pa.BufferReader(data))) & set(columns):
        if not pa.types.is_dictionary(columns[name].type):
            columns[name] = columns[name].dictionary_encode()
    return typed_sheet(path, columns, table.num_rows)


def levels_of(metadata: pyarrow.parquet.FileMetaData) -> set[str]:
    """The columns that were levels when they were written: Parquet keeps those of words alone as such."""
    written = (metadata.metadata or {}).get(b"ARROW:schema")
    if not written:
        return set()
    try:
        schema = pa.ipc.read_schema(pa.py_buffer(base64.b64decode(written)))
    except (pa.ArrowException, ValueError):  # a note for arrow that is damaged or of a later version says nothing
        return set()
    return {column.name for column in schema if pa.types.is_dictionary(column.type)}


def typed_sheet(path: Path, columns: dict[str, Any], rows: int) -> Sheet:
    """A sheet of columns that have types of their own, as Parquet and pandas have them."""
    found: dict[str, Any] = {}
    for name, column in columns.items():
        if CONTROL.search(name):
            raise UserError(f"{path}: the name '{name}' has control characters in it: rename the column.")
        name = name.strip()
        if name in found or not name:
            raise UserError(f"{path} has two columns named '{name}': give each a name of its own.")
        whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        found[name] = _typed(path, name, whole)
    return Sheet(path, found, rows, separator="")


def _typed(path: Path, name: str, column: Any) -> Any:
    kind, is_a = column.type, pa.types
    if is_a.is_dictionary(kind):
        values = column.dictionary
        words = values if is_a.is_string(values.type) else pa.array([str(value) for value in values.to_pylist()])
        return pa.DictionaryArray.from_arrays(column.indices, pc.utf8_trim_whitespace(words.cast(pa.string())))
    if is_a.is_string(kind) or is_a.is_large_string(kind) or is_a.is_string_view(kind):
        return pc.utf8_trim_whitespace(column.cast(pa.string()))
    if is_a.is_boolean(kind):
        return pc.if_else(column, "True", "False")
    if is_a.is_null(kind):
        return pa.array([""] * len(column))
    if is_a.is_floating(kind) or is_a.is_decimal(kind):
        return column.cast(pa.float64())
    if is_a.is_integer(kind):
        return column
    if is_a.is_date(kind) or is_a.is_timestamp(kind):
        return column.cast(pa.timestamp("us", getattr(kind, "tz", None)), safe=False)  # a date needs no nanoseconds
    if is_a.is_time(kind):
        return pc.cast(column, pa.string())
    raise UserError(f"column '{name}' of {path} has values of the type {kind}, which is no number, word or date.")

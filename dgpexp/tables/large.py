"""A Parquet file with more rows than fit into memory: read twice, a part at a time, and never as a whole.

The first pass learns what each column is, the second gives the numbers. What a small file may have besides numbers
(words, dates, missing cells) is refused by name: it has to be turned into numbers before.
"""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from dgpexp import blocks
from dgpexp.datasets.large import EVALUATED, MANY, is_large
from dgpexp.datasets.sources.folder import cache_path, data_dir, written_whole
from dgpexp.datasets.table import fingerprint_of
from dgpexp.errors import UserError
from dgpexp.tables import columns
from dgpexp.tables import target as targets
from dgpexp.tables.file import Sheet, levels_of, typed_sheet
from dgpexp.tables.reading import PLAIN_NUMBER
from dgpexp.tasks import CLASSIFICATION, REGRESSION

_MOST = targets.MOST_CLASSES + 1  # different values of the target that are looked at


def large_file(path: Path) -> pyarrow.parquet.ParquetFile | None:
    """The file, if it is Parquet and has so many rows."""
    if not path.is_file():
        return None
    try:
        with path.open("rb") as file:
            if file.read(4) != b"PAR1":
                return None
        file = pyarrow.parquet.ParquetFile(path, buffer_size=1 << 20)
        return file if is_large(file.metadata.num_rows) else None
    except (OSError, pa.ArrowException):  # read_sheet says what is wrong
        return None


@dataclass(frozen=True)
class Parts:
    """The numbers [N, D+1] of a large file, in parts; the target is the last column."""

    path: Path
    features: tuple[str, ...]
    target: str
    classes: tuple[str, ...]
    rows: int
    dtype: np.dtype

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, len(self.features) + 1

    @property
    def nbytes(self) -> int:
        return self.rows * self.shape[1] * self.dtype.itemsize

    def __iter__(self) -> Iterator[np.ndarray]:
        values = np.array([float(label) for label in self.classes])
        for sheet in _sheets(self.path, [*self.features, self.target]):
            part = np.empty((len(sheet), self.shape[1]), self.dtype)
            for j, name in enumerate(self.features):
                part[:, j] = columns.quantity(sheet, name, PLAIN_NUMBER)
            y = columns.quantity(sheet, self.target, PLAIN_NUMBER)
            part[:, -1] = np.searchsorted(values, y) if self.classes else y
            yield part

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint_of(self, self.dtype, self.shape)

    def write(self, name: str) -> None:
        """Write them as the array that the runs read."""
        free = shutil.disk_usage(data_dir()).free if data_dir().exists() else self.nbytes
        if free < self.nbytes:
            raise UserError(
                f"{data_dir()} has {free / 2**30:.1f} GiB left, and the numbers of {self.path} need "
                f"{self.nbytes / 2**30:.1f}: make room, or name another folder with DGPEXP_DATA."
            )
        with written_whole(cache_path(name)) as part, part.open("wb") as file:
            header = {"descr": self.dtype.str, "fortran_order": False, "shape": self.shape}
            np.lib.format.write_array_header_1_0(file, header)
            for values in self:
                file.write(values.data)


@dataclass
class _Seen:
    """What a pass over a column has found."""

    low: float = np.inf
    high: float = -np.inf
    counts: bool = True  # 1, 2, 3, ...
    last: float | None = None

    def see(self, values: np.ndarray) -> None:
        self.low, self.high = min(self.low, values.min()), max(self.high, values.max())
        steps = np.diff(values if self.last is None else np.append(self.last, values))
        self.counts, self.last = self.counts and bool((steps == 1).all()), values[-1]


def read_parts(
    file: pyarrow.parquet.ParquetFile, path: Path, target: str, used: Sequence[str], task: str | None
) -> tuple[Parts, tuple[str, ...]]:
    """The numbers of a large file, and what a person should know about how they were read."""
    kinds = {field.name.strip(): field.type for field in file.schema_arrow}
    levels = {name.strip() for name in levels_of(file.metadata)} - {target}
    other = {
        n: "levels" if n in levels else kinds[n] for n in [*used, target] if n in levels or not _is_number(kinds[n])
    }
    if other:
        listed = ", ".join(f"'{name}' ({kind})" for name, kind in other.items())
        raise UserError(
            f"{path} has {file.metadata.num_rows:,} rows, and of more than {MANY:,} only columns of numbers are read: "
            f"turn {listed} into numbers, or leave inputs out by --drop."
        )
    seen = {name: _Seen() for name in [*used, target]}
    distinct = np.zeros(0)
    for sheet in _sheets(path, list(seen)):
        for name, found in seen.items():
            if len(gone := sheet.missing(name)):
                raise UserError(
                    f"{sheet.place(int(gone[0]), name)} is missing, and of more than {MANY:,} rows none may be: fill "
                    "such cells in, or take those rows out of the file."
                )
            found.see(values := columns.quantity(sheet, name, PLAIN_NUMBER))
        if len(distinct) < _MOST:
            distinct = np.union1d(distinct, values)[:_MOST]
    if len(distinct) == 1:
        value = f"{distinct[0]:g}"
        raise UserError(f"{path}: the target '{target}' is {value} in every row, so there is nothing to predict.")
    constant = [name for name in used if seen[name].low == seen[name].high]
    notes = [f"column '{name}' is {seen[name].low:g} in every row: it is left out." for name in constant]
    notes += [
        f"column '{name}' counts the rows: if it means nothing, leave it out by --drop '{name}'."
        for name in used
        if seen[name].counts
    ]
    features = tuple(name for name in used if name not in constant)
    if not features:
        raise UserError(f"{path} has no column left to predict '{target}' from.")
    classes = _classes(path, target, distinct, task)
    if classes:
        doubt = ": if it is a quantity, say --task regression" if task is None else ""
        notes.append(f"the target '{target}' is one of {len(classes)} classes ({columns.some(classes)}){doubt}.")
    kind = np.result_type(np.float32, *(kinds[name].to_pandas_dtype() for name in [*features, target]))
    parts = Parts(path, features, target, classes, file.metadata.num_rows, np.dtype(kind))
    size, folder = f"{parts.nbytes / 2**30:.1f} GiB", data_dir()
    notes.append(
        f"{parts.rows:,} rows are not read into memory: runs read them from a copy in {folder}, {size} beside the "
        f"file's own. One split is made, and evaluated on {EVALUATED:,} of its test rows (evaluate_rows, --splits)."
    )
    return parts, tuple(notes)


def _is_number(kind: pa.DataType) -> bool:
    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _classes(path: Path, target: str, distinct: np.ndarray, task: str | None) -> tuple[str, ...]:
    """The labels of a target of classes, as the target of a small file has them."""
    if task == REGRESSION.name or (task is None and not targets.few_whole(distinct)):
        return ()
    if len(distinct) == _MOST:
        raise UserError(
            f"the target '{target}' of {path} has more than the {targets.MOST_CLASSES} different values allowed "
            f"for classes: leave --task {CLASSIFICATION.name} out."
        )
    return tuple(targets.usual(repr(float(value))) for value in distinct)


def _sheets(path: Path, names: Sequence[str]) -> Iterator[Sheet]:
    """The rows of the file in sheets of some columns."""
    with pyarrow.parquet.ParquetFile(path, buffer_size=1 << 20) as file:
        own = {name.strip(): name for name in file.schema_arrow.names}
        first = 0
        try:
            for batch in _batches(file, [own[name] for name in names]):
                named = {name: batch.column(own[name]) for name in names}
                sheet = typed_sheet(path, named, batch.num_rows)
                yield Sheet(path, sheet.columns, len(sheet), "", kept=np.arange(first, first + len(sheet)))
                first += len(sheet)
        except (pa.ArrowException, OSError) as error:
            raise UserError(f"{path} cannot be read as Parquet: {str(error)[:200]}.") from error


def _batches(file: pyarrow.parquet.ParquetFile, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The rows in batches, one row group after the other: a reader of all groups would keep what it has read."""
    for group in range(file.num_row_groups):
        yield from file.iter_batches(blocks.BLOCK, [group], names, use_threads=False)
        pa.default_memory_pool().release_unused()

"""Reading a canonical file: `NAME.csv.gz` (or `.csv`), a header row, every column a number, the target last."""

import gzip
import io
from pathlib import Path

import numpy as np

from dgpexp.datasets.catalog import Dataset
from dgpexp.errors import UserError


def read_canonical(path: Path, dataset: Dataset) -> np.ndarray:
    """The array [N, D+1] of a canonical CSV; whatever is wrong with it becomes one sentence."""
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()
    except (OSError, EOFError, UnicodeDecodeError, gzip.zlib.error) as error:  # type: ignore[attr-defined]
        raise UserError(f"{path} cannot be read ({error}); get it again with `dgpexp data fetch`.") from error
    header, _, body = text.partition("\n")
    names = [h.strip().strip('"') for h in header.split(",")]
    missing = [c for c in (*dataset.features, dataset.target) if c not in names]
    if missing:
        raise UserError(f"{path} has no column {', '.join(missing)}: its header must name {dataset.name}'s columns.")
    return numbers(body, path, delimiter=",", columns=[names.index(c) for c in (*dataset.features, dataset.target)])


def numbers(body: str, path: Path, delimiter: str | None, columns: list[int] | None = None) -> np.ndarray:
    """Lines of numbers as an array; text, gaps and NaN are refused with the place where they stand."""
    try:
        values = np.loadtxt(io.StringIO(body), delimiter=delimiter, usecols=columns, ndmin=2, comments=None)
    except ValueError as error:
        raise UserError(f"{path} is not a table of numbers: {str(error).split(';')[0]}.") from error
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        row, column = bad[0]
        raise UserError(f"{path} has a NaN or infinity in data row {row + 1}, column {column + 1}: remove that row.")
    return np.asarray(values)

"""From any file of a data set to its one canonical array [N, D+1], the target last."""

from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import numpy as np

from dgpexp.datasets.catalog import Dataset
from dgpexp.datasets.formats import airline, mnist
from dgpexp.datasets.formats.tabular import open_text, read_numbers, read_table
from dgpexp.datasets.table import fingerprint
from dgpexp.errors import UserError


def read(dataset: Dataset, paths: Sequence[Path]) -> np.ndarray:
    """The canonical array from a canonical file, from an original, or from all parts of a set that has several."""
    try:
        values = _values(dataset, paths)
    except UserError:
        raise
    except Exception as error:  # a damaged file fails in many ways
        raise UserError(f"{paths[0]} cannot be read ({error or type(error).__name__}); get it again.") from error
    return proven(dataset, values, str(paths[0]))


def _values(dataset: Dataset, paths: Sequence[Path]) -> np.ndarray:
    if dataset.name == "airline2008":
        return airline.read_2008(*paths)
    if dataset.name == "airline":
        return airline.read_npz(paths[0])
    if dataset.name == "mnist":
        return mnist.read(paths)
    if _has_header(dataset, paths[0]):
        return _by_name(dataset, paths[0])
    return arrange(dataset, read_table(paths[0], dataset.sheet), str(paths[0]))


def proven(dataset: Dataset, values: np.ndarray, where: str) -> np.ndarray:
    """`values` if they are the data set's: its shape, and its fingerprint where the catalog has one."""
    if not dataset.rows_are_approximate and values.shape != (dataset.rows, dataset.inputs + 1):
        rows, columns = values.shape
        raise UserError(
            f"{where} is not {dataset.name}: it has {rows} rows of {columns} columns instead of {dataset.rows} of "
            f"{dataset.inputs + 1}; it may be truncated, get it again."
        )
    if dataset.fingerprint and fingerprint(values) != dataset.fingerprint:
        raise UserError(f"{where} was altered: its numbers are not those of {dataset.name} (checksum); get it again.")
    return values


def arrange(dataset: Dataset, values: np.ndarray, where: str) -> np.ndarray:
    """An original's columns and digits made canonical: see the head of catalog.toml."""
    width = dataset.inputs + 1
    if values.shape[1] < width:
        raise UserError(f"{where} has {values.shape[1]} columns, and {dataset.name} needs {width}; get it again.")
    if dataset.target_first:
        values = np.roll(values[:, :width], -1, axis=1)
    elif values.shape[1] > width:  # energy's cooling load, naval's turbine decay
        values = values[:, :width].copy()
    if dataset.decimals:
        inputs, target = dataset.decimals
        values = np.column_stack(
            [round_half_up(c, inputs) for c in values[:, :-1].T] + [round_half_up(values[:, -1], target)]
        )
    return values


def round_half_up(a: np.ndarray, decimals: int) -> np.ndarray:
    """Rounded as a spreadsheet shows it: 238.05 becomes 238.1, although the double lies below the half."""
    step = Decimal(1).scaleb(-decimals)
    return np.array([float(Decimal(repr(v)).quantize(step, ROUND_HALF_UP)) for v in a.tolist()])


def _has_header(dataset: Dataset, path: Path) -> bool:
    """Whether it is a canonical file by its name: NAME.csv or NAME.csv.gz."""
    return path.name in (f"{dataset.name}.csv", f"{dataset.name}.csv.gz")


def _by_name(dataset: Dataset, path: Path) -> np.ndarray:
    """A CSV whose header names the columns, in whatever order they stand."""
    wanted = (*dataset.features, dataset.target)
    with open_text(path) as text:
        names = [h.strip().strip("\"'") for h in text.readline().split(",")]
    missing = [c for c in wanted if c not in names]
    if missing:
        raise UserError(
            f"{path} has no column {', '.join(missing)}: its header must name all columns of {dataset.name}."
        )
    return read_numbers(path, ",", 1, [names.index(c) for c in wanted])

"""Rows that somebody wants predictions for: a CSV whose columns are matched to the model's inputs by name."""

from pathlib import Path

import numpy as np

from dgpexp.errors import UserError
from dgpexp.tables import missing as absent
from dgpexp.tables.columns import Levels, encode, needed
from dgpexp.tables.dates import dated, expand
from dgpexp.tables.file import Cells, read_cells


def read_inputs(
    path: Path, features: tuple[str, ...], levels: Levels, missing: str | None = None
) -> tuple[np.ndarray, Cells, list[str]]:
    """The inputs [n, D] in the model's order, the cells of those rows, and what a person should know.

    `levels` are those of the columns of words that some of the features were made from. A missing number is NaN, to be
    filled in by whoever has the model, if `missing` says so.
    """
    raw, wanted = read_cells(path), needed(features, levels)
    cells = expand(raw, dated(features, raw))
    lacking = [name for name in wanted if name not in cells.columns]
    if lacking:
        raise UserError(
            f"{path} lacks the columns {', '.join(lacking)}; the model needs a header line with {', '.join(wanted)} "
            f"and found {', '.join(raw.columns)}."
        )
    if not len(cells):
        raise UserError(f"{path} has a header line and no rows to predict.")
    notes = []
    unused = [name for name in raw.columns if name not in wanted and name not in dated(features, raw)]
    if unused:
        notes.append(f"Not used by the model: {', '.join(unused)}.")
    found = absent.locate(cells, wanted)
    if found and missing is None:
        raise absent.refuse(cells, found)
    if missing == absent.DROP:
        gone = {row for rows in found.values() for row in rows}
        cells, raw, found = absent.without(cells, gone), absent.without(raw, gone), {}
        notes += [f"{len(gone)} rows with missing cells are left out."] if gone else []
        if not len(cells):
            raise UserError(f"{path} has no row without missing cells.")
    x = encode(_stood_in(cells, found, levels), features, levels)
    for name, rows in found.items():
        if name not in levels:
            x[list(rows), features.index(name)] = np.nan
    return x, raw, notes


def _stood_in(cells: Cells, found: absent.Found, levels: Levels) -> Cells:
    """With something in the place of missing cells that can be encoded: of words, the level that was taught."""
    columns = {name: list(column) for name, column in cells.columns.items()}
    for name, rows in found.items():
        for row in rows:
            columns[name][row] = absent.LEVEL if name in levels else "0"
    return Cells(cells.path, cells.separator, columns, cells.lines)

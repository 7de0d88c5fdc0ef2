"""Rows that somebody wants predictions for: a CSV whose columns are matched to the model's inputs by name."""

from pathlib import Path

import numpy as np

from dgpexp.datasets.own.csv_file import read_cells
from dgpexp.datasets.own.encoding import Levels, encode, needed
from dgpexp.errors import UserError


def read_inputs(path: Path, features: tuple[str, ...], levels: Levels) -> tuple[np.ndarray, list[str]]:
    """The inputs [n, D] in the model's order, and the names of columns that the model does not use.

    `levels` are those of the columns of words that some of the features were made from.
    """
    cells, wanted = read_cells(path), needed(features, levels)
    missing = [name for name in wanted if name not in cells.columns]
    if missing:
        raise UserError(
            f"{path} lacks the columns {', '.join(missing)}; the model needs a header line with {', '.join(wanted)} "
            f"and found {', '.join(cells.columns)}."
        )
    if not len(cells):
        raise UserError(f"{path} has a header line and no rows to predict.")
    return encode(cells, features, levels), [name for name in cells.columns if name not in wanted]

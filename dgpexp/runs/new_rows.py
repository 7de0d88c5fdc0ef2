"""Rows that somebody wants predictions for: a CSV whose columns are matched to the model's inputs by name."""

from pathlib import Path

import numpy as np
import pandas as pd

from dgpexp.errors import UserError


def read_inputs(path: Path, features: tuple[str, ...]) -> tuple[np.ndarray, list[str]]:
    """The inputs [n, D] in the model's order, and the names of columns that the model does not use."""
    try:
        table = pd.read_csv(path)
    except (OSError, ValueError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read as CSV ({str(error).splitlines()[0]}).") from error
    table.columns = table.columns.astype(str).str.strip()
    missing = [name for name in features if name not in table.columns]
    if missing:
        raise UserError(
            f"{path} lacks the columns {', '.join(missing)}; the model needs a header line with {', '.join(features)} "
            f"and found {', '.join(table.columns)}."
        )
    if table.empty:
        raise UserError(f"{path} has a header line and no rows to predict.")
    x = np.empty((len(table), len(features)))  # [n, D]
    for j, name in enumerate(features):
        column = pd.to_numeric(table[name], errors="coerce").to_numpy(dtype=float)
        bad = np.flatnonzero(~np.isfinite(column))
        if bad.size:
            value = table[name].iloc[int(bad[0])]
            raise UserError(f"{path}, row {bad[0] + 1}, column {name}: {value!r} is not a number to predict from.")
        x[:, j] = column
    return x, [name for name in table.columns if name not in features]

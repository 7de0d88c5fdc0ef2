"""The numbers that the thesis printed, and for what it did not do other papers, as one look-up.

A printed number is a rounded number: `2.74 (0.14)` stands for anything between 2.735 and 2.745. `Published` carries
that resolution: on naval (RMSE 0.00) and protein (standard error 0.00) it is larger than the differences of interest.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dgpexp.errors import UserError
from dgpexp.resources import published_dir

# What the thesis's tables have: its own three methods, whatever others are registered today.
METHODS = ("vi", "aep", "aepmcm")
DEPTHS = (2, 3, 4, 5)
UCI = ("boston", "concrete", "energy", "kin8nm", "naval", "power", "protein", "wine")
SYNTHETIC = ("sincos", "heteroscedastic")
BIG = ("year", "airline")
STANDARDISED = "standardised"  # before a metric: of the target divided by its deviation


@dataclass(frozen=True)
class Published:
    """One printed value: its standard error (None: not printed), its resolution, and whether the scan is legible."""

    table: str
    mean: float
    stderr: float | None
    resolution: float
    legible: bool = True

    @property
    def variance(self) -> float:
        """Variance of the printed mean about the true one: its standard error and its rounding (resolution² / 12).

        A standard error printed as 0.00 lies between 0 and half the resolution; the middle of that stands for it.
        """
        stderr = self.stderr if self.stderr else self.resolution / 4
        return stderr**2 + self.resolution**2 / 12


Key = tuple[str, str, int | None, int | None, str]  # dataset, method, layers, samples, metric


# Files, and where one has a column for each metric, the resolution of these.
_FILES: dict[str, dict[str, float]] = {
    "thesis_uci": {},
    "thesis_synthetic": {"rmse": 0.001, "ll": 0.001},
    "thesis_bigdata": {"seconds_per_step": 1e-4, "rmse": 0.01, "ll": 0.01},
    "classification": {},
    "rff_regression": {},
}


def load(folder: Path | None = None) -> dict[Key, Published]:
    """Every printed value by (data set, method, layers, samples, metric); samples only in section 5.3."""
    values: dict[Key, Published] = {}
    for name, columns in _FILES.items():
        try:
            rows: Any = pd.read_csv((folder or published_dir()) / f"{name}.csv", dtype={"table": str})
        except OSError as error:
            raise UserError(f"the published numbers cannot be read: {error}; install dgpexp again.") from error
        for r in rows.to_dict("records"):
            table, layers = r.get("table") or r["source"], int(r.get("layers", 3))
            samples = None if pd.isna(r.get("samples")) else int(r["samples"])
            printed = [(metric, r[metric], resolution) for metric, resolution in columns.items()]
            legible = r.get("legible", "yes") == "yes"
            for metric, mean, resolution in printed or [(r["metric"], r["mean"], r.get("resolution", 0.01))]:
                value = Published(table, mean, r.get("stderr"), resolution, legible)
                values[r["dataset"], r["method"], layers, samples, metric] = value
    return values


def in_order(known: Iterable[Any], found: Iterable[Any]) -> list[Any]:
    """What the thesis has in its order, then what only we have."""
    known = list(known)
    return known + sorted(set(found) - set(known))

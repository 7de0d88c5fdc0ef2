"""The numbers that the thesis printed, and for what it did not do other papers, as one look-up.

A printed number is a rounded number: `2.74 (0.14)` stands for anything between 2.735 and 2.745. `Published` carries
that resolution: on naval (RMSE 0.00) and protein (standard error 0.00) it is larger than the differences of interest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

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


def load(folder: Path | None = None) -> dict[Key, Published]:
    """Every printed value by (data set, method, layers, samples, metric); samples only in section 5.3."""
    folder = folder or published_dir()
    values: dict[Key, Published] = {}
    try:
        uci = pd.read_csv(folder / "thesis_uci.csv", dtype={"table": str})
        synthetic = pd.read_csv(folder / "thesis_synthetic.csv", dtype={"table": str})
        big = pd.read_csv(folder / "thesis_bigdata.csv", dtype={"table": str})
        others = [pd.read_csv(folder / f"{name}.csv") for name in ("classification", "rff_regression")]
    except OSError as error:
        raise UserError(f"the published numbers cannot be read: {error}; install dgpexp again.") from error
    for r in uci.to_dict("records"):
        value = Published(r["table"], r["mean"], r["stderr"], 0.01, r["legible"] == "yes")
        values[r["dataset"], r["method"], int(r["layers"]), None, r["metric"]] = value
    for r in synthetic.to_dict("records"):
        for metric in ("rmse", "ll"):
            values[r["dataset"], r["method"], int(r["layers"]), None, metric] = Published(
                r["table"], r[metric], None, 0.001
            )
    for r in big.to_dict("records"):
        samples = None if pd.isna(r["samples"]) else int(r["samples"])
        for metric, resolution in (("seconds_per_step", 1e-4), ("rmse", 0.01), ("ll", 0.01)):
            value = Published(r["table"], r[metric], None, resolution)
            values[r["dataset"], r["method"], 3, samples, metric] = value
    for r in pd.concat(others).to_dict("records"):
        value = Published(r["source"], r["mean"], None, r["resolution"])
        values[r["dataset"], r["method"], int(r["layers"]), None, r["metric"]] = value
    return values


def of_table(values: dict[Key, Published], table: str) -> Iterator[tuple[Key, Published]]:
    """The values that one table of the thesis prints."""
    return ((key, value) for key, value in values.items() if value.table == table)

"""How many-peaked is a prediction of sincos? Its measures, and the table of them beside Figure 5.2.1.

sincos has two branches, 10 sin x and 10 cos x, each with half of the probability. A prediction that knows both puts its
mass near them and little in between; one that averages them puts its mass where no data is.
"""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dgpexp.datasets import synthetic
from dgpexp.figures.predictive.grid_predictions import grid
from dgpexp.methods import method_name
from dgpexp.predictive.mixture import Mixture

NEAR = 2.0  # standard deviations of the noise within which a value belongs to a branch
FAR_APART = 6.0  # standard deviations of the noise between two branches from which on they can be told apart
_PLACES = np.linspace(-0.5, 1.5, 101)  # where the density is looked at: 0 is the lower branch, 1 the upper one
HEADINGS = {
    "near_first": "near 10 sin x",
    "near_second": "near 10 cos x",
    "between": "between",
    "valley": "valley depth",
    "two_peaks": "two peaks",
}
_NOTE = (
    f"sincos, at inputs where the branches are at least {FAR_APART:g} noise deviations apart. Near: share of the "
    f"predictive mass within {NEAR:g} deviations of the branch. Between: share that lies between the branches and "
    "near neither. Valley depth: 1 - density at the bottom / density at the lower peak. Two peaks: share of the "
    "inputs with a valley deeper than one half. Mean over runs (standard error).\n"
)


@dataclass(frozen=True)
class Multimodality:
    """Averages over the inputs at which the branches are far apart."""

    near_first: float  # share of the predictive mass within NEAR deviations of the first branch
    near_second: float
    between: float  # share of it that lies between the branches and near neither
    valley: float  # depth of the valley between the branches, 0 (none) to 1 (down to nothing)
    two_peaks: float  # share of the inputs at which that valley is deeper than one half


def measure(mixture: Mixture, branches: np.ndarray, deviation: np.ndarray) -> Multimodality:
    """Measure a prediction at n inputs against the two branches [2, n] with noise of deviation [n]."""
    apart = np.abs(branches[0] - branches[1]) >= FAR_APART * deviation
    mixture = Mixture(mixture.means[:, apart], mixture.variances[:, apart])
    branches, width = branches[:, apart], NEAR * deviation[apart]
    first, second = branch_shares(mixture, branches, width)
    low, high = np.sort(branches, axis=0)
    depth = valley_depth(mixture, low, high)
    return Multimodality(
        near_first=float(first.mean()),
        near_second=float(second.mean()),
        between=float((mixture.cdf(high - width) - mixture.cdf(low + width)).mean()),
        valley=float(depth.mean()),
        two_peaks=float((depth > 0.5).mean()),
    )


def branch_shares(mixture: Mixture, branches: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Predictive mass within `width` [n] of each branch [B, n]: [B, n]."""
    return np.stack([mixture.cdf(b + width) - mixture.cdf(b - width) for b in branches])


def valley_depth(mixture: Mixture, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How deep the density dips between `low` and `high` [n], relative to the lower of the peaks beside the dip: [n].

    The depth at y is 1 - p(y) / min(max p below y, max p above y); it is 0 everywhere exactly if p rises to one peak
    and falls, and the deepest point between the branches counts.
    """
    # Unlike Mixture.log_density this may underflow to 0, and it is quick enough to be done for every run of a report.
    precision = 1.0 / np.sqrt(mixture.variances)  # [S, n]
    density = np.empty((len(_PLACES), len(low)))  # but for a factor √(2π)
    for i, u in enumerate(_PLACES):
        z = (low + u * (high - low) - mixture.means) * precision
        density[i] = (precision * np.exp(-0.5 * z * z)).mean(0)
    below = np.maximum.accumulate(density, axis=0)
    above = np.maximum.accumulate(density[::-1], axis=0)[::-1]
    # Far from everything the density underflows to 0 on all sides: no valley there.
    depth = 1.0 - density / np.maximum(np.minimum(below, above), np.finfo(float).tiny)
    depth[np.minimum(below, above) == 0.0] = 0.0
    return np.asarray(depth[(_PLACES >= 0) & (_PLACES <= 1)].max(axis=0))


def summarise(measured: list[Multimodality]) -> dict[str, tuple[float, float]]:
    """Mean and standard error over several models, by name of the measure; one model has no standard error (NaN)."""
    values = np.array([list(asdict(m).values()) for m in measured])  # [runs, measures]
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.full(values.shape[1], np.nan)
    return {k: (float(m), float(e)) for k, m, e in zip(asdict(measured[0]), values.mean(axis=0), errors, strict=True)}


def of_sincos(mixture: Mixture) -> Multimodality:
    """Measure a prediction on the grid of sincos."""
    x = grid("sincos")
    return measure(mixture, synthetic.branches("sincos", x), synthetic.noise_std("sincos", x))


def rows(predicted: list[tuple[str, Mixture]]) -> list[dict[str, str]]:
    """A row per method, mean and standard error over its runs, after the row of the true density."""
    x = grid("sincos")
    truth = Mixture(synthetic.branches("sincos", x), np.tile(synthetic.noise_std("sincos", x) ** 2, (2, 1)))
    by_method = {"truth": [of_sincos(truth)]}
    for method, mixture in predicted:
        by_method.setdefault(method, []).append(of_sincos(mixture))
    table = []
    for method, measured in by_method.items():
        known = method == "truth"
        row = {"method": method, "name": method if known else method_name(method)}
        row["runs"] = "" if known else str(len(measured))
        for name, (mean, error) in summarise(measured).items():
            row[name] = f"{mean:.3f}"
            row[f"{name}_se"] = "" if np.isnan(error) else f"{error:.3f}"
        table.append(row)
    return table


def read(folder: Path) -> list[dict[str, str]]:
    """What `write` wrote there, for the report's page; none if it wrote nothing."""
    file = folder / "multimodality.csv"
    table: Any = pd.read_csv(file, dtype=str, keep_default_na=False) if file.is_file() else pd.DataFrame()
    return list(table.to_dict("records"))


def write(predicted: list[tuple[str, Mixture]], folder: Path) -> None:
    """multimodality.csv and multimodality.md in `folder`."""
    table = rows(predicted)
    folder.mkdir(parents=True, exist_ok=True)
    pd.DataFrame(table).to_csv(folder / "multimodality.csv", index=False, lineterminator="\n")
    lines = ["| | runs | " + " | ".join(HEADINGS.values()) + " |", "|---|---|" + "---|" * len(HEADINGS)]
    for row in table:
        cells = [row[k] + (f" ({row[k + '_se']})" if row[k + "_se"] else "") for k in HEADINGS]
        lines.append(f"| {row['name']} | {row['runs']} | " + " | ".join(cells) + " |")
    (folder / "multimodality.md").write_text("\n".join([*lines, "", _NOTE]), encoding="utf-8")

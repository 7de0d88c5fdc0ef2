"""The table beside Figure 5.2.1: how much of the two branches of sincos each method's prediction holds."""

import csv
import io
from pathlib import Path

import numpy as np

from dgpexp.datasets import synthetic
from dgpexp.figures.predictive.grid_predictions import grid
from dgpexp.figures.predictive.multimodality import FAR_APART, NEAR, Multimodality, measure, summarise
from dgpexp.methods import method_name
from dgpexp.predictive.mixture import Mixture

HEADINGS = {
    "near_first": "near 10 sin x",
    "near_second": "near 10 cos x",
    "between": "between",
    "valley": "valley depth",
    "two_peaks": "two peaks",
}


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
        row = {"method": method, "name": method if method == "truth" else method_name(method)}
        row["runs"] = "" if method == "truth" else str(len(measured))
        for name, (mean, error) in summarise(measured).items():
            row[name] = f"{mean:.3f}"
            row[f"{name}_se"] = "" if np.isnan(error) else f"{error:.3f}"
        table.append(row)
    return table


def read(folder: Path) -> list[dict[str, str]]:
    """What `write` wrote there, for the report's page; none if it wrote nothing."""
    try:
        with open(folder / "multimodality.csv", encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError:
        return []


def write(predicted: list[tuple[str, Mixture]], folder: Path) -> None:
    """multimodality.csv and multimodality.md in `folder`."""
    table = rows(predicted)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(table[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "multimodality.csv").write_text(text.getvalue(), encoding="utf-8")
    (folder / "multimodality.md").write_text(_markdown(table), encoding="utf-8")


def _markdown(table: list[dict[str, str]]) -> str:
    lines = ["| | runs | " + " | ".join(HEADINGS.values()) + " |", "|---|---|" + "---|" * len(HEADINGS)]
    for row in table:
        cells = [row[k] + (f" ({row[k + '_se']})" if row[k + "_se"] else "") for k in HEADINGS]
        lines.append(f"| {row['name']} | {row['runs']} | " + " | ".join(cells) + " |")
    note = (
        f"\nsincos, at inputs where the branches are at least {FAR_APART:g} noise deviations apart. Near: share of the "
        f"predictive mass within {NEAR:g} deviations of the branch. Between: share that lies between the branches and "
        "near neither. Valley depth: 1 - density at the bottom / density at the lower peak. Two peaks: share of the "
        "inputs with a valley deeper than one half. Mean over runs (standard error).\n"
    )
    return "\n".join(lines) + "\n" + note

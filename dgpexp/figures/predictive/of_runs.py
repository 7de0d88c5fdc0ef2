"""Figures 5.2.1 and 5.2.2 and the table of multimodality, from the trained models in the run store.

`draw` is called when a report is built: it draws what the finished runs allow and leaves out the rest.
"""

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dgpexp.drawing import canvas
from dgpexp.errors import UserError
from dgpexp.figures import index
from dgpexp.figures.predictive import multimodality
from dgpexp.figures.predictive.grid_predictions import predictions
from dgpexp.figures.predictive.panels import METHODS, figure
from dgpexp.predictive.mixture import Mixture
from dgpexp.store.stored_run import COMPLETED, runs_dir

LAYERS = 3


@dataclass(frozen=True)
class Subject:
    """What a figure is of: its number and words, the range of y, and the inputs at which densities are compared."""

    id: str
    title: str
    caption: str
    limits: tuple[float, float]
    inputs: tuple[float, ...]


@dataclass(frozen=True)
class Trained:
    """A finished run that left a model."""

    folder: Path
    method: str
    split: int
    rows: int
    profile: str


SUBJECTS = {
    "sincos": Subject(
        "5.2.1",
        "Two branches: what each method predicts for sincos",
        """Above, the generating functions (red) with the training data (blue), and samples of each method's predictive
        distribution. Below, the true density of y (grey) and the predicted ones at the four inputs marked by dotted
        lines. AEPMCM follows both branches with little mass in between. VI and AEP widen one cloud until it covers
        both, and put much of their mass where there is no data; AEP at least narrows where the branches cross.""",
        (-16.0, 16.0),
        (-1.5, -0.75, 0.785, 1.75),
    ),
    "heteroscedastic": Subject(
        "5.2.2",
        "Noise that depends on the input: what each method predicts",
        """Above, the generating function (red) with the training data (blue), and samples of each method's predictive
        distribution. Below, the true density of y (grey) and the predicted ones at the four inputs marked by dotted
        lines. The noise is widest at x = 0 and vanishes at x = ±π. AEPMCM and AEP pass it through their hidden layers:
        narrow where the data is narrow, wide where it is wide. VI has nearly the same noise everywhere.""",
        (-14.0, 14.0),
        (-3.0, -1.5, 0.0, 2.5),
    ),
}


def draw(runs: pd.DataFrame, results: Path, output: Path) -> list[index.Entry]:
    """Draw what can be drawn into `output`, enter it in its index, and return the entries."""
    entries = []
    for dataset, subject in SUBJECTS.items():
        predicted = _predicted(_trained(runs, dataset, results), dataset)
        if not predicted:
            continue
        shown = _one_split(list(predicted))
        mixtures = {run.method: predicted[run] for run in shown}
        with canvas.applied():
            drawing = figure(dataset, shown[0].split, shown[0].rows, subject.limits, subject.inputs, mixtures)
            canvas.save(drawing, output / f"{subject.id}-{dataset}")
        if dataset == "sincos":
            multimodality.write([(run.method, mixture) for run, mixture in predicted.items()], output)
        caption = f"{' '.join(subject.caption.split())} Models of the profile {shown[0].profile}."
        command = f"dgpexp run synthetic --profile {shown[0].profile}; dgpexp report --profile {shown[0].profile}"
        files = (f"{subject.id}-{dataset}.svg", f"{subject.id}-{dataset}.png")
        entries.append(index.Entry(subject.id, subject.title, caption, command, *files))
    if entries:
        index.add(output, entries)
    return entries


def _trained(runs: pd.DataFrame, dataset: str, results: Path) -> list[Trained]:
    """The finished runs of a data set that left a model, the latest of each cell, in the order of the panels."""
    chosen = runs[(runs.status == COMPLETED) & (runs.layers == LAYERS) & (runs.dataset == dataset)]
    chosen = chosen[chosen.method.isin(METHODS)].sort_values("started")
    chosen = chosen.drop_duplicates(["method", "split"], keep="last")
    trained = []
    for row in chosen.to_dict("records"):
        folder = runs_dir(results, str(row["profile"])) / str(row["run_id"])
        if (folder / "model.npz").is_file() and row["settings"] not in ("", "{}"):
            rows = int(json.loads(row["settings"]).get("rows", 0))
            trained.append(Trained(folder, str(row["method"]), int(row["split"]), rows, str(row["profile"])))
    return sorted(trained, key=lambda run: (METHODS.index(run.method), run.split))


def _predicted(trained: list[Trained], dataset: str) -> dict[Trained, Mixture]:
    """What each model predicts; one that cannot be read is left out, for a report must not fail because of it."""
    predicted = {}
    for run in trained:
        with contextlib.suppress(UserError, KeyError, ValueError):
            predicted[run] = predictions(run.folder, dataset)
    return predicted


def _one_split(trained: list[Trained]) -> list[Trained]:
    """The runs of the first split that most methods have finished, so that all panels show the same data."""
    splits = sorted({run.split for run in trained})
    best = max(splits, key=lambda split: sum(run.split == split for run in trained))
    return [run for run in trained if run.split == best]

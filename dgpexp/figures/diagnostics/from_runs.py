"""What a model predicts for the test rows of its runs, by the models that the runs left."""

from typing import Any

import numpy as np

from dgpexp.datasets import DataChoice, Split
from dgpexp.datasets.kept import source_columns
from dgpexp.datasets.streaming import in_memory
from dgpexp.figures.diagnostics.panel import Predicted
from dgpexp.methods import METHODS
from dgpexp.store.configurations import Configuration
from dgpexp.store.stored_run import StoredRun, load_model
from dgpexp.store.tidy_table import read_curves
from dgpexp.training.predictor import Predictor

_SHUFFLES = 3
_MOST_SHUFFLED = 200  # test rows of a split: a mean over these is known well enough


def tested(configuration: Configuration) -> Predicted:
    """All that the panels draw of a model's complete runs."""
    runs = [_run(run) for run in configuration.runs]
    predictions = [prediction for prediction, *_ in runs]
    splits = [split for _, split, _, _ in runs]
    worths = [worth for *_, worth in runs]
    return Predicted(
        prediction=type(predictions[0]).joined(predictions),
        y=np.concatenate([split.y_test for split in splits]),
        curves=[read_curves(run.path) for run in configuration.runs],
        lengthscales=np.array([scales for _, _, scales, _ in runs]),
        worth={column: np.array([worth[column] for worth in worths]) for column in worths[0]},
        features=splits[0].features,
        target=splits[0].target,
        colour=METHODS[configuration.spec.method].colour,
    )


def _run(run: StoredRun) -> tuple[Any, Split, np.ndarray, dict[str, float]]:
    """The prediction for its test rows, its split, lengthscales [D] or none, and the worth of each column."""
    assert run.spec is not None
    split = in_memory(DataChoice.of(run.spec).load())
    predictor = load_model(run, features=split.features, classes=split.classes)
    kernel = getattr(predictor.model.layers[0], "kernel", None)
    scales = getattr(kernel, "lengthscales", None)
    lengthscales = np.array([]) if scales is None else np.broadcast_to(scales, len(split.features))
    return predicted(predictor, split.x_test), split, lengthscales, worth(predictor, split)


def worth(predictor: Predictor, split: Split) -> dict[str, float]:
    """The mean log density that test rows lose where one column of theirs is shuffled: of every column."""
    x, y = split.x_test[:_MOST_SHUFFLED], split.y_test[:_MOST_SHUFFLED]
    whole, rng, found = predicted(predictor, x).log_density(y).mean(), np.random.default_rng(0), {}
    orders = [rng.permutation(len(x)) for _ in range(_SHUFFLES)]
    for column, places in source_columns(split.features, split.levels).items():
        lost = []
        for order in orders:
            shuffled = x.copy()
            shuffled[:, places] = x[order][:, places]
            lost.append(whole - predicted(predictor, shuffled).log_density(y).mean())
        found[column] = float(np.mean(lost))
    return found


def predicted(predictor: Predictor, x: np.ndarray) -> Any:
    """The prediction at scaled inputs x [t, D], a Mixture or Classes."""
    parts: list[Any] = [part for _, part in predictor.predict_scaled(x)]
    return type(parts[0]).joined(parts)

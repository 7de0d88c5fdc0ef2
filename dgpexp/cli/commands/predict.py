"""`dgpexp predict`: predictions by a trained run, of new rows or of those that it was tested on."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dgpexp.cli.options import RESULTS

if TYPE_CHECKING:
    import numpy as np

    from dgpexp.predictive.classes import Classes
    from dgpexp.predictive.mixture import Mixture
    from dgpexp.store.stored_run import StoredRun


@click.command()
@click.argument("run", metavar="RUN")
@click.option(
    "--input", "source", type=click.Path(path_type=Path), metavar="CSV", help="New rows (default: its own test rows)."
)
@click.option("--quantiles", help="Of a number: which, separated by commas.  [default: 0.05,0.5,0.95]")
@click.option("--samples", type=click.IntRange(0), default=0, help="Also so many draws of y for each row.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of these draws.")
@click.option("--output", type=click.Path(path_type=Path), metavar="CSV", help="Where to write (default: stdout).")
@RESULTS
def predict(
    run: str,
    source: Path | None,
    quantiles: str | None,
    samples: int,
    seed: int,
    output: Path | None,
    results: Path | None,
) -> None:
    """Predict the rows of a CSV by RUN (an id, the start of one, or its folder): mean, deviation, quantiles.

    Of classes: the most probable one, its probability, and the probabilities of all.

    Without --input, the rows that RUN was tested on, each with its y and the log density that the prediction gives it.
    """
    from dgpexp.errors import UserError
    from dgpexp.store.stored_run import COMPLETED, find_run, results_dir

    stored = find_run(results_dir(results), run)
    levels = _levels(quantiles or "0.05,0.5,0.95")
    if stored.status != COMPLETED or not (stored.path / "model.npz").is_file():
        raise UserError(f"{stored.run_id} is {stored.status} and has no trained model yet: run it to its end first.")

    import numpy as np
    import pandas as pd

    from dgpexp.store.writable import writable

    # Rows are read before TensorFlow is: mistakes are told at once.
    x, y = _tested_rows(stored) if source is None else (_new_rows(stored, source), None)
    from dgpexp.predictive.classes import Classes
    from dgpexp.training.predictor import Prediction, Predictor

    rng = np.random.default_rng(seed)

    def columns(at: slice, prediction: Prediction) -> pd.DataFrame:
        labels = np.array(prediction.labels) if isinstance(prediction, Classes) else None
        tested = {}
        if y is not None:
            shown = y[at] if labels is None else labels[y[at].astype(int)]
            tested = {"y": shown, "log_density": prediction.log_density(y[at])}
        found = _of_classes(prediction) if isinstance(prediction, Classes) else _of_numbers(prediction, levels)
        draws = prediction.sample(samples, rng)  # [K, n]
        drawn = draws if labels is None else labels[draws]
        return pd.DataFrame(tested | found | {f"sample_{k + 1}": drawn[k] for k in range(samples)})

    predictor = Predictor.load(stored.path / "model.npz")
    if predictor.classes and quantiles:
        raise UserError(f"{stored.run_id} predicts classes, which have no quantiles: leave out --quantiles.")
    parts = predictor.parts(x) if y is None else predictor.predict_scaled(x)
    # Part by part: the components of a million rows would not fit into memory, their columns do.
    text = pd.concat([columns(*part) for part in parts]).to_csv(index=False, lineterminator="\n")
    if output is None:
        sys.stdout.write(text)
        return
    with writable(output.parent):
        output.write_text(text)


def _of_numbers(mixture: "Mixture", levels: list[float]) -> dict[str, Any]:
    found = {"mean": mixture.mean(), "std": mixture.std()}
    return found | {f"q{level:g}": mixture.quantile(level) for level in levels}


def _of_classes(classes: "Classes") -> dict[str, Any]:
    """The most probable class, its probability, and the probabilities of all."""
    found = {"class": [classes.labels[c] for c in classes.most_probable()], "probability": classes.confidence()}
    return found | {f"p({label})": p for label, p in zip(classes.labels, classes.probabilities.T, strict=True)}


def _new_rows(stored: "StoredRun", source: Path) -> "np.ndarray":
    """Inputs [n, D] in their own units."""
    from dgpexp.datasets.own.new_rows import read_inputs

    x, unused = read_inputs(source, tuple(stored.info.get("features") or ()), stored.info.get("levels") or {})
    if unused:
        click.echo(f"Not used by the model: {', '.join(unused)}.", err=True)
    return x


def _tested_rows(stored: "StoredRun") -> tuple["np.ndarray", "np.ndarray"]:
    """Scaled inputs [t, D] and y [t] of the test rows."""
    from dgpexp.datasets.run_data import split_of
    from dgpexp.errors import UserError

    if stored.spec is None:
        raise UserError(f"{stored.path / 'config.json'} does not say what it was tested on: name new rows by --input.")
    split = split_of(stored.spec)
    return split.x_test, split.y_test


def _levels(text: str) -> list[float]:
    from dgpexp.errors import UserError

    try:
        levels = [float(word) for word in text.split(",") if word.strip()]
    except ValueError:
        levels = [-1.0]
    if not all(0 < level < 1 for level in levels):
        raise UserError(f"--quantiles {text} is not possible: it accepts numbers between 0 and 1, e.g. 0.05,0.5,0.95.")
    return levels

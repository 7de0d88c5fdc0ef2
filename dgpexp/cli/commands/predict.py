"""`dgpexp predict`: predictions by a trained run, of new rows or of those that it was tested on."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dgpexp.cli.options import OUTPUT, RESULTS, not_empty

if TYPE_CHECKING:
    import numpy as np

    from dgpexp.store.stored_run import StoredRun


@click.command()
@click.argument("run", metavar="RUN")
@click.option(
    "--input", "source", type=click.Path(path_type=Path), metavar="CSV", help="New rows (default: its own test rows)."
)
@click.option("--quantiles", default="0.05,0.5,0.95", show_default=True, help="Which, separated by commas.")
@click.option("--samples", type=click.IntRange(0, 10_000), default=0, help="Also so many draws of y for each row.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of these draws.")
@click.option("--output", type=OUTPUT, callback=not_empty, metavar="CSV", help="Where to write (default: stdout).")
@RESULTS
def predict(
    run: str, source: Path | None, quantiles: str, samples: int, seed: int, output: Path | None, results: Path | None
) -> None:
    """Predict the rows of a CSV by RUN (an id, the start of one, or its folder): mean, deviation, quantiles.

    Without --input, the rows that RUN was tested on, each with its y and the log density that the prediction gives it.
    """
    from dgpexp.errors import UserError
    from dgpexp.store.stored_run import COMPLETED, find_run, results_dir

    stored = find_run(results_dir(results), run)
    levels = _levels(quantiles)
    if stored.status != COMPLETED:
        raise UserError(f"{stored.run_id} is {stored.status} and has no trained model yet: run it to its end first.")
    if not (stored.path / "model.npz").is_file():
        again = stored.info.get("command") or "the command that made it"
        raise UserError(f"{stored.path} has no model.npz any more: remove that folder, and `{again}` trains it again.")

    import numpy as np
    import pandas as pd

    from dgpexp.files import write_atomically
    from dgpexp.store.writable import writable

    # Rows are read before TensorFlow is: mistakes are told at once.
    x, y = _tested_rows(stored) if source is None else (_new_rows(stored, source), None)
    from dgpexp.predictive.mixture import Mixture
    from dgpexp.training.predictor import Predictor

    rng = np.random.default_rng(seed)

    def columns(at: slice, mixture: Mixture) -> pd.DataFrame:
        tested = {} if y is None else {"y": y[at], "log_density": mixture.log_density(y[at])}
        found = tested | {"mean": mixture.mean(), "std": mixture.std()}
        found |= {f"q{level:g}": mixture.quantile(level) for level in levels}
        draws = mixture.sample(samples, rng)  # [K, n]
        return pd.DataFrame(found | {f"sample_{k + 1}": draws[k] for k in range(samples)})

    predictor = Predictor.load(stored.path / "model.npz")
    parts = predictor.parts(x) if y is None else predictor.predict_scaled(x)
    # Part by part: the components of a million rows would not fit into memory, their columns do.
    text = pd.concat([columns(*part) for part in parts]).to_csv(index=False, lineterminator="\n")
    if output is None:
        sys.stdout.write(text)
        return
    with writable(output.parent):
        write_atomically(output, lambda f: f.write(text.encode()))


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

"""`dgpexp predict`: predictions by a trained run, of new rows or of those that it was tested on."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dgpexp.cli.options import MARKS, MISSING, OUTPUT, RESULTS, not_empty
from dgpexp.terminal.output import say

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from dgpexp.store.stored_run import StoredRun


@click.command()
@click.argument("run", metavar="RUN")
@click.option(
    "--input",
    "source",
    type=click.Path(path_type=Path),
    metavar="CSV",
    help="File of new rows (default: the rows that RUN was tested on).",
)
@click.option("--key", metavar="COLUMN", help="Keep this column of the input only (default: all of them).")
@click.option("--quantiles", help="Quantiles of a number, separated by commas.  [default: 0.05,0.5,0.95]")
@click.option(
    "--interval",
    type=click.FloatRange(0, 1, True, True),
    metavar="LEVEL",
    help="Also print an interval that holds a number with this probability, e.g. 0.9.",
)
@click.option(
    "--kind",
    type=click.Choice(["central", "hdr"]),
    default="central",
    show_default=True,
    help="Kind of interval; hdr: the highest-density region, several intervals where there are several modes.",
)
@click.option(
    "--guarantee",
    type=float,
    metavar="LEVEL",
    help="Of a number: the interval of this share of new rows, corrected on rows not trained on (of --method auto).",
)
@click.option(
    "--samples", type=click.IntRange(0, 10_000), default=0, help="Also draw this many values of y for each row."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of the draws.")
@MISSING
@MARKS
@click.option("--output", type=OUTPUT, callback=not_empty, metavar="CSV", help="Write to this file (default: stdout).")
@RESULTS
def predict(
    run: str,
    source: Path | None,
    key: str | None,
    quantiles: str | None,
    interval: float | None,
    kind: str,
    guarantee: float | None,
    samples: int,
    seed: int,
    missing: str | None,
    decimal: tuple[str, ...],
    thousands: tuple[str, ...],
    date_format: tuple[str, ...],
    output: Path | None,
    results: Path | None,
) -> None:
    """Predict the rows of a file by RUN: mean, deviation, quantiles, beside the columns of the row.

    RUN is a table of your own, the id of a run or the start of one, or a run's folder. A table predicts by the newest
    model that was trained on all its rows. New rows are read as the training file was: its decimal marks, its dates.

    For classes: the most probable one, its probability, and the probabilities of all.

    Without --input it predicts the rows that RUN was tested on, with their numbers (`row`, of the rows that were kept),
    inputs, y, and the log density of y: the lowest show which rows are hard.

    `noise` and `ignorance` are the parts of `std` that stay and would go with more rows; `outside` says why a row is
    unlike all that was learnt from.
    """
    from dgpexp import tables
    from dgpexp.errors import UserError
    from dgpexp.store.stored_run import COMPLETED, model_file, results_dir

    stored, mixture = tables.model_meant(results_dir(results), run, say)
    if output and source and output.exists() and source.exists() and output.samefile(source):
        raise UserError(f"--output {output} is the file that is read: name another one.")
    levels = _levels(quantiles or "0.05,0.5,0.95")
    if guarantee is not None and not 0 < guarantee < 1:
        raise UserError(f"--guarantee {guarantee:g} is not possible: it is a share between 0 and 1, e.g. 0.9.")
    if guarantee is not None and interval is not None:
        raise UserError("--interval and --guarantee are two intervals: leave one out.")
    if stored.status != COMPLETED:
        raise UserError(f"{stored.run_id} is {stored.status} and has no trained model yet: run it to its end first.")
    if mixture is None:
        model_file(stored)
    import numpy as np
    import pandas as pd

    from dgpexp import quietly
    from dgpexp.files import writable, write_atomically

    # Rows are read before TensorFlow is: mistakes are told at once.
    y = None
    if source is None:
        x, y, kept = _tested_rows(stored)
    else:
        x, kept = _new_rows(stored, source, key, missing, decimal, thousands, date_format)
    quietly.import_tensorflow()
    from dgpexp.cli import predicted
    from dgpexp.predictive.classes import Classes
    from dgpexp.predictive.guarantee import corrected_level
    from dgpexp.training.predictor import Prediction

    rng = np.random.default_rng(seed)

    seen = tables.seen_by(stored)
    predictor = tables.predictor_of(stored, mixture)

    def columns(at: slice, prediction: Prediction) -> pd.DataFrame:
        raw = x[at] if y is None else predictor.x_scaler.inverse(x[at])
        found = {} if y is None else {"log_density": prediction.log_density(y[at])}
        draws = prediction.sample(samples, rng)  # [K, n]
        if isinstance(prediction, Classes):
            found |= predicted.of_classes(prediction)
            draws = np.array(prediction.labels)[draws]
        else:
            found |= predicted.of_numbers(prediction, levels, interval, kind, seen.unknown(raw) if seen else 0.0)
        if seen:
            found["outside"] = np.array(seen.words(raw, predictor.features))
        return pd.DataFrame(found | {f"sample_{k + 1}": draws[k] for k in range(samples)})

    if predictor.classes and (quantiles or interval or guarantee):
        raise UserError(
            f"{stored.run_id} predicts classes, which have no quantiles: "
            "leave out --quantiles, --interval, --guarantee."
        )
    if guarantee is not None:
        interval = corrected_level(getattr(predictor, "needed", None), guarantee, kind)
    if y is None:
        x = np.where(np.isnan(x), predictor.x_scaler.mean, x)  # --missing mean: of the rows it was trained on
    parts = predictor.parts(x) if y is None else predictor.predict_scaled(x)
    # Part by part: the components of a million rows would not fit into memory, their columns do.
    found = pd.concat([columns(*part) for part in parts], ignore_index=True)
    if seen is None:
        say("Its training rows are not here, so no row can be flagged as outside what was learnt.")
    elif len(rows := np.flatnonzero(found["outside"].to_numpy() != "")):
        first = f"the {rows[0] + 1}. of them: {found['outside'][rows[0]]}"
        say(f"{len(rows)} of {len(found)} rows lie outside what was learnt (column `outside`), {first}.")
    text = predicted.beside(kept, found).to_csv(index=False, lineterminator="\n")
    if output is None:
        sys.stdout.write(text)
        return
    with writable(output.parent):
        write_atomically(output, lambda f: f.write(text.encode()))


def _new_rows(
    stored: "StoredRun", source: Path, key: str | None, missing: str | None, *marks: tuple[str, ...]
) -> tuple["np.ndarray", "pd.DataFrame"]:
    """Inputs [n, D] in their own units, NaN where a cell is missing and may be; columns to keep, as text."""
    import pandas as pd

    from dgpexp import tables
    from dgpexp.errors import UserError

    x, sheet, notes = tables.rows_to_predict(stored, source, missing, *marks)
    for note in notes:
        say(note)
    if key is not None and key not in sheet.columns:
        raise UserError(f"--key {key}: {source} has no such column; its columns are: {', '.join(sheet.columns)}.")
    kept = {name: sheet.columns[name].to_pylist() for name in ([key] if key else sheet.columns)}
    return x, pd.DataFrame(kept)


def _tested_rows(stored: "StoredRun") -> tuple["np.ndarray", "np.ndarray", "pd.DataFrame"]:
    """Scaled inputs [t, D] and y [t] of the test rows, and what to show of them: y as people call it."""
    import numpy as np
    import pandas as pd

    from dgpexp import tables
    from dgpexp.datasets import DataChoice
    from dgpexp.datasets.streaming import in_memory
    from dgpexp.errors import UserError

    if stored.final:
        raise UserError(f"{stored.run_id} was trained on all rows and tested on none: name new rows by --input.")
    if stored.spec is None:
        raise UserError(f"{stored.path / 'config.json'} does not say what it was tested on: name new rows by --input.")
    split = in_memory(DataChoice.of(stored.spec).load())
    shown = np.array(split.classes)[split.y_test.astype(int)] if split.classes else split.y_test
    rows = {"row": split.tested + 1} if len(split.tested) else {}
    inputs = tables.cells_of(split.x_scaler.inverse(split.x_test), split.features, split.levels)
    return split.x_test, split.y_test, pd.DataFrame({**rows, **inputs, "y": shown})


def _levels(text: str) -> list[float]:
    from dgpexp.errors import UserError

    try:
        levels = [float(word) for word in text.split(",") if word.strip()]
    except ValueError:
        levels = [-1.0]
    if not all(0 < level < 1 for level in levels):
        raise UserError(f"--quantiles {text} is not possible: it accepts numbers between 0 and 1, e.g. 0.05,0.5,0.95.")
    return levels

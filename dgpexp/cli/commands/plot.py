"""`dgpexp plot`: how far the predictions of one model on one table can be believed, as a picture."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dgpexp.cli.options import RESULTS

if TYPE_CHECKING:
    from dgpexp.figures.diagnostics import SplitPredictions
    from dgpexp.store.stored_run import StoredRun


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--profile", help="Of these runs only, where a name is in several profiles.")
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="DIR", help="Folder to draw into.  [default: RESULTS/plots]"
)
@RESULTS
def plot(name: str, profile: str | None, output: Path | None, results: Path | None) -> None:
    """Draw the test rows of all splits whose runs begin with NAME: a table of your own, or a run of any data set.

    Predicted against actual, calibration, residuals, densities of three rows, learning curves, relevance of inputs. Of
    classes: reliability, confusion, learning curves, relevance.
    """
    from dgpexp.store.stored_run import results_dir

    folder = results_dir(results)
    runs = _runs(folder, name, profile)
    from dgpexp import quietly

    quietly.import_tensorflow()
    from dgpexp.drawing import canvas
    from dgpexp.figures import class_diagnostics, diagnostics
    from dgpexp.methods import METHODS
    from dgpexp.store.writable import writable
    from dgpexp.tasks import CLASSIFICATION, recorded_task

    tested = [_tested(run) for run in runs]
    spec, info = runs[0].spec, runs[0].info
    assert spec is not None
    with canvas.applied(), writable(output or folder / "plots"):
        picture = class_diagnostics if recorded_task(info) is CLASSIFICATION else diagnostics
        figure = picture.draw(tested, info["features"], info["target"], METHODS[spec.method].colour)
        stem = f"{spec.dataset}-{spec.method}-{spec.layers}-{runs[0].path.parent.name}"
        files = canvas.save(figure, output or folder / "plots", stem)
    click.echo(str((output or folder / "plots") / files["png"]))


def _runs(folder: Path, name: str, profile: str | None) -> "list[StoredRun]":
    """The completed runs of the one configuration that is meant, in the order of their splits."""
    from dgpexp.errors import UserError
    from dgpexp.store.stored_run import COMPLETED, profiles, stored_runs

    found: dict[tuple[str, ...], list[StoredRun]] = {}
    for where in [profile] if profile else profiles(folder):
        for run in stored_runs(folder, where):
            if run.run_id.startswith(name) and run.status == COMPLETED and run.spec and not run.final:
                spec = run.spec
                settings = ", ".join(f"{k}={v}" for k, v in spec.settings.changed().items())
                key = (where, f"{spec.dataset}-{spec.method}-{spec.layers}", settings)
                found.setdefault(key, []).append(run)
    if not found:
        raise UserError(f"no completed run begins with '{name}'; `dgpexp status --runs` lists the runs.")
    if len(found) > 1:
        several = "; ".join(f"{cell} of {where} ({len(runs)} runs)" for (where, cell, _), runs in found.items())
        raise UserError(f"'{name}' could be {several}: write more of the name, or choose one by --profile.")
    (runs,) = found.values()
    return sorted(runs, key=lambda run: run.spec.split if run.spec else 0)


def _tested(run: "StoredRun") -> "SplitPredictions":
    import numpy as np

    from dgpexp.datasets.run_data import split_of
    from dgpexp.figures.diagnostics import SplitPredictions
    from dgpexp.store.tidy_table import read_curves
    from dgpexp.training.predictor import Predictor

    assert run.spec is not None
    split, predictor = split_of(run.spec), Predictor.load(run.path / "model.npz")
    parts: list[Any] = [part for _, part in predictor.predict_scaled(split.x_test)]
    prediction = type(parts[0]).joined(parts)
    kernel = getattr(predictor.model.layers[0], "kernel", None)
    scales = getattr(kernel, "lengthscales", None)
    relevance = np.array([]) if scales is None else 1 / np.ravel(scales)
    return SplitPredictions(prediction, split.y_test, read_curves(run.path), relevance)

"""`dgpexp plot`: draw how reliable the predictions of one model are."""

from collections import Counter
from pathlib import Path

import click

from dgpexp.cli.options import RESULTS
from dgpexp.terminal.output import answer


@click.command()
@click.argument("name", metavar="NAME")
@click.option("--profile", help="Use the runs of this profile, if several have the name.")
@click.option(
    "--output", type=click.Path(path_type=Path), metavar="DIR", help="Folder to draw into.  [default: RESULTS/plots]"
)
@RESULTS
def plot(name: str, profile: str | None, output: Path | None, results: Path | None) -> None:
    """Draw the test rows of all splits whose runs begin with NAME: a table of your own, or a run of any data set.

    Predicted against actual, calibration, residuals, densities of a few rows, learning curves, worth of columns,
    lengthscales. For classes: reliability and confusion instead of the first four. Runs with other settings are
    drawn apart, a picture each.
    """
    from dgpexp.datasets.catalog import find
    from dgpexp.errors import UserError
    from dgpexp.store.configurations import configurations
    from dgpexp.store.stored_run import results_dir
    from dgpexp.tasks import task_of

    folder = results_dir(results)
    from dgpexp import tables

    name = tables.id_of(folder, name)
    found = configurations(folder, name, profile)
    if not found:
        raise UserError(f"no completed run begins with '{name}'; `dgpexp status --runs` lists the runs.")
    if len(sets := sorted({c.spec.dataset for c in found})) > 1:
        raise UserError(f"'{name}' could be {', '.join(sets)}: write more of the name.")
    from dgpexp import quietly

    quietly.import_tensorflow()
    from dgpexp.drawing import canvas
    from dgpexp.figures.diagnostics import PANELS
    from dgpexp.figures.diagnostics.from_runs import tested
    from dgpexp.figures.diagnostics.panel import picture
    from dgpexp.files import writable

    where = output or folder / "plots"
    stems = [f"{c.spec.dataset}-{c.spec.method}-{c.spec.layers}-{c.profile}" for c in found]
    for configuration, stem in zip(found, stems, strict=True):
        if Counter(stems)[stem] > 1:  # settings differ: the digest of its first run tells them apart
            stem += "-" + configuration.spec.run_id.rpartition("-")[2]
        with canvas.applied(formulas=False), writable(where):
            panels = PANELS[task_of(find(configuration.spec.dataset).classes).name]
            canvas.save(picture(panels, tested(configuration)), where / stem)
        answer(where / f"{stem}.png")

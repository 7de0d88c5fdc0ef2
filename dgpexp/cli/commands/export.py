"""`dgpexp export`: the completed runs of a profile as the small table that is committed with the repository."""

from pathlib import Path

import click

from dgpexp.cli.options import OUTPUT, RESULTS, TAG, not_empty
from dgpexp.terminal.output import say


@click.command()
@click.option("--profile", required=True, help="Export the runs of this profile.")
@RESULTS
@TAG
@click.option(
    "--output",
    type=OUTPUT,
    callback=not_empty,
    metavar="FILE",
    help="Where to write it, as .csv or .parquet (default: RESULTS/measured/PROFILE/runs.csv).",
)
def export(profile: str, results: Path | None, tags: tuple[str, ...], output: Path | None) -> None:
    """Write the completed runs of a profile, one row each: numbers, settings, tags, code, provenance.

    Rows that are in the file already and whose runs are not here stay. All settings of a run are one column of JSON;
    each setting that varies among the rows has a column of its own too.
    """
    from dgpexp.store.stored_run import results_dir
    from dgpexp.store.tidy_table import write_measured

    folder = results_dir(results)
    destination = output or folder / "measured" / profile / "runs.csv"
    count = write_measured(folder, profile, destination, tags)
    say(f"{count} runs written to {destination}.")

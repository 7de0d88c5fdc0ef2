"""`dgpexp export`: the completed runs of a profile as the small table that is committed with the repository."""

from pathlib import Path

import click

from dgpexp.cli.options import OUTPUT, RESULTS, not_empty
from dgpexp.terminal.output import say


@click.command()
@click.option("--profile", required=True, help="Whose runs.")
@RESULTS
@click.option("--output", type=OUTPUT, callback=not_empty, metavar="FILE", help="Where to write it.")
def export(profile: str, results: Path | None, output: Path | None) -> None:
    """Add the completed runs of a profile, one row each with its provenance, to RESULTS/measured/PROFILE/runs.csv."""
    from dgpexp.store.stored_run import results_dir
    from dgpexp.store.tidy_table import write_measured

    folder = results_dir(results)
    destination = output or folder / "measured" / profile / "runs.csv"
    count = write_measured(folder, profile, destination)
    say(f"{count} runs written to {destination}.")

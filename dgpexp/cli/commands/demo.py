"""`dgpexp demo`: from a small table to its page, in a minute."""

import os
import shlex
import sys
from pathlib import Path

import click

from dgpexp.cli.options import RESULTS
from dgpexp.terminal.output import answer, say

# `quick` would not find the two branches: as many steps and paths as do.
_RECIPE = (
    "--profile quick --set max_steps=4000 --set learning_rate=0.02 --set train_samples=20 --set inducing_points=30"
)


@click.command()
@click.option("--no-open", is_flag=True, help="Do not open the page in a browser.")
@RESULTS
def demo(no_open: bool, results: Path | None) -> None:
    """Write demo.csv here, train on it, and open the page with its results and the model: about a minute.

    The table has 300 flats, some of them furnished, which is not written down: a rent has two answers.
    """
    from dgpexp import tables
    from dgpexp.cli.commands.run import run
    from dgpexp.store.stored_run import results_dir

    folder = results_dir(results)
    command = ["csv", str(tables.write_demo(Path("demo.csv"))), "--target", "rent", *shlex.split(_RECIPE)]
    command += ["--results", str(results)] if results else []
    say(f"$ dgpexp run {shlex.join(command)}")
    try:
        run.main(command, prog_name="dgpexp run", standalone_mode=False)
    except SystemExit as stop:
        if stop.code:
            raise
    table = tables.table_meant(folder, "demo", "quick")
    _, page = tables.write_page(folder, str(table), "quick", None, say)
    answer(page)
    if not no_open and (sys.platform != "linux" or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        import webbrowser

        webbrowser.open(page.resolve().as_uri())

"""`dgpexp status`: what is done, running, interrupted, stale, failed and left."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from dgpexp.cli.options import JSON, RESULTS


@click.command()
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT]...")
@click.option("--profile", "names", multiple=True, help="Only this profile; repeatable.")
@click.option("--runs", is_flag=True, help="Show every run.")
@RESULTS
@JSON
def status(
    experiments: tuple[str, ...], names: tuple[str, ...], runs: bool, results: Path | None, as_json: bool
) -> None:
    """Show the cells of EXPERIMENT... (default: all that have begun): how many of their runs are in which state.

    interrupted: stopped in good order; stale: its process died. Both continue when they are run again.
    """
    from dgpexp.plan.status import KINDS, cells
    from dgpexp.store.stored_run import profiles, results_dir
    from dgpexp.terminal.progress import duration

    folder = results_dir(results)
    found = [cell for profile in names or profiles(folder) for cell in cells(folder, profile, experiments)]
    if as_json:
        click.echo(json.dumps([asdict(cell) for cell in found], indent=1))
        return
    if not found:
        click.echo(f"There are no runs in {folder / 'runs'} yet; `dgpexp run uci` starts some.", err=True)
        return
    rows: list[tuple[str, ...]] = []
    for cell in found:
        name = f"{cell.method}-{cell.layers}" + (f" (S={cell.samples})" if cell.samples else "")
        counts = (str(getattr(cell, kind) or "") for kind in KINDS)
        times = (
            duration(cell.seconds_spent),
            duration(cell.seconds_left) if cell.left + cell.interrupted + cell.stale else "",
        )
        rows.append((cell.profile, cell.experiment, cell.dataset, name, *counts, *times, cell.last_error))
        for run in cell.runs if runs else ():
            rows.append(_run_row(run, len(KINDS)))
    _print(("profile", "experiment", "data set", "model", *KINDS, "spent", "time left", "last error"), rows)
    totals = {kind: sum(getattr(cell, kind) for cell in found) for kind in KINDS}
    click.echo(", ".join(f"{count} {kind}" for kind, count in totals.items()), err=True)


def _run_row(run: dict[str, Any], kinds: int) -> tuple[str, ...]:
    from dgpexp.predictive.metrics import METRICS

    result = next(key for key in run if key in METRICS)
    value = run[result]
    place = f"step {run['step']} of {run['steps']}" if value is None else f"{METRICS[result].brief} {value:.4g}"
    return ("", "", "", f"  {run['run']}", run["status"].lower(), place, *[""] * kinds, run["error"])


def _print(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    import sys

    from rich.console import Console
    from rich.table import Table

    table = Table(*columns, box=None, pad_edge=False, header_style="bold")
    for row in rows:
        table.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False).print(table)

"""`dgpexp status`: what is done, running, interrupted, stale, failed and left."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dgpexp.cli.options import JSON, RESULTS, SET, TAG, changed
from dgpexp.terminal.output import answer, say

if TYPE_CHECKING:
    from dgpexp.plan.status import CellStatus


@click.command()
@click.argument("experiments", nargs=-1, metavar="[EXPERIMENT]...")
@click.option("--profile", "names", multiple=True, help="Show only this profile. Repeatable.")
@SET
@TAG
@click.option("--runs", is_flag=True, help="Show every run on a line of its own.")
@RESULTS
@JSON
def status(
    experiments: tuple[str, ...],
    names: tuple[str, ...],
    changes: tuple[str, ...],
    tags: tuple[str, ...],
    runs: bool,
    results: Path | None,
    as_json: bool,
) -> None:
    """Show how many runs are in which state, by data set; for a named EXPERIMENT also by model.

    interrupted: stopped in good order; stale: its process died. Both continue when they are run again.
    With --set, the runs of EXPERIMENT whose settings were changed so.
    """
    from dgpexp.errors import UserError
    from dgpexp.files import plain
    from dgpexp.plan.status import KINDS, cells
    from dgpexp.runs.code import OtherCode
    from dgpexp.store.stored_run import profiles, results_dir

    folder = results_dir(results)
    if changes and not experiments:
        raise UserError("--set changes the settings of an experiment: name it, e.g. dgpexp status uci --set epochs=50.")
    select, code = changed(changes), OtherCode()
    every = names or profiles(folder)
    found = [cell for profile in every for cell in cells(folder, profile, experiments, select, tags, code)]
    if as_json:
        click.echo(json.dumps(plain([asdict(cell) for cell in found]), indent=1, allow_nan=False))
        return
    if not found and tags:
        raise UserError(f"no run has the tag {' and '.join(tags)}; `dgpexp status` shows all runs.")
    if not found:
        say(f"There are no runs in {folder / 'runs'} yet; `dgpexp run uci` starts some.")
        return
    if runs:
        _print_runs(found)
    else:
        _print_counts(found, by_model=bool(experiments))
    for cell in found:
        if cell.last_error:
            answer(f"{cell.profile} {cell.dataset} {_model(cell)}: {cell.last_error}")
    totals = {kind: sum(getattr(cell, kind) for cell in found) for kind in KINDS}
    say(", ".join(f"{count} {kind}" for kind, count in totals.items()))
    for sentence in code.sentences:
        say(sentence)


def _model(cell: "CellStatus") -> str:
    return f"{cell.method}-{cell.layers}" + (f" S={cell.samples}" if cell.samples else "")


def _print_counts(found: "list[CellStatus]", by_model: bool) -> None:
    """A line per experiment, and below it one per data set; the models of each where an experiment was asked for."""
    from dgpexp.cli.counts import Counts
    from dgpexp.plan.status import KINDS

    counts = Counts(KINDS)
    for cell in found:
        group = f"{cell.profile} {cell.experiment}" + (f" {cell.dataset}" if by_model else "")
        seconds = {"spent": cell.seconds_spent, "time left": cell.seconds_left}
        name = _model(cell) if by_model else cell.dataset
        counts.add(group, name, {kind: getattr(cell, kind) for kind in KINDS}, seconds)
    counts.print()


def _print_runs(found: "list[CellStatus]") -> None:
    """Every run on a line of its own, below the name of its experiment."""
    from dgpexp.predictive.metrics import METRICS

    group = None
    for cell in found:
        if group != (group := (cell.profile, cell.experiment)):
            answer(" ".join(group))
        for run in cell.runs:
            result = next(key for key in run if key in METRICS)
            value = run[result]
            place = f"step {run['step']} of {run['steps']}" if value is None else f"{METRICS[result].brief} {value:.4g}"
            answer(f"  {run['run']}  {run['status'].lower()}, {place}")

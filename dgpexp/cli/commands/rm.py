"""`dgpexp rm`: runs to the trash, from which they can be taken back until it is emptied."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dgpexp.cli.options import RESULTS, TAG
from dgpexp.terminal.output import answer, say

if TYPE_CHECKING:
    from dgpexp.store.stored_run import StoredRun

TRASH = "trash"  # in the results folder
_SHOWN = 20  # runs that are listed
_STATES = ("completed", "failed", "interrupted", "stale")


@click.command()
@click.argument("names", nargs=-1, metavar="[RUN]...")
@click.option("--profile", "profiles", multiple=True, help="Only runs of this profile; repeatable.")
@TAG
@click.option("--status", "states", multiple=True, type=click.Choice(_STATES), help="Only runs in this state.")
@click.option("--empty", is_flag=True, help="Delete for ever what is in the trash.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@RESULTS
def rm(
    names: tuple[str, ...],
    profiles: tuple[str, ...],
    tags: tuple[str, ...],
    states: tuple[str, ...],
    empty: bool,
    yes: bool,
    results: Path | None,
) -> None:
    """Move runs to RESULTS/trash: those whose id begins with RUN, of a profile, with a tag, in a state.

    Several conditions select the runs that meet them all. The runs are listed, and you are asked. What is in the
    trash is a results folder per command (trash/1, ...): move a run back to undo it, or look at it with --results.
    """
    from dgpexp.errors import UserError
    from dgpexp.plan.plan import forget
    from dgpexp.store.stored_run import RUNNING, next_folder, results_dir, set_aside

    folder = results_dir(results)
    if empty:
        if names or profiles or tags or states:
            raise UserError("--empty deletes all of the trash: name no runs beside it.")
        return _empty(folder / TRASH, yes)
    if not (names or profiles or tags or states):
        raise UserError("name the runs: an id or the start of one, --profile, --tag or --status.")
    found = _selected(folder, names, profiles, tags, states)
    if not found:
        raise UserError(f"no run in {folder / 'runs'} is selected by that; `dgpexp status --runs` lists the runs.")
    for run in found[:_SHOWN]:
        answer(f"{run.path.parent.name} {run.run_id}  {run.status.lower()}")
    if len(found) > _SHOWN:
        answer(f"... and {len(found) - _SHOWN} more")
    if running := [run for run in found if run.status == RUNNING]:
        raise UserError(f"{running[0].run_id} is being executed: stop that first (Ctrl-C); nothing was moved.")
    count = "1 run" if len(found) == 1 else f"{len(found)} runs"
    _confirm(f"Move {count} to the trash?", yes)
    trash = next_folder(folder / TRASH)
    for run in found:
        set_aside(run, trash)
    forget(found)
    say(f"{count} moved to {trash}; `dgpexp rm --empty` deletes them for ever.")


def _selected(
    results: Path, names: tuple[str, ...], profiles: tuple[str, ...], tags: tuple[str, ...], states: tuple[str, ...]
) -> "list[StoredRun]":
    from dgpexp.store import stored_run as store

    every = [
        run for profile in profiles or store.profiles(results) for run in store.stored_runs(results, profile, tags)
    ]
    named = [run for run in every if not names or run.run_id.startswith(names)]
    return [run for run in named if not states or run.status.lower() in states]


def _empty(trash: Path, yes: bool) -> None:
    from dgpexp.errors import UserError
    from dgpexp.files import writable

    runs = len(list(trash.glob("*/runs/*/*/"))) - len(list(trash.glob("*/runs/*/_sources/")))
    if not runs:
        raise UserError(f"the trash, {trash}, is empty.")
    count = "1 run" if runs == 1 else f"{runs} runs"
    _confirm(f"Delete {count} in {trash} for ever?", yes)
    with writable(trash):
        shutil.rmtree(trash)
    say(f"{count} deleted.")


def _confirm(question: str, yes: bool) -> None:
    from dgpexp.errors import UserError

    if yes:
        return
    if not sys.stdin.isatty():
        raise UserError(f"{question[:-1]}: say --yes, since nobody can be asked here.")
    click.confirm(question, abort=True, err=True)

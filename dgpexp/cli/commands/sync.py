"""`dgpexp sync`: copy new runs from the results folder to databases."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from dgpexp.cli.options import JSON, OBSERVERS, RESULTS
from dgpexp.terminal.output import say


@click.command()
@OBSERVERS
@click.option("--profile", "names", multiple=True, help="Copy only the runs of this profile. Repeatable.")
@RESULTS
@JSON
def sync(observers: tuple[Any, ...], names: tuple[str, ...], results: Path | None, as_json: bool) -> None:
    """Copy to each --observer what it does not have yet of the runs in the results folder.

    The same command again writes nothing. Runs are never deleted from a database.
    """
    from dgpexp.errors import UserError
    from dgpexp.mirrors.background import sync as copy
    from dgpexp.mirrors.url import VARIABLE
    from dgpexp.store.stored_run import profiles, results_dir

    folder = results_dir(results)
    if not observers:
        raise UserError(f"no database is named: write --observer URL, or set {VARIABLE}.")
    known = profiles(folder)
    unknown = [name for name in names if name not in known]
    if unknown or not known:
        what = f"runs of profile {unknown[0]}" if unknown else "runs"
        raise UserError(f"there are no {what} in {folder / 'runs'}.")
    outcomes = []
    for address in observers:
        mirror = copy(address, folder, list(names or known))
        counts = {"written": mirror.written, "up_to_date": mirror.same, "left": len(mirror.pending) + mirror.refused}
        outcomes.append({"observer": address.shown, **counts, "trouble": mirror.trouble})
        say(_sentence(outcomes[-1]))
    if as_json:
        click.echo(json.dumps(outcomes, indent=1))
    sys.exit(any(outcome["left"] for outcome in outcomes))


def _sentence(outcome: dict[str, Any]) -> str:
    done = f"{outcome['written']} runs written" if outcome["written"] else "nothing written"
    counts = f"{outcome['observer']}: {done}, {outcome['up_to_date']} were up to date"
    if not outcome["left"]:
        return f"{counts}."
    return f"dgpexp: {counts}, {outcome['left']} could not be written ({outcome['trouble']}); try it again later."

"""`dgpexp run`: train and record the runs of an experiment."""

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from dgpexp.cli.options import EXECUTION, JSON, OBSERVERS, OWN, RESULTS, SELECTION, selected


def _experiments(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from dgpexp.plan.protocol import CSV, shipped_protocols

    names = [CompletionItem(n) for n in [CSV, *shipped_protocols()] if n.startswith(incomplete)]
    return names or [CompletionItem(incomplete, type="file")]


@click.command()
@click.argument("experiment", metavar="EXPERIMENT", shell_complete=_experiments)
@click.argument("file", metavar="[FILE]", required=False, type=click.Path(path_type=Path))
@OWN
@SELECTION
@click.option("--profile", help="thesis, best, quick, or one of the file's own (default: its first).")
@RESULTS
@EXECUTION
@OBSERVERS
@click.option("--dry-run", is_flag=True, help="Show what would run and about how long it would take.")
@JSON
def run(
    experiment: str,
    file: Path | None,
    target: str | None,
    drop: tuple[str, ...],
    test: Path | None,
    missing: str | None,
    dates: bool,
    task: str | None,
    profile: str | None,
    results: Path | None,
    jobs: int | None,
    scheduler: str | None,
    cluster: Path | None,
    retry_failed: bool,
    checkpoint_every: float,
    quiet: bool,
    verbose: bool,
    observers: tuple[Any, ...],
    dry_run: bool,
    as_json: bool,
    **selection: Any,
) -> None:
    """Run EXPERIMENT: uci, synthetic, year, airline, classification, or a TOML file of your own.

    Or train on a table of your own: dgpexp run csv FILE --target COLUMN (docs/your-data.md).

    What is complete is skipped, what was interrupted continues where it was: the same command again always does what
    is left. Ctrl-C stops it safely.
    """
    from dgpexp.datasets.sources.folder import data_dir
    from dgpexp.mirrors.background import Mirrors
    from dgpexp.plan.plan import Plan
    from dgpexp.plan.protocol import CSV, read_protocol
    from dgpexp.store.stored_run import results_dir
    from dgpexp.terminal import sweeping

    select, folder, own = selected(**selection), results_dir(results), None
    if experiment == CSV:
        from dgpexp.plan.own_table import own_protocol

        protocol, own = own_protocol(file, target, drop, test, missing, dates, task, select)
        for note in () if quiet else own.notes:
            sweeping.say(f"{file}: {note}")
    elif file or target or drop or test or missing or dates or task:
        raise click.UsageError(f"FILE, --target, --drop, ... belong to `dgpexp run csv`, not to {experiment}.")
    else:
        protocol = read_protocol(experiment)
    plan = Plan()
    profile = profile or protocol.default_profile
    plan.add(protocol, profile, select, folder, retry_failed, checkpoint_every)
    if own is not None and not select.splits:  # and a model of all rows, for `dgpexp predict`
        final = replace(select, splits=(0,), changes={**select.changes, "all_rows": True})
        plan.add(protocol, profile, final, folder, retry_failed, checkpoint_every)
    if dry_run:
        from dgpexp.cli.dry_run import show

        show(plan, folder, jobs or sweeping.cores(), as_json)
        return
    if own is not None:
        if not data_dir().exists() and not quiet:
            sweeping.say(f"The table is kept in a new folder, {data_dir()}; DGPEXP_DATA names another one.")
        own.keep()
    absent = sweeping.drop_missing_data(plan)
    with (
        Mirrors(observers, plan, sweeping.say) as mirrors,
        sweeping.engines(plan, folder, jobs, scheduler, cluster) as engine,
    ):
        summary, code = sweeping.carry_out(plan, engine, quiet, verbose, on_event=mirrors.hear)
    for line in sweeping.closing_words(plan, summary, folder):
        if not quiet or line.startswith(("FAILED", "dgpexp:")):
            sweeping.say(line)
    if own is not None and not (quiet or as_json or code > 1):  # not after Ctrl-C
        from dgpexp.terminal.own_results import closing_table

        specs = [*plan.done, *(task.spec for task, _ in plan.todo)]
        click.echo("\n".join(["", *closing_table(own.dataset, specs, folder, profile, sweeping.say)]))
    if as_json:
        click.echo(json.dumps(sweeping.as_json(plan, summary, absent), indent=1))
    sys.exit(code or int(bool(absent)))

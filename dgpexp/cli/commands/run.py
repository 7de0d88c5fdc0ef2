"""`dgpexp run`: train and record the runs of an experiment."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from dgpexp.cli.options import EXECUTION, JSON, LABELS, OBSERVERS, OWN, RESULTS, SELECTION, selected
from dgpexp.methods import AUTO
from dgpexp.terminal.output import say


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
@click.option("--profile", help="thesis, best, quick, or a profile of the file (default: its first).")
@RESULTS
@EXECUTION
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Processes that train one model together: 1, or its setting shards.",
)
@click.option("--again", is_flag=True, help="Run anew what other code than the present made; the old runs are kept.")
@LABELS
@OBSERVERS
@click.option("--traceback", is_flag=True, help="Show the traceback of each run that fails.")
@click.option("--yes", is_flag=True, help="Do not ask before a very large sweep.")
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
    decimal: tuple[str, ...],
    thousands: tuple[str, ...],
    date_format: tuple[str, ...],
    task: str | None,
    against: str,
    profile: str | None,
    results: Path | None,
    jobs: int | None,
    scheduler: str | None,
    cluster: Path | None,
    retry_failed: bool,
    checkpoint_every: float,
    quiet: bool,
    verbose: bool,
    workers: int,
    again: bool,
    note: str,
    tags: tuple[str, ...],
    observers: tuple[Any, ...],
    traceback: bool,
    yes: bool,
    dry_run: bool,
    as_json: bool,
    **selection: Any,
) -> None:
    """Run EXPERIMENT: uci, synthetic, year, airline, classification, or a TOML file of your own.

    Or train on a table of your own: dgpexp run csv FILE --target COLUMN (docs/your-data.md).

    What is complete is skipped, what was interrupted continues where it was: the same command again always does what
    is left. Ctrl-C stops it safely.
    """
    from dgpexp.mirrors.background import Mirrors
    from dgpexp.plan.plan import Plan
    from dgpexp.plan.protocol import CSV, read_protocol
    from dgpexp.plan.subject import Subject
    from dgpexp.store.stored_run import results_dir
    from dgpexp.terminal import sweeping

    select, folder = selected(**selection), results_dir(results)
    tell: Callable[[str], None] = (lambda text: None) if quiet else say
    table = (file, target, drop, test, missing, dates, task, decimal, thousands, date_format)
    if experiment == CSV:
        from dgpexp import tables

        subject: Subject = tables.table_run(
            *table, select, profile, [name.strip() for name in against.split(",") if name]
        )
    elif any(table) or against:
        raise click.UsageError(f"FILE, --target, --drop, ... belong to `dgpexp run csv`, not to {experiment}.")
    elif AUTO in select.methods:
        raise click.UsageError(
            f"--method auto mixes models of a table of your own (`dgpexp run csv`), not of {experiment}."
        )
    else:
        subject = Subject(read_protocol(experiment))
    for line in subject.notes:
        tell(line)
    plan = Plan()
    profile = profile or subject.protocol.default_profile
    _ask_about(sum(subject.protocol.count(profile, part) for part in subject.selections(select)), yes)
    with subject.planned(dry_run, tell):
        for part in subject.selections(select):
            plan.add(subject.protocol, profile, part, folder, retry_failed, checkpoint_every, again, note, tags)
        if dry_run:
            from dgpexp.cli.dry_run import show

            show(plan, folder, jobs or sweeping.cores(), as_json, workers)
        sweeping.refuse_workers(plan, workers)  # a dry run says first whether they pay
        if dry_run:
            return
    absent = sweeping.drop_missing_data(plan)
    for line in sweeping.prepare(plan, folder, note, tags):
        tell(line)
    if plan.todo and not (quiet or as_json):
        for line in subject.opening([job.spec for job, _ in plan.todo], folder, tell):
            tell(line)
    with (
        Mirrors(observers, plan, say) as mirrors,
        sweeping.engines(plan, folder, jobs, scheduler, cluster, workers) as engine,
    ):
        summary, code = sweeping.carry_out(plan, engine, quiet, verbose, on_event=mirrors.hear)
    for line in sweeping.closing_words(plan, summary, folder, traceback):
        if not quiet or line.startswith(("FAILED", "dgpexp:", "Traceback")):
            say(line)
    if not (quiet or as_json or code > 1):  # not after Ctrl-C
        specs = [*plan.done, *(task.spec for task, _ in plan.todo)]
        if lines := subject.closing(specs, folder, profile, tell):
            click.echo("\n".join(lines))
    if as_json:
        click.echo(json.dumps(sweeping.as_json(plan, summary, absent), indent=1))
    sys.exit(code or int(bool(absent)))


_MANY = 10_000  # runs that nobody starts by mistake


def _ask_about(count: int, yes: bool) -> None:
    """A sweep of very many runs is asked about, and refused where nobody can answer."""
    if count <= _MANY or yes:
        return
    sentence = f"These are up to {count:,} runs"
    if not sys.stdin.isatty():
        from dgpexp.errors import UserError

        raise UserError(f"{sentence}: say --yes if you mean it, or select fewer.")
    click.confirm(f"{sentence}. Go on?", abort=True, err=True)

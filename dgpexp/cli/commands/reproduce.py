"""`dgpexp reproduce`: every experiment of a profile, the thesis's first, with a report that fills as it goes."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dgpexp.cli.options import EXECUTION, OBSERVERS, RESULTS
from dgpexp.terminal.output import say

if TYPE_CHECKING:
    from dgpexp.runs.job import Job

_SECONDS = 12.0  # seconds of one core for a run of the miniature, about
_DIFFERENT = 1  # the exit code where a run failed, or is farther from the committed one than other seeds are
_WITHOUT_DATA = 3  # the exit code where all went well but for data sets that cannot be obtained


@click.command()
@click.option(
    "--profile",
    default="quick",
    show_default=True,
    help="quick takes minutes; thesis is the whole of it, some hundred core-days.",
)
@RESULTS
@EXECUTION
@OBSERVERS
@click.option("--dry-run", is_flag=True, help="Show what would run and about how long it would take.")
def reproduce(
    profile: str,
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
) -> None:
    """Run every experiment, the thesis's first, split by split, and write the report as it fills.

    The profile quick is a miniature: a check that its runs give the committed numbers here. It fails (exit code 1)
    where a run is farther away than other seeds are. Its report leads with the committed runs of the full profiles.
    The same command again continues it. Data sets that are missing are fetched; those that cannot be obtained are
    named in one line, and the rest goes on.
    """
    from dgpexp.datasets.loading import is_here
    from dgpexp.mirrors.background import Mirrors
    from dgpexp.plan.plan import Plan
    from dgpexp.plan.protocol import Select, read_protocol, shipped_protocols
    from dgpexp.runs.events import Event
    from dgpexp.store.stored_run import results_dir
    from dgpexp.terminal import sweeping
    from dgpexp.terminal.reporter import Reporter

    folder, plan = results_dir(results), Plan()
    protocols = [read_protocol(name) for name in shipped_protocols()]
    for protocol in [p for p in protocols if profile in p.profiles] or protocols[:1]:  # none: the first says so
        plan.add(protocol, profile, Select(), folder, retry_failed, checkpoint_every)
    plan.todo = in_order(plan.todo, profile)
    if dry_run or (profile != "quick" and not quiet):
        from dgpexp.cli.dry_run import show

        show(plan, folder, jobs or sweeping.cores(), as_json=False)
        if dry_run:
            return
    many, cores = len(plan.todo), jobs or sweeping.cores()
    minutes = f", about {_SECONDS * many / cores / 60:.0f} minutes of training" if profile == "quick" else ""
    done = f"; {len(plan.done)} are complete already" if plan.done else ""
    say(f"{many} runs of the profile {profile} on {cores} cores{minutes}, into {folder}{done}.")
    if absent := [name for name in dict.fromkeys(job.spec.dataset for job, _ in plan.todo) if not is_here(name)]:
        say(f"Looking for {len(absent)} data sets that are not here, at their sites and in packages ...")
    if missing := sweeping.drop_missing_data(plan, explain=verbose):
        without = f"{many - len(plan.todo)} runs are left out, whose data cannot be had from here"
        say(f"{without}: {', '.join(missing)} (`dgpexp data list` says how to get them).")
    with Reporter(folder, profile) as reporter:
        with (
            Mirrors(observers, plan, say) as mirrors,
            sweeping.engines(plan, folder, jobs, scheduler, cluster) as engine,
        ):

            def heard(event: Event) -> None:
                reporter.hear(event)
                mirrors.hear(event)

            summary, code = sweeping.carry_out(plan, engine, quiet, verbose, on_event=heard)
        written = code < 128 and reporter.finish(say)  # from 128 on: stopped by a signal
    for line in sweeping.closing_words(plan, summary, folder):
        if not quiet or line.startswith(("FAILED", "dgpexp:")):
            say(line)
    if written:
        from dgpexp.terminal.conclusion import conclude

        code = code or (0 if conclude(folder, profile, say, quiet) else _DIFFERENT)
    sys.exit(code or (_WITHOUT_DATA if missing else 0))


def in_order(todo: list[tuple["Job", bool]], profile: str) -> list[tuple["Job", bool]]:
    """The runs on the thesis's data sets, then those of classification, the largest set last.

    Runs that measure time wait until the machine is theirs. In a miniature nobody reads their seconds: none waits.
    """
    ordered = sorted(todo, key=lambda task: thesis_first(task[0].spec.dataset))
    return [(job, alone and profile != "quick") for job, alone in ordered]


def thesis_first(name: str) -> int:
    """The order of data sets: those of the thesis, then those of classification, the largest last."""
    from dgpexp.datasets.catalog import find

    about = find(name)
    return about.rows * about.inputs if about.classes else 0

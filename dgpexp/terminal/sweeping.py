"""What `dgpexp run` and `dgpexp reproduce` have in common: execute a plan, watched and interruptible; the exit code."""

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from dgpexp.datasets.loading import fetch_missing
from dgpexp.engines.local import LocalEngine
from dgpexp.engines.sweep import Engine, Outcomes, Sweep
from dgpexp.errors import UserError
from dgpexp.mirrors.url import redact
from dgpexp.plan.plan import Plan
from dgpexp.runs.events import Event
from dgpexp.store.stored_run import StoredRun, runs_dir
from dgpexp.terminal.interrupts import Interrupts
from dgpexp.terminal.output import say
from dgpexp.terminal.progress import label, make_view


def again() -> str:
    """The command as it was typed, to be typed again; but for the passwords in it."""
    return shlex.join(["dgpexp", *(redact(word) for word in sys.argv[1:])])


def drop_missing_data(plan: Plan, explain: bool = True) -> dict[str, str]:
    """Drop runs whose data cannot be obtained; return {data set: reason}. To `explain`, say each source and reason.

    Complete runs that can be mended without data are mended before.
    """
    if mended := plan.mend():
        say(f"{mended} complete runs had lost their config.json: it is written again.")
    needed = (job.spec.dataset for job, _ in plan.todo if not job.spec.settings.synthetic_shape)
    missing = fetch_missing(needed, say if explain else lambda line: None)
    for sentence in missing.values() if explain else ():
        say(f"dgpexp: {sentence}")
    plan.todo = [(job, alone) for job, alone in plan.todo if job.spec.dataset not in missing]
    return missing


def prepare(plan: Plan, results: Path, note: str, tags: tuple[str, ...]) -> list[str]:
    """Set runs aside that are made anew, label those that are complete, remember the plan; what to say about it."""
    lines = []
    if folder := plan.set_aside(results):
        lines.append(f"{len(plan.renewed)} runs made by other code are run anew; the old ones are kept in {folder}.")
    if labelled := plan.label(note, tags) if note or tags else 0:
        lines.append(f"{labelled} runs that were complete were given the note or the tags.")
    lines += plan.code.sentences
    if plan.code.other:
        lines[-1 - bool(plan.code.unknown)] += " --again runs them anew and keeps the old ones."
    plan.remember()
    return lines


@contextmanager
def engines(
    plan: Plan, results: Path, jobs: int | None, scheduler: str | None, cluster: Path | None, workers: int = 1
) -> Iterator[Callable[[bool], Engine]]:
    """What makes the engines of a sweep: here, on the cluster of a dask scheduler, or on one that lives meanwhile."""
    if scheduler and cluster:
        raise UserError("--scheduler and --cluster exclude each other: name the cluster that is there, or make one.")
    if not (scheduler or cluster) or not (plan.todo or plan.others):
        yield lambda alone: LocalEngine(1 if alone else jobs or max(1, cores() // workers), workers=workers)
        return
    from dgpexp.engines.cluster import connection as dask

    with dask.connected(scheduler, cluster, results, jobs, len(plan.todo + plan.others), workers) as make:
        yield make


def refuse_workers(plan: Plan, workers: int) -> None:
    """Refuse a number of processes that is neither 1 nor every run's number of shards, and any of one that emulates."""
    if workers == 1:
        return
    for spec in [*plan.done, *(job.spec for job, _ in plan.todo + plan.others)]:
        shards = spec.settings.shards
        if spec.settings.updates == "async":
            raise UserError(
                f"--workers {workers} is not possible with updates = async, which one process emulates: leave it out."
            )
        if shards != workers:
            wanted = f"--set shards={workers}" if shards == 1 else f"--workers {shards}, or none"
            raise UserError(f"--workers {workers} does not fit a run with shards = {shards}: use {wanted}.")


def carry_out(
    plan: Plan,
    engine: Callable[[bool], Engine],
    quiet: bool,
    verbose: bool,
    on_event: Callable[[Event], None] = lambda event: None,
) -> tuple[Outcomes, int]:
    """Execute the plan; what became of it, and the exit code: 1 if a run failed, now or earlier; 128 + a signal."""
    specs = [job.spec for job, _ in plan.todo + plan.others]
    with Interrupts() as interrupts, make_view(specs, quiet, verbose) as view:

        def heard(event: Event) -> None:
            with suppress(Exception):  # whatever befalls a view, it is not the runs' affair
                view.hear(event)
            on_event(event)

        sweep = Sweep(plan, engine, heard)
        told = False

        def stopping() -> bool:
            nonlocal told
            if interrupts() and not told:
                told = True
                view.say("stopping: the running runs write their checkpoints (once more: stop at once)")
            return interrupts()

        with suppress(KeyboardInterrupt):  # asked twice: the workers are gone, their last checkpoints are on disk
            sweep.run(stopping)
    summary = sweep.summary
    if interrupts():
        say(f"Stopped. What was reached is kept; this continues it:\n  {again()}")
        return summary, interrupts.exit_code
    return summary, int(bool(summary.failed or summary.broken or plan.failed))


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def closing_words(plan: Plan, summary: Outcomes, results: Path, traceback: bool = False) -> list[str]:
    """What a person wants to know at the end, failures first."""
    specs = {job.spec.run_id: (job.spec, job.profile) for job, _ in plan.todo + plan.others}
    lines = []
    for run, reason in summary.failed.items():
        spec, profile = specs[run]
        lines.append(f"FAILED {label(spec)}: {reason} (dgpexp show {run})")
        if traceback:
            lines.append(StoredRun(runs_dir(results, profile) / run).traceback or "Traceback: none was recorded.")
    if summary.broken:
        lines.append(f"dgpexp: {summary.broken}")
    if plan.failed:
        lines.append(f"{len(plan.failed)} runs have failed before; --retry-failed tries them again.")
    if summary.elsewhere:
        lines.append(f"{len(summary.elsewhere)} runs are executed by another process and were left alone.")
    counts = [f"{len(summary.completed)} runs completed"]
    counts += [f"{len(summary.by_others)} by another process meanwhile"] if summary.by_others else []
    counts += [f"{len(plan.done)} were complete before"] if plan.done else []
    return [*lines, ", ".join(counts) + "."]


def as_json(plan: Plan, summary: Outcomes, missing: dict[str, str]) -> dict[str, Any]:
    """The outcome of a sweep for programs."""
    return {
        "completed": summary.completed,
        "completed_by_others": summary.by_others,
        "complete_before": [spec.run_id for spec in plan.done],
        "failed": summary.failed,
        "failed_before": [spec.run_id for spec in plan.failed],
        "elsewhere": summary.elsewhere,
        "interrupted": summary.interrupted,
        "missing_data": missing,
    }

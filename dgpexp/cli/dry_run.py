"""Show for `--dry-run` what is left of a plan, and about how long it takes on this machine."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dgpexp.methods import SAMPLING

if TYPE_CHECKING:
    from dgpexp.config import RunSpec
    from dgpexp.plan.plan import Plan

_TIMING, _IMPORT = 5, 5  # seconds, about: to time a model; to import TensorFlow
_KINDS = ("to run", "complete", "running", "failed")


def show(plan: "Plan", results: Path, jobs: int, as_json: bool, workers: int = 1) -> None:
    """Print the plan with its hours from measured speeds; measure now where none is known.

    Where `workers` are asked for, or runs are made in shards, say what several machines would give.
    """
    from dgpexp.plan import speed
    from dgpexp.terminal.progress import duration

    specs = [task.spec for task, _ in plan.todo]
    samples = known_speeds(results, specs, lambda text: click.echo(text, err=True))
    seconds = {spec.run_id: speed.seconds(spec, samples) or 0.0 for spec in specs}
    alone = sum(seconds[task.spec.run_id] for task, timing in plan.todo if timing)
    shared = [seconds[task.spec.run_id] for task, timing in plan.todo if not timing]
    total = alone + max(sum(shared) / jobs, max(shared, default=0.0))  # no run is faster than one core
    if as_json:
        tasks = [task for task, _ in plan.todo]
        runs = [{"run": t.spec.run_id, "command": t.command, "seconds": seconds[t.spec.run_id]} for t in tasks]
        skipped = {kind: [s.run_id for s in getattr(plan, kind)] for kind in ("done", "running", "failed")}
        click.echo(json.dumps({"runs": runs, "skipped": skipped, "seconds": total, "jobs": jobs}, indent=1))
        return
    _print(plan, seconds)
    click.echo(
        f"{len(specs)} runs would be executed, {len(plan.done)} are complete, {len(plan.running)} are running, "
        f"{len(plan.failed)} have failed.\nAbout {duration(total)} with {jobs} job{'s' if jobs > 1 else ''} "
        f"({duration(sum(shared) + alone)} of one core)."
    )
    for line in _machines(specs, workers):
        click.echo(line)


def _machines(specs: "list[RunSpec]", workers: int) -> list[str]:
    """What several machines would give, for the dearest run that they could share; nothing where none is asked for."""
    from dgpexp.plan import cost, machines

    shared = [spec for spec in specs if max(workers, spec.settings.shards) > 1 and spec.settings.updates == "sync"]
    if not shared:
        return []
    _tensorflow()
    dearest = max(shared, key=cost.training_work)
    return ["", *machines.lines(dearest, max(workers, dearest.settings.shards))]


def _tensorflow() -> None:
    from dgpexp import quietly

    quietly.one_thread()
    quietly.import_tensorflow()


def _print(plan: "Plan", seconds: dict[str, float]) -> None:
    """Print counts by experiment and data set, or by model if there is one data set only."""
    from dgpexp.cli.counts import Counts

    by_kind = dict(zip(_KINDS, ([t.spec for t, _ in plan.todo], plan.done, plan.running, plan.failed), strict=True))
    one = len({spec.dataset for specs in by_kind.values() for spec in specs}) == 1
    counts = Counts(_KINDS)
    for kind, specs in by_kind.items():
        for spec in specs:
            group = plan.experiments[spec.run_id] + (f" {spec.dataset}" if one else "")
            counts.add(group, _model(spec) if one else spec.dataset, {kind: 1}, {"time": seconds.get(spec.run_id, 0.0)})
    counts.print()


def _model(spec: "RunSpec") -> str:
    paths = f" S={spec.settings.train_samples}" if spec.method in SAMPLING else ""
    return f"{spec.method}-{spec.layers}{paths}"


def known_speeds(results: Path, specs: "list[RunSpec]", tell: Callable[[str], None]) -> list[Any]:
    """Collect speeds of complete runs and of earlier measurements; measure now what is not known."""
    from dgpexp.plan import speed

    samples = speed.of_completed_runs(results) + speed.remembered()
    unknown = speed.unlike(specs, samples)
    if unknown:
        names = ", ".join(sorted({spec.method for spec in unknown}))
        models = "a model" if len(unknown) == 1 else f"{len(unknown)} models"
        tell(
            f"The speed of {names} on this machine is not known yet: {models} will be timed now, once, "
            f"which takes about {_TIMING * len(unknown) + _IMPORT} s."
        )
        began = time.monotonic()
        _tensorflow()
        new = [speed.measure_like(spec) for spec in unknown]
        speed.remember(new)
        tell(f"That took {time.monotonic() - began:.0f} s; the speeds are kept in {speed.cache_file()}.")
        samples += new
    return samples

"""What `--dry-run` shows: the cells of a plan, what is left of each, and about how long that takes on this machine."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dgpexp.methods import SAMPLING

if TYPE_CHECKING:
    from dgpexp.config import RunSpec
    from dgpexp.plan.plan import Plan

_KINDS = ("to run", "complete", "running", "failed")


def show(plan: "Plan", results: Path, jobs: int, as_json: bool) -> None:
    """Print the plan, with hours from measured speeds; where none is known, measure now."""
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
    cells: dict[tuple[str, str, str], dict[str, Any]] = {}
    for kind, group in zip(_KINDS, (specs, plan.done, plan.running, plan.failed), strict=True):
        for spec in group:
            cell = cells.setdefault(_cell(spec), {"seconds": 0.0})
            cell[kind] = cell.get(kind, 0) + 1
            cell["seconds"] += seconds.get(spec.run_id, 0.0)
    _print(cells, duration)
    click.echo(
        f"{len(specs)} runs would be executed, {len(plan.done)} are complete, {len(plan.running)} are running, "
        f"{len(plan.failed)} have failed. About {duration(total)} with {jobs} jobs "
        f"({duration(sum(shared) + alone)} of one core)."
    )


def _cell(spec: "RunSpec") -> tuple[str, str, str]:
    paths = str(spec.settings.train_samples) if spec.method in SAMPLING else ""
    return spec.dataset, f"{spec.method}-{spec.layers}", paths


def _print(cells: dict[tuple[str, str, str], dict[str, Any]], duration: Callable[[float], str]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table("data set", "model", "S", *_KINDS, "time", box=None, pad_edge=False)
    for names, cell in cells.items():
        counts = (str(cell.get(kind, "")) for kind in _KINDS)
        table.add_row(*names, *counts, duration(cell["seconds"]) if "to run" in cell else "")
    Console(highlight=False, markup=False).print(table)


def known_speeds(results: Path, specs: "list[RunSpec]", tell: Callable[[str], None]) -> list[Any]:
    """Speeds of complete runs and of earlier measurements; where nothing alike was measured, do it now."""
    from dgpexp.config import Settings
    from dgpexp.plan import speed
    from dgpexp.runs.one_thread import one_thread

    samples = speed.of_completed_runs(results) + speed.remembered()
    unknown = sorted({(s.method, s.settings.precision) for s in specs if not speed.has_alike(s, samples)})
    if unknown:
        names = ", ".join(sorted({method for method, _ in unknown}))
        tell(f"This machine's speed is not known yet for {names}: measuring it once (`dgpexp bench` does it in depth).")
        one_thread()
        new = [speed.measure(method, 3, Settings(precision=precision)) for method, precision in unknown]
        speed.remember(new)
        samples += new
    return samples

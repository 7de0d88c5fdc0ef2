"""Runs of more shapes than a worker keeps: the memory of the workers stays near what the first runs needed."""

import os
from pathlib import Path

from dgpexp.config import RunSpec, Settings
from dgpexp.engines.local import LocalEngine
from dgpexp.engines.sweep import Sweep
from dgpexp.plan.plan import Plan
from dgpexp.runs.events import Ended, Event
from dgpexp.runs.job import Job
from tests.engines.processes import children
from tests.torture.tally import Tally

SHAPES, ALLOWED = 12, 100  # MiB that the largest worker may grow by after its first run


def memory(folder: Path, runs: int, layers: int = 2) -> Tally:
    """`runs` real runs, one worker at a time."""
    tasks = []
    for number in range(runs):
        small = {"inducing_points": 5, "train_samples": 2, "test_samples": 3, "max_steps": 25}
        run = RunSpec(
            dataset="sincos",
            method="vi",
            layers=layers,
            split=number // SHAPES,
            settings=Settings(rows=60 + number % SHAPES, **small),
        )
        tasks.append((Job(run, str(folder / "memory"), "quick", "torture", "", 0, False, 60.0), False))
    seen: list[float] = []

    def heard(event: Event) -> None:
        if isinstance(event, Ended):
            assert event.status == "COMPLETED", event
            seen.append(max((_mib(pid) for pid in children(os.getpid())), default=0.0))

    Sweep(Plan(todo=tasks), lambda alone: LocalEngine(1), heard).run(lambda: False)
    grown = max(seen) - seen[0]
    tally = Tally("memory", f"{len(seen)} runs of {SHAPES} shapes, {seen[0]:.0f} MiB + {grown:.0f}")
    tally.lost = runs - len(seen)
    tally.different = int(grown > ALLOWED)
    return tally


def _mib(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / 2**20
    except (OSError, IndexError):
        return 0.0

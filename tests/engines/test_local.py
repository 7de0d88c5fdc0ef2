"""The workers of one machine: replaced when they are full, ended when they have nothing to keep."""

import sys
import time
from pathlib import Path

import pytest

from dgpexp.engines import local
from dgpexp.engines.local import LocalEngine
from dgpexp.engines.sweep import Outcomes, Sweep
from dgpexp.plan.plan import Plan
from dgpexp.runs.events import Event, Started
from dgpexp.runs.job import Job
from dgpexp.runs.sessions import KEPT
from tests.engines.processes import locks
from tests.store.folders import spec

FAKE_WORKER = [sys.executable, "-m", "tests.engines.fake_worker"]


def jobs_of(results: Path, shapes: int, splits: int) -> list[tuple[Job, bool]]:
    sizes = [(shape, split) for split in range(splits) for shape in range(shapes)]
    specs = [spec(dataset="sincos", split=split, rows=40 + shape, max_steps=25) for shape, split in sizes]
    return [(Job(s, str(results), "quick", "my", "", 0, False, 60.0), False) for s in specs]


def test_a_worker_gets_no_more_shapes_than_it_keeps(tmp_path: Path) -> None:
    todo = jobs_of(tmp_path, KEPT + 2, splits=2)
    summary = Sweep(Plan(todo=todo), lambda alone: LocalEngine(1, FAKE_WORKER), lambda event: None).run(lambda: False)
    assert len(summary.completed) == len(todo)
    shapes: dict[int, set[int]] = {}
    for job, _ in todo:
        (lock,) = locks(job.run_dir)
        shapes.setdefault(lock["pid"], set()).add(job.spec.settings.rows)
    assert len(shapes) > 1 and max(map(len, shapes.values())) == KEPT


def test_a_worker_that_has_nothing_to_keep_yet_does_not_delay_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It reads data, or draws permutations for split 9999: no answer for minutes, and nothing to write down."""
    monkeypatch.setattr(local.WorkerProcess, "grace", 0.5)
    deaf = 'import sys, time; print(\'{"event": "ready"}\', flush=True); time.sleep(600)'
    stopped: list[float] = []

    def heard(event: Event) -> None:
        if isinstance(event, Started):
            stopped.append(time.monotonic())

    engine = LocalEngine(1, [sys.executable, "-c", deaf])
    summary: Outcomes = Sweep(Plan(todo=jobs_of(tmp_path, 1, 1)), lambda alone: engine, heard).run(
        lambda: bool(stopped)
    )
    assert time.monotonic() - stopped[0] < 60
    assert len(summary.interrupted) == 1 and not summary.failed

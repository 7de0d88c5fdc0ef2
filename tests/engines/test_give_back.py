"""What a sweep does about runs that its workers do not finish; the engine is one that loses them on purpose."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from dgpexp.engines import sweep as sweeps
from dgpexp.engines.sweep import Outcomes, Pending, Sweep
from dgpexp.plan.plan import Plan
from dgpexp.runs import checkpoint
from dgpexp.runs.checkpoint import Snapshot
from dgpexp.runs.events import TRAINING, Ended, Event, Progress
from dgpexp.runs.job import BUSY, Job
from dgpexp.store.locks import STALE_SECONDS
from tests.store.folders import make_lock, make_run, spec

Script = Callable[[Job, Pending, Callable[[Event], None]], None]


class Lossy:
    """Does with every run what the script says."""

    def __init__(self, script: Script):
        self._script = script

    def run(self, pending: Pending, on_event: Callable[[Event], None], stopping: Callable[[], bool]) -> None:
        while (job := pending.take(set())) is not None:
            self._script(job, pending, on_event)


def sweep(results: Path, script: Script) -> Outcomes:
    plan = Plan(todo=[(Job(spec(), str(results), "quick", "uci", "", 0, False, 60.0), False)])
    return Sweep(plan, lambda alone: Lossy(script), lambda event: None).run(lambda: False)


def ended(job: Job, status: str) -> Event:
    return Ended(run=job.spec.run_id, status=status)


@pytest.mark.parametrize("places", [[100, 100], [0, 0]])
def test_a_run_whose_workers_die_at_the_same_place_fails(tmp_path: Path, places: list[int]) -> None:
    left = list(places)

    def die(job: Job, pending: Pending, on_event: Callable[[Event], None]) -> None:
        on_event(Progress(run=job.spec.run_id, phase=TRAINING, step=left.pop(0)))
        pending.give_back(job, "out of memory")

    summary = sweep(tmp_path, die)
    assert summary.failed == {spec().run_id: "out of memory"} and not left


def test_a_run_that_comes_further_each_time_goes_on_however_often_its_workers_die(tmp_path: Path) -> None:
    places = [100, 200, 300, 400]

    def die(job: Job, pending: Pending, on_event: Callable[[Event], None]) -> None:
        if not places:
            return on_event(ended(job, "COMPLETED"))
        on_event(Progress(run=job.spec.run_id, phase=TRAINING, step=places.pop(0)))
        pending.give_back(job, "the machine was taken away")

    assert sweep(tmp_path, die).completed == [spec().run_id]


def test_what_the_checkpoint_says_counts_too(tmp_path: Path) -> None:
    """Of a short attempt on another machine the sweep may not hear a word."""
    steps = [100, 200, 300]

    def die(job: Job, pending: Pending, on_event: Callable[[Event], None]) -> None:
        if not steps:
            return on_event(ended(job, "COMPLETED"))
        job.run_dir.mkdir(parents=True, exist_ok=True)
        checkpoint.save(job.run_dir / "checkpoint.npz", Snapshot({"step": np.int64(steps.pop(0))}, {}), {})
        pending.give_back(job, "the machine was taken away")

    assert sweep(tmp_path, die).completed == [spec().run_id]


def test_a_run_that_was_complete_before_its_worker_died_is_complete(tmp_path: Path) -> None:
    seen: list[str] = []

    def die(job: Job, pending: Pending, on_event: Callable[[Event], None]) -> None:
        seen.append("given")
        if len(seen) == 2:
            make_run(tmp_path, spec(), "COMPLETED")
        if len(seen) == 3:
            return on_event(ended(job, "COMPLETED"))
        pending.give_back(job, "no answer")

    assert sweep(tmp_path, die).completed == [spec().run_id]


def test_a_run_whose_worker_was_lost_on_another_machine_is_waited_for_until_its_lock_is_dead(tmp_path: Path) -> None:
    seen: list[str] = []
    lock = make_lock(make_run(tmp_path, spec(), "RUNNING"), machine="another")

    def lose(job: Job, pending: Pending, on_event: Callable[[Event], None]) -> None:
        seen.append("given")
        if len(seen) == 1:
            pending.give_back(job, "its machine is gone")
        elif len(seen) == 2:
            on_event(ended(job, BUSY))  # the lock was touched less than two minutes ago
            os.utime(lock, (time.time() - STALE_SECONDS + 1,) * 2)
        else:
            on_event(ended(job, "COMPLETED"))

    summary = sweep(tmp_path, lose)
    assert summary.completed == [spec().run_id] and summary.elsewhere == [] and len(seen) == 3


def test_a_run_that_a_worker_completed_after_it_was_thought_lost_counts_as_complete(tmp_path: Path) -> None:
    seen: list[str] = []

    def lose(job: Job, pending: Pending, on_event: Callable[[Event], None]) -> None:
        seen.append("given")
        if len(seen) == 1:
            return pending.give_back(job, "no answer")
        if len(seen) == 2:
            make_run(tmp_path, spec(), "COMPLETED")
            return on_event(ended(job, BUSY))
        return on_event(ended(job, "COMPLETED"))

    summary = sweep(tmp_path, lose)
    assert summary.completed == [spec().run_id] and summary.elsewhere == []


def test_a_run_that_nobody_executes_and_that_cannot_be_locked_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "_PAUSE", 0.01)
    make_run(tmp_path, spec(), "INTERRUPTED")
    tries: list[str] = []

    def busy(job: Job, pending: Pending, on_event: Callable[[Event], None]) -> None:
        tries.append("tried")
        on_event(ended(job, BUSY))

    summary = sweep(tmp_path, busy)
    assert "cannot be locked" in summary.failed[spec().run_id] and 2 <= len(tries) <= 10


def test_runs_that_another_process_completed_meanwhile_are_not_counted_as_ours(tmp_path: Path) -> None:
    def find_it_complete(job: Job, pending: Pending, on_event: Callable[[Event], None]) -> None:
        on_event(Ended(run=job.spec.run_id, status="COMPLETED", already=True))

    summary = sweep(tmp_path, find_it_complete)
    assert summary.completed == [] and summary.by_others == [spec().run_id]

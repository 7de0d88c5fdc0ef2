"""Carry out a plan by engines, and keep what became of its runs.

Engines distribute runs over processes and do nothing else: locks, checkpoints and results are the run store's. A
process may die at any moment: its run is found stale by its lock, and continued from its checkpoint.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from dgpexp.plan.plan import Plan
from dgpexp.runs import checkpoint
from dgpexp.runs.events import Broken, Ended, Event, Note, Progress
from dgpexp.runs.job import Job
from dgpexp.runs.sessions import shape
from dgpexp.store.stored_run import COMPLETED, FAILED, INTERRUPTED, STALE, StoredRun

_MAY_BE_BUSY = 5  # times that a run which nobody executes may refuse to be locked
_PAUSE = 2.0  # seconds before such a run is tried again
_MAY_DIE = 2  # times that a run's process may die at the same place before the sweep leaves that run alone
_UNFINISHED = (STALE, INTERRUPTED)
_WAITING = "waiting for a process of an earlier sweep, which is about to give its run back"
_CANNOT_LOCK = "nobody executes it, and it cannot be locked: what is in its folder claims/ was not made by dgpexp"


class Pending(Protocol):
    """Where an engine gets its work."""

    def take(self, shapes: set[Any]) -> Job | None:
        """Take the next run, preferably of these shapes, whose graphs the worker has; None if none is left."""

    def give_back(self, job: Job, why: str) -> None:
        """Take a run back whose process died."""

    def __len__(self) -> int: ...


class Engine(Protocol):
    """Executes the runs of a `Pending`, here or elsewhere."""

    def run(self, pending: Pending, on_event: Callable[[Event], None], stopping: Callable[[], bool]) -> None:
        """Execute runs until none is pending, or until `stopping`: then every running run writes a checkpoint."""


@dataclass
class Outcomes:
    """What became of the runs of a sweep, by run id."""

    completed: list[str] = field(default_factory=list)  # by this sweep
    by_others: list[str] = field(default_factory=list)  # completed meanwhile by another process
    failed: dict[str, str] = field(default_factory=dict)  # and why
    elsewhere: list[str] = field(default_factory=list)  # executed by another process
    interrupted: list[str] = field(default_factory=list)
    broken: str = ""  # why nothing more can be kept


class Sweep:
    """Executes a plan: the Pending of its engines, and the reader of their events."""

    def __init__(self, plan: Plan, engine: Callable[[bool], Engine], on_event: Callable[[Event], None]):
        """`engine(alone)` makes an engine; with `alone`, one that executes one run at a time."""
        self._plan, self._engine, self._on_event = plan, engine, on_event
        self._queue: list[Job] = []
        self._jobs = {job.spec.run_id: job for job, _ in plan.todo + plan.others}
        self._deaths: dict[str, int] = {}
        self._reached: dict[str, int] = {}  # the last step we heard of
        self._died_at: dict[str, int] = {}
        self._refused: dict[str, list[float]] = {}  # when a run that nobody executed could not be locked
        self._stopping: Callable[[], bool] = lambda: False
        self._said: set[str] = set()
        self.summary = Outcomes(elsewhere=[spec.run_id for spec in plan.running])

    def run(self, stopping: Callable[[], bool]) -> Outcomes:
        """Execute all runs, the timed ones last and one at a time; end early, after checkpoints, when `stopping`."""
        self._stopping = lambda: stopping() or bool(self.summary.broken)
        for alone in (False, True):
            mine = {job.spec.run_id for job, timing in self._plan.todo + self._plan.others if timing is alone}
            self._queue = [job for job, timing in self._plan.todo if timing is alone]
            while not self._stopping():
                if self._queue or self._abandoned(mine):
                    self._engine(alone).run(self, self._heard, self._stopping)
                elif self._being_abandoned(mine):
                    self._say_once(_WAITING)
                    time.sleep(0.2)
                else:
                    break
        return self.summary

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._on_event(Note(text=text))

    def _being_abandoned(self, mine: set[str]) -> bool:
        """Whether one of our runs is about to be given back.

        By a worker that a killed sweep left behind; or by one of ours that we lost, whose lock on another machine
        counts as alive until it was silent for long enough.
        """
        for run in self.summary.elsewhere:
            stored = StoredRun(self._jobs[run].run_dir)
            lost = run in self._deaths and stored.holder.alive()
            refused = run in self._refused and stored.status in _UNFINISHED
            if run in mine and (stored.holder.ending() or lost or refused):
                return True
        return False

    def _abandoned(self, mine: set[str]) -> bool:
        """Queue runs that another process held and has left unfinished since; whether there were any."""
        jobs = [self._jobs[run] for run in self.summary.elsewhere if run in mine]
        left = [
            job
            for job in jobs
            if ((status := StoredRun(job.run_dir).status) in _UNFINISHED and self._may_be_tried(job.spec.run_id))
            or (status == COMPLETED and job.spec.run_id in self._deaths)  # a worker that we thought was lost did it
        ]
        for job in left:
            self.summary.elsewhere.remove(job.spec.run_id)
        self._queue += [replace(job, retry=False) for job in left]  # the attempt that was begun goes on
        return bool(left)

    def _may_be_tried(self, run: str) -> bool:
        """Whether a run may be tried now; one that could not be locked waits a moment first."""
        refused = self._refused.get(run, [])
        return not refused or time.monotonic() - refused[-1] >= _PAUSE

    def _hopeless(self, run: str) -> bool:
        """Whether a run that nobody executes has refused to be locked too often."""
        if StoredRun(self._jobs[run].run_dir).status not in _UNFINISHED:
            self._refused.pop(run, None)
            return False
        self._refused.setdefault(run, []).append(time.monotonic())
        return len(self._refused[run]) > _MAY_BE_BUSY

    def __len__(self) -> int:
        return len(self._queue)

    def take(self, shapes: set[Any]) -> Job | None:
        """Take the cheapest run of the earliest split, preferably one whose graph the worker has."""
        if not self._queue:
            return None
        split = self._queue[0].spec.split
        same = (i for i, job in enumerate(self._queue) if job.spec.split == split and shape(job.spec) in shapes)
        return self._queue.pop(next(same, 0))

    def give_back(self, job: Job, why: str) -> None:
        run = job.spec.run_id
        reached = max(self._reached.get(run, 0), checkpoint.step(job.run_dir / "checkpoint.npz"))
        farther = reached > self._died_at.get(run, 0)  # then it is not the run that kills its processes
        complete = StoredRun(job.run_dir).written == COMPLETED  # it died between the end of the run and its message
        self._deaths[run] = 1 if farther or complete else self._deaths.get(run, 0) + 1
        self._died_at[run] = max(reached, self._died_at.get(run, 0))
        if self._deaths[run] < _MAY_DIE:
            self._queue.insert(0, replace(job, retry=False))  # the attempt that was begun goes on
        else:
            self._heard(Ended(run=run, status=FAILED, reason=why))

    def _heard(self, event: Event) -> None:
        summary, run = self.summary, event.run
        match event:
            case Progress(step=step) if step:
                self._reached[run] = step
            case Broken(reason=reason):
                summary.broken = reason
            case Ended(status="COMPLETED", already=already):
                ours = not already or run in self._deaths  # a worker of ours that was lost had completed it
                (summary.completed if ours else summary.by_others).append(run)
            case Ended(status="FAILED", reason=reason):
                summary.failed[run] = reason
            case Ended(status="BUSY"):
                if self._hopeless(run):
                    return self._heard(Ended(run=run, status=FAILED, reason=_CANNOT_LOCK, worker=event.worker))
                summary.elsewhere.append(run)
                if run in self._deaths:
                    event = Note(text=f"{run} goes on once its lost worker counts as dead")
            case Ended(status="INTERRUPTED"):
                if not self._stopping():  # somebody stopped the worker, not the sweep
                    return self.give_back(self._jobs[run], "its process was told to stop")
                summary.interrupted.append(run)
        self._on_event(event)

"""Estimate how long the rest of a sweep takes, from its runs so far."""

import time
from dataclasses import dataclass
from statistics import median

from dgpexp.config import RunSpec
from dgpexp.plan.cost import run_work
from dgpexp.runs.events import TRAINING, Ended, Event, Progress, Started


@dataclass
class _Seen:
    """What was heard of one run. Training is watched from its first message on, when its graph has been traced."""

    work: float
    limit: float  # seconds of training, 0: none
    started: float | None = None
    training_from: tuple[float, float] | None = None  # when, and which part of the run was done then
    training_to: tuple[float, float] | None = None
    ended: float | None = None

    @property
    def trained(self) -> tuple[float, float]:
        """Seconds of training that were watched, and the work done in them."""
        if self.training_from is None or self.training_to is None:
            return 0.0, 0.0
        return self.training_to[0] - self.training_from[0], (self.training_to[1] - self.training_from[1]) * self.work

    @property
    def overhead(self) -> float | None:
        """Seconds for everything but training: loading and tracing so far, or all of it once the run has ended."""
        if self.started is None or (self.ended is None and self.training_from is None):
            return None
        if self.ended is not None:
            return self.ended - self.started - self.trained[0]
        return self.training_from[0] - self.started if self.training_from else None

    def left(self, rate: float, overhead: float) -> float:
        """Seconds that are left, at `rate` seconds per unit of work."""
        if self.ended is not None:
            return 0.0
        part = self.training_to[1] if self.training_to else 0.0
        training = (1 - part) * self.work * rate
        if self.limit:
            training = min(training, max(0.0, self.limit - self.trained[0]))
        return training + (0.0 if self.training_to else overhead)


class Clock:
    """The time left of a sweep: the work that is left at the speed of training so far, and for every run that is yet to
    begin what a run costs besides. (The two apart: at first nearly all of the time went into starting, and no work was
    done in it.)"""

    def __init__(self, specs: list[RunSpec]):
        self._runs = {spec.run_id: _Seen(run_work(spec), spec.settings.max_seconds) for spec in specs}
        self._at_once = 1

    def hear(self, event: Event) -> None:
        run, now = self._runs.get(event.run), time.monotonic()
        if run is None:
            return
        if isinstance(event, Started):
            run.started, run.training_from, run.training_to = now, None, None
            running = sum(r.started is not None and r.ended is None for r in self._runs.values())
            self._at_once = max(self._at_once, running)
        elif isinstance(event, Ended):
            run.ended = now
        elif isinstance(event, Progress) and event.phase == TRAINING and event.total:
            run.training_to = now, event.step / event.total
            run.training_from = run.training_from or run.training_to

    def left(self) -> float | None:
        """Seconds that are left; None before anything is known."""
        runs = list(self._runs.values())
        seconds, work = (sum(parts) for parts in zip(*(r.trained for r in runs), strict=True)) if runs else (0.0, 0.0)
        if not work and not any(r.ended for r in runs):
            return None
        overheads = [r.overhead for r in runs if r.overhead is not None]
        each = [r.left(seconds / work if work else 0.0, median(overheads) if overheads else 0.0) for r in runs]
        return max(sum(each) / self._at_once, max(each, default=0.0))  # no run is faster than one core

"""The course of one run: blocks of steps, evaluations, snapshots, recoveries.

Every boundary is a function of the step number alone, never of the clock or of where a checkpoint fell. So a run that
is killed and continued from any of its snapshots does exactly what it would have done undisturbed.
"""

import math
from collections.abc import Callable
from statistics import median
from typing import Any, Protocol

import numpy as np

from dgpexp.config import Settings
from dgpexp.datasets.large import fixed_part
from dgpexp.errors import NumericalFailure
from dgpexp.predictive.tally import Tally
from dgpexp.runs.checkpoint import Snapshot
from dgpexp.training.minibatches import total_steps

BLOCK = 25  # steps between two chances to stop, report or save
SNAPSHOT_EVERY = 100  # steps between two states to go back to; a multiple of BLOCK
MAX_RECOVERIES = 3


class GaveUp(Exception):
    """Training failed numerically again and again, whatever the jitter."""


class Trainable(Protocol):
    """What the runner needs of dgpexp.training.session.Session."""

    step: int
    seconds: float
    jitter: float

    def advance(self, n: int) -> float: ...
    def evaluate(
        self, rows: np.ndarray | None = None, full: bool = True, between: Callable[[], None] | None = None
    ) -> dict[str, float]: ...
    def tally(self, rows: np.ndarray | None = None, between: Callable[[], None] | None = None) -> Tally | None: ...
    def state(self) -> dict[str, np.ndarray]: ...
    def restore(self, state: dict[str, np.ndarray]) -> None: ...


def evaluated_rows(settings: Settings, n_test: int) -> np.ndarray | None:
    """The fixed random rows of the test set for the evaluations on the way, the same for every method; None: all."""
    if not 0 < settings.evaluate_rows < n_test:
        return None
    return fixed_part(n_test, settings.evaluate_rows)


class Course:
    """A session on its way from step 0, or from a snapshot, to the end."""

    def __init__(self, session: Trainable, settings: Settings, n_train: int, n_test: int, start: Snapshot | None):
        self._session, self._settings = session, settings
        self._rows = evaluated_rows(settings, n_test)
        self.total = total_steps(settings, n_train)
        self.evaluations: list[dict[str, float]] = []
        self.recoveries: list[dict[str, Any]] = []
        self._sum, self._count = 0.0, 0  # of the objective since the last evaluation
        self.objective = math.nan  # of the last block, for people to watch
        if start is not None:
            self._restore(start)
            if not 0 <= self.step <= self.total or self._count < 0:
                raise ValueError(f"step {self.step} is not one of {self.total}")
        self.good = self._snapshot()

    @property
    def step(self) -> int:
        return self._session.step

    @property
    def finished(self) -> bool:
        limit = self._settings.max_seconds
        return self.step >= self.total or bool(limit and self._session.seconds >= limit)

    def advance(self, between: Callable[[], None] | None = None) -> None:
        """One block more, with the evaluation and snapshot that are due; after a numerical failure, go back instead.

        `between` is called now and then during an evaluation, and may raise to leave for good.
        """
        try:
            steps = self._next_boundary() - self.step
            self.objective = self._session.advance(steps)
            self._sum, self._count = self._sum + self.objective * steps, self._count + steps
            every = self._settings.evaluate_every
            if self.finished or (every and self.step % every == 0):
                self._evaluate(between)
            if self.finished or self.step % SNAPSHOT_EVERY == 0:
                self.good = self._snapshot()
        except NumericalFailure as failure:
            self._recover(str(failure))

    def _next_boundary(self) -> int:
        every = self._settings.evaluate_every or self.total
        return min(_multiple_after(self.step, BLOCK), _multiple_after(self.step, every), self.total)

    def _evaluate(self, between: Callable[[], None] | None) -> None:
        # CRPS and ll_rounded take time: only evaluations that may end up in the result have them
        metrics = self._session.evaluate(self._rows, self._in_final_window(), between)
        if any(math.isnan(value) for value in metrics.values()):
            raise NumericalFailure("a prediction is not a number")
        place = {"step": self.step, "train_seconds": self._session.seconds, "objective": self._sum / self._count}
        self.evaluations.append({**place, **metrics})
        self._sum, self._count = 0.0, 0

    def _in_final_window(self) -> bool:
        return self.finished or (self.total - self.step) < self._settings.final_window or self._settings.max_seconds > 0

    def _snapshot(self) -> Snapshot:
        state = self._session.state()
        for name, value in state.items():
            if value.dtype.kind == "f" and not np.isfinite(value).all():
                raise NumericalFailure(f"{name} is no longer finite")
        progress = {"looks": list(self.evaluations), "recoveries": list(self.recoveries), "sum": self._sum}
        return Snapshot(state, {**progress, "count": self._count})

    def _restore(self, snapshot: Snapshot) -> None:
        self._session.restore(snapshot.state)
        progress = snapshot.progress
        self.evaluations, self.recoveries = list(progress["looks"]), list(progress["recoveries"])
        self._sum, self._count = progress["sum"], progress["count"]

    def _recover(self, reason: str) -> None:
        recoveries, failed_at, jitter = self.recoveries, self.step, self._session.jitter * 10
        if len(recoveries) == MAX_RECOVERIES:
            raise GaveUp(f"{reason} (after step {self.good_step}, although the jitter was raised to {jitter / 10:.0e})")
        self._restore(self.good)
        self._session.jitter = jitter
        self.recoveries = [*recoveries, {"step": failed_at, "back_to": self.step, "jitter": jitter, "reason": reason}]
        self.good = self._snapshot()

    @property
    def good_step(self) -> int:
        """The step of the last snapshot, where a continuation would start."""
        return int(self.good.state["step"])

    def final(self) -> dict[str, float]:
        """The last evaluation, or the medians of those in the final window (section 5.3)."""
        last = self.evaluations[-1]
        window = [e for e in self.evaluations if e["step"] > last["step"] - self._settings.final_window] or [last]
        names = [name for name in last if name not in ("step", "train_seconds", "objective")]
        return {name: median(one[name] for one in window if name in one) for name in names}

    def whole_test(self, between: Callable[[], None] | None = None) -> dict[str, float] | None:
        """All of the test set, once at the end, where the evaluations saw a part of it."""
        wanted = self._rows is not None and self._settings.whole_test
        return self._session.evaluate(None, True, between) if wanted else None

    def tally(self, between: Callable[[], None] | None = None) -> dict[str, Any] | None:
        """Count what the tested points were taken for in the end; None unless they are of classes."""
        found = self._session.tally(None if self._settings.whole_test else self._rows, between)
        return found.as_dict() if found else None


def _multiple_after(step: int, n: int) -> int:
    return (step // n + 1) * n

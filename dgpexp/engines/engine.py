"""Engines distribute runs over processes and do nothing else: locks, checkpoints and results are the run store's.

An engine takes jobs from a `Pending`, has `execute` called for each somewhere, and passes its events on. A process may
die at any moment: its run is found stale by its lock, and continued from its checkpoint.
"""

from collections.abc import Callable
from typing import Any, Protocol

from dgpexp.runs.events import Event
from dgpexp.runs.job import Job


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

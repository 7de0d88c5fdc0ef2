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
        """The next run, by preference one of these shapes (the worker has their graphs); None: there is no more."""

    def give_back(self, job: Job, why: str) -> None:
        """The process that executed this run died."""

    def __len__(self) -> int: ...


class Engine(Protocol):
    """Has the runs of a `Pending` executed, wherever that is."""

    def run(self, pending: Pending, on_event: Callable[[Event], None], stopping: Callable[[], bool]) -> None:
        """Until nothing is pending, or until `stopping`: then every run that is being executed is checkpointed."""

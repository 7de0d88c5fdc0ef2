"""What a sweep sends to the process that executes a run, and how that process is asked and told of it meanwhile."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dgpexp.config import RunSpec
from dgpexp.runs.events import TRAINING, Event, Progress
from dgpexp.store.stored_run import runs_dir

BUSY = "BUSY"  # how a job may end, and no status: another live process executes the run
GANG_LOST = 75  # exit code of a process whose gang has lost another


@dataclass(frozen=True)
class Job:
    """A run to execute: what, where to keep it, and what to say about it. Plain JSON, so that it travels."""

    spec: RunSpec
    results: str
    profile: str
    experiment: str
    command: str  # that makes this run again
    locks: int  # how many there were when the sweep looked
    retry: bool  # it has FAILED before: begin anew
    checkpoint_seconds: float
    note: str = ""  # of whoever runs it, for Sacred's meta information
    tags: tuple[str, ...] = ()  # likewise
    sweep: str = ""  # the lease of a sweep on another machine

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_dict(cls, d: dict[str, Any]) -> "Job":
        return cls(**{**d, "spec": RunSpec.from_dict(d["spec"]), "tags": tuple(d.get("tags", ()))})

    @property
    def run_dir(self) -> Path:
        return runs_dir(Path(self.results), self.profile) / self.spec.run_id


@dataclass
class Watch:
    """Whoever started the run: is told about the progress, and is asked whether to stop."""

    emit: Callable[[Event], None]
    stop: Callable[[], bool]
    every: float = 0.0  # seconds between two messages about training
    told: float = float("-inf")

    def tell(self, progress: Progress) -> None:
        """Pass it on, unless it is of training and the last such one is young."""
        if progress.phase == TRAINING:
            if time.monotonic() - self.told < self.every:
                return
            self.told = time.monotonic()
        self.emit(progress)

"""Read one run from its folder, in the terms of Sacred's databases."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from dgpexp.store.stored_run import COMPLETED, FAILED, INTERRUPTED, RUNNING, StoredRun


class Down(Exception):
    """The database cannot be reached or does not work now; later it may."""


class Rejected(Exception):
    """The database is there and will not take this run."""


def first_line(error: BaseException) -> str:
    """What a database says of an error, shortly."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:300]


def moment(text: Any) -> datetime | None:
    """Sacred's times: ISO, UTC, without a zone."""
    try:
        return datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None


def latest(*moments: datetime | None) -> datetime:
    """When a run was last written: the latest of its start, heartbeat and end."""
    return max((m for m in moments if m is not None), default=datetime.min)


@dataclass(frozen=True)
class Copy:
    """What the folder of a run holds now."""

    path: Path
    record: dict[str, Any]
    config: dict[str, Any]
    info: dict[str, Any]
    metrics: dict[str, dict[str, list[Any]]]
    output: str

    @property
    def run_id(self) -> str:
        return self.path.name

    def time(self, name: str) -> datetime | None:
        return moment(self.record.get(name))

    @property
    def written(self) -> datetime:
        return latest(self.time("start_time"), self.time("heartbeat"), self.time("stop_time"))

    @property
    def experiment(self) -> dict[str, Any]:
        return self.record.get("experiment") or {}

    @cached_property
    def sources(self) -> list[tuple[str, str, Path]]:
        """Name, MD5 (from the name of Sacred's copy) and path of every source file that is kept."""
        kept = [(name, self.path.parent / path) for name, path in self.experiment.get("sources") or ()]
        return [(name, path.stem.rpartition("_")[2], path) for name, path in kept if path.is_file()]


def read(path: Path) -> Copy | None:
    """Read the run in this folder; None if Sacred would not know it yet."""
    run = StoredRun(path)
    if run.record.get("status") not in (COMPLETED, RUNNING, FAILED, INTERRUPTED):
        return None
    try:
        output = (path / "cout.txt").read_text(errors="replace").replace("\0", "")  # PostgreSQL's text has no NUL
    except OSError:
        output = ""
    return Copy(path, run.record, run.config, run.info, run.curves, output)

"""Copy runs to databases while a sweep runs: one thread for each mirror, never in a worker.

Runs know nothing of mirrors, so nothing that happens to a mirror can touch a run, and no password leaves this process.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from dgpexp.mirrors.copy import Copy, Down, Rejected, read
from dgpexp.mirrors.url import MirrorUrl, hide
from dgpexp.plan.plan import Plan
from dgpexp.runs.events import Ended, Event, Progress
from dgpexp.store.stored_run import stored_runs

_EVERY = 10.0  # seconds between two copies of a running run: it writes its files as often
_AGAIN = 60.0  # seconds after which a database that was down is tried again
_PATIENCE = 30.0  # seconds without progress after which `sync` takes a database for down
_AT_THE_END = 15.0  # seconds that the end of a sweep waits for a mirror


class Target(Protocol):
    """One kind of database."""

    def put(self, copy: Copy) -> bool:
        """Bring the database's copy of a run up to date. Returns whether it was written; raises Down or Rejected."""


def connect(address: MirrorUrl) -> Target:
    """Make the target of an address. Nothing is sent yet; libraries are imported, and their logs are silenced."""
    for library in ("sqlalchemy", "psycopg", "pymongo"):
        logging.getLogger(library).addHandler(logging.NullHandler())
    if address.kind == "sql":
        from dgpexp.mirrors.sql import SqlMirror

        return SqlMirror(address)
    if address.kind == "mlflow":
        from dgpexp.mirrors.mlflow import MlflowMirror

        return MlflowMirror(address)
    from dgpexp.mirrors.mongo import MongoMirror

    return MongoMirror(address)


class Mirror:
    """One database and the thread that copies runs to it; `pending` holds what could not be copied yet."""

    def __init__(self, address: MirrorUrl, on_trouble: Callable[[str], None]):
        self.address, self._on_trouble = address, on_trouble
        self.written, self.same, self.refused = 0, 0, 0
        self.trouble = ""  # the first reason why something could not be written
        self.pending: dict[Path, object] = {}  # in order; a run that changes again while it waits waits once
        self._taken: object = None  # marks the run that is being copied: a change meanwhile takes the mark away
        self._changed = threading.Condition()
        self._closing = False
        self._moved = time.monotonic()  # when anything was last achieved
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def submit(self, run_dir: Path) -> None:
        with self._changed:
            self.pending[run_dir] = None
            self._changed.notify_all()

    def close(self) -> None:
        """Accept no more runs; a database that is down gets one more try."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()

    def finish(self, seconds: float, renew: bool = False) -> None:
        """Wait this long for pending runs; with `renew`, wait on while there is progress."""
        self.close()
        with self._changed:
            began = time.monotonic()
            while self._thread.is_alive():
                left = (max(began, self._moved) if renew else began) + seconds - time.monotonic()
                if left <= 0:
                    break
                self._changed.wait(min(left, 0.2))
            if self.pending:
                self._complain("it did not answer in time")

    def _work(self) -> None:
        target: Target | None = None
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self.pending or self._closing)
                if not self.pending:
                    return
                run_dir = next(iter(self.pending))
                self.pending[run_dir] = self._taken = object()
            try:
                target = target or connect(self.address)
                copy = read(run_dir)
                done = copy is not None and target.put(copy)
            except Down as error:
                if not self._survive(str(error)):
                    return
                continue
            except Exception as error:  # whatever it was, it is the mirror's alone
                self._settle(run_dir, refused=True)
                self._complain(str(error) if isinstance(error, Rejected) else f"{type(error).__name__}: {error}")
                continue
            self._settle(run_dir, written=done, same=copy is not None and not done)

    def _settle(self, run_dir: Path, written: bool = False, same: bool = False, refused: bool = False) -> None:
        with self._changed:
            if self.pending[run_dir] is self._taken:  # else it changed again meanwhile
                del self.pending[run_dir]
            self.written, self.same, self._moved = self.written + written, self.same + same, time.monotonic()
            self.refused += refused

    def _survive(self, why: str) -> bool:
        """Report the trouble once and wait before the next try; False if there is no time for one."""
        closing = self._closing
        self._complain(why)
        with self._changed:
            self._changed.wait_for(lambda: self._closing, 0 if closing else _AGAIN)
        return not closing

    def _complain(self, why: str) -> None:
        with self._changed:
            if not self.trouble:
                self.trouble = hide(" ".join(why.split()), self.address.url)[:300].rstrip(".")
                self._on_trouble(self.trouble)


class Mirrors:
    """All mirrors of a sweep: each event has its run copied."""

    def __init__(self, addresses: Iterable[MirrorUrl], plan: Plan, say: Callable[[str], None]):
        self._folders = {job.spec.run_id: job.run_dir for job, _ in plan.todo + plan.others}
        self._copied: dict[str, float] = {}
        self._mirrors = [Mirror(a, lambda why, a=a: say(_warning(a, why))) for a in addresses]  # type: ignore[misc]

    def __enter__(self) -> "Mirrors":
        return self

    def __exit__(self, *_: object) -> None:
        until = time.monotonic() + _AT_THE_END
        for mirror in self._mirrors:
            mirror.close()
        with suppress(KeyboardInterrupt):  # waiting is no longer wanted; all runs have ended
            for mirror in self._mirrors:
                mirror.finish(until - time.monotonic())

    def hear(self, event: Event) -> None:
        run, now = event.run, time.monotonic()
        if run not in self._folders or not isinstance(event, Progress | Ended):
            return
        if isinstance(event, Ended) or now - self._copied.get(run, -_EVERY) >= _EVERY:
            self._copied[run] = now
            for mirror in self._mirrors:
                mirror.submit(self._folders[run])


def sync(address: MirrorUrl, results: Path, profiles: list[str]) -> Mirror:
    """Copy all runs of these profiles that the database lacks or has in an older state; the counts are the mirror's."""
    mirror = Mirror(address, lambda why: None)
    for profile in profiles:
        for run in stored_runs(results, profile):
            mirror.submit(run.path)
    mirror.finish(_PATIENCE, renew=True)
    return mirror


def _warning(address: MirrorUrl, why: str) -> str:
    return (
        f"dgpexp: the mirror {address.shown} cannot be written now ({why}); the runs go on, and "
        "`dgpexp sync --observer URL` brings it up to date afterwards."
    )

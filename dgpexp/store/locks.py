"""Who executes a run: at most one live process, for ever, on any number of machines that share the folder.

1. The locks of a run are the files claims/0001.json, 0002.json, ... in its folder. The highest number is the holder's;
   numbers are never deleted or reused.
2. A process writes its identity to a temporary file and hard-links it to the next number, if the highest lock is
   released or dead. The link succeeds for exactly one process and shows the complete content at once. (Without hard
   links: exclusive creation; until the content follows, a young file counts as alive.)
3. A holder on the same boot of the same machine, in the same PID namespace, is dead if its process is gone. The time at
   which the process started guards against a reused number. Any other holder is dead if its file, which it touches
   every 15 s, was not touched for 120 s by the clock of the shared folder.
4. Dead stays dead in the first case. In the second the holder is fenced: before every write it looks for the next
   number, and if that exists it writes nothing more.
5. After locking, the status is read again: a run that was completed meanwhile is left as it is.

So whoever judged lock n dead can only take n + 1, and of two that judge so one succeeds. What a fenced holder may still
be writing when it is judged dead is an atomic replacement of a file by one that the new holder would write too: the
same run, at the same step, has the same bits. Sacred's own `mkdir` of the run folder cannot be taken over, so the
observer adopts a folder that exists.
"""

import json
import os
import re
import socket
import threading
import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from dgpexp.files import read_json, write_json

_NAME = re.compile(r"([0-9]{4,9})\.json")  # anything else in claims/ is not a lock
BEAT_SECONDS = 15.0
STALE_SECONDS = 120.0  # a holder on another machine that was silent for so long is dead


class LockLost(Exception):
    """Another process judged this one dead and took its run over."""


@cache
def machine() -> str:
    """Where process numbers mean the same: this boot of this machine, and this container in it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return socket.gethostname()


def process_started(pid: int) -> str | None:
    """When process `pid` of this machine started, in clock ticks (a number may be reused); None if there is none."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        if Path("/proc/self/stat").exists():
            return None
        return "unknown" if _signalable(pid) else None
    return None if stat[0] in "ZX" else stat[19]  # a zombie is dead: its parent has not yet noticed


@cache
def parent() -> tuple[int, str | None]:
    """The process that started this one, as it was when first asked: orphans are given another."""
    pid = os.getppid()
    return pid, process_started(pid)


def _signalable(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@dataclass(frozen=True)
class Holder:
    """The highest lock of a run, as read; `number` 0 means that nobody has locked it yet."""

    number: int
    content: dict[str, Any]
    beat: float  # when the file was last touched

    def alive(self, now: float | None = None) -> bool:
        if self.number == 0 or self.content.get("released"):
            return False
        if self.content.get("machine") == machine():
            return process_started(self.content["pid"]) == self.content.get("process_started")
        return (time.time() if now is None else now) - self.beat < STALE_SECONDS

    def ending(self) -> bool:
        """Whether it lives but its sweep was killed: it is about to checkpoint and to give the run back."""
        if not self.alive():
            return False
        if self.content.get("sweep") and not read_holder(Path(self.content["sweep"]), 1).alive():
            return True
        pid, started = self.content.get("parent") or (0, None)
        return self.content.get("machine") == machine() and process_started(pid) != started


def holder(run_dir: Path) -> Holder:
    """Who holds the run. A lock that cannot be read yet counts as silent since it was last touched."""
    folder = run_dir / "claims"
    try:
        names = [_NAME.fullmatch(name) for name in os.listdir(folder)]
    except OSError:
        names = []
    number = max((int(name[1]) for name in names if name), default=0)
    return read_holder(folder / f"{number:04d}.json", number)


def read_holder(path: Path, number: int) -> Holder:
    """What one file says about who wrote it; nobody if it is not there."""
    try:
        content, beat = read_json(path), path.stat().st_mtime
    except OSError:
        return Holder(0, {}, 0.0)
    return Holder(number, content if _is_identity(content) else {}, beat)


def _is_identity(content: Any) -> bool:
    """Whether a lock says what `identity` says, in the right types; a torn one, or another program's, does not."""
    if not isinstance(content, dict) or type(content.get("pid")) is not int:
        return False
    parent = content.get("parent", [0, None])
    return isinstance(parent, list) and len(parent) == 2 and type(parent[0]) is int and _is_text(content.get("sweep"))


def _is_text(value: Any) -> bool:
    return value is None or (isinstance(value, str) and "\0" not in value)


def identity() -> dict[str, Any]:
    """This process, as a holder."""
    return {
        "machine": machine(),
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "process_started": process_started(os.getpid()),
        "parent": parent(),
        "since": time.time(),
    }


def first_locked(run_dir: Path) -> str | None:
    """When the first attempt at the run began (ISO, UTC); None if nobody knows."""
    since = read_holder(run_dir / "claims" / "0001.json", 1).content.get("since")
    try:
        return datetime.fromtimestamp(since, UTC).isoformat(timespec="seconds")  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, OSError):
        return None


class Lock:
    """A held lock. While it is held a thread touches its file, which is how other machines see that we live."""

    def __init__(self, run_dir: Path, number: int, content: dict[str, Any]):
        self.number, self._content = number, content
        self._folder = run_dir / "claims"
        self._path = self._folder / f"{number:04d}.json"
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        while not self._stop.wait(BEAT_SECONDS):
            try:
                os.utime(self._path)
            except OSError:
                continue  # a hiccup of a network folder; STALE_SECONDS is several beats long

    @property
    def held(self) -> bool:
        """False once another process has taken the run over: this machine slept, or was cut off."""
        return not (self._folder / f"{self.number + 1:04d}.json").exists()

    def check(self) -> None:
        """Raises LockLost if it is no longer held."""
        if not self.held:
            raise LockLost(f"lock {self.number} of {self._folder.parent.name} was taken over by another process")

    def release(self, why: str) -> None:
        """Give the run back; `why` (COMPLETED, FAILED, INTERRUPTED, PASSED) stays in the file as history."""
        self._stop.set()
        self._thread.join()
        write_json(self._path, {**self._content, "released": why, "ended": time.time()})


def acquire(run_dir: Path, expected: int | None = None, sweep: str = "") -> Lock | None:
    """Lock the run, or None if a live process holds it or another was quicker.

    `expected`: give up if the highest lock is no longer this number (somebody else has tried since we looked).
    `sweep`: the lease of the sweep for which it is done, if that is on another machine.
    """
    folder = run_dir / "claims"
    folder.mkdir(parents=True, exist_ok=True)
    content = identity() | ({"sweep": sweep} if sweep else {})
    temporary = folder / f".{uuid.uuid4().hex}"
    write_json(temporary, content)
    try:
        now = temporary.stat().st_mtime  # the folder's own clock: another machine's may differ from ours
        current = holder(run_dir)
        if current.alive(now) or expected not in (None, current.number):
            return None
        target = folder / f"{current.number + 1:04d}.json"
        if not _create(temporary, target, content):
            return None
        return Lock(run_dir, current.number + 1, content)
    finally:
        temporary.unlink(missing_ok=True)


def _create(complete: Path, target: Path, content: dict[str, Any]) -> bool:
    """Make `target` with the content of `complete` if it does not exist; False if it does."""
    try:
        os.link(complete, target)
    except FileExistsError:
        return False
    except OSError:  # a file system without hard links: the name is still exclusive, the content follows
        try:
            with open(target, "x") as f:
                json.dump(content, f)
        except FileExistsError:
            return False
    return True

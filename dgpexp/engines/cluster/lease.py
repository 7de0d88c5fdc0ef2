"""A sweep's lease: a file that tells workers on other machines that the sweep lives and that they share its folder.

<results>/.sweeps/<random name>.json says which process the sweep is; it is touched as a lock is, and deleted when the
sweep ends or is stopped. A worker that does not find it does not see the results folder of the sweep; one that has
begun and no longer finds it, or finds it silent for as long as a dead lock, checkpoints and stops.
"""

import os
import threading
import time
import uuid
from contextlib import suppress
from pathlib import Path

from dgpexp.files import writable, write_json
from dgpexp.store.locks import BEAT_SECONDS, STALE_SECONDS, identity, machine, read_holder

_ASK_EVERY = 1.0  # seconds between two readings by a worker


class Lease:
    """The lease as the sweep holds it: a thread keeps it alive until `end`."""

    def __init__(self, results: Path):
        folder = results.absolute() / ".sweeps"
        self.path = folder / f"{uuid.uuid4().hex}.json"
        with writable(results):
            folder.mkdir(parents=True, exist_ok=True)
            write_json(self.path, identity())
        for other in folder.glob("*.json"):
            if not read_holder(other, 1).alive():  # of a sweep that was killed
                other.unlink(missing_ok=True)
        self._ended = threading.Event()
        threading.Thread(target=self._beat, daemon=True).start()

    def end(self) -> None:
        self._ended.set()
        with suppress(OSError):
            self.path.unlink()
        with suppress(OSError):
            self.path.parent.rmdir()

    def _beat(self) -> None:
        while not self._ended.wait(BEAT_SECONDS):
            with suppress(OSError):
                os.utime(self.path)


class Watched:
    """The lease as a worker sees it."""

    def __init__(self, path: str):
        self._path = Path(path)
        self._read_at, self._over = float("-inf"), False
        self._beat, self._changed = 0.0, time.monotonic()

    def over(self) -> bool:
        """Whether the sweep has ended, was stopped or was killed."""
        now = time.monotonic()
        if not self._over and now - self._read_at >= _ASK_EVERY:
            self._read_at, self._over = now, self._read(now)
        return self._over

    def _read(self, now: float) -> bool:
        try:
            self._path.read_bytes()  # opening a file asks a network folder's server; looking at its times may not
        except FileNotFoundError:
            return True
        except OSError:
            return now - self._changed >= STALE_SECONDS  # a hiccup of a network folder
        holder = read_holder(self._path, 1)
        if holder.content.get("machine") == machine():
            return not holder.alive()
        if holder.beat != self._beat:  # measured by our own clock: the folder's may differ
            self._beat, self._changed = holder.beat, now
        return now - self._changed >= STALE_SECONDS

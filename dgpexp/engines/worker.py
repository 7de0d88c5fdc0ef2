"""Execute the runs that an engine sends, one after the other, in a process that imports TensorFlow once.

It reads one JSON object per line from standard input ({"do": "run", "job": ...} or {"do": "stop"}) and writes events,
one per line, to standard output. The end of its input means that whoever started it is gone: it then checkpoints and
ends, so no worker outlives its sweep, whatever killed that. A run for a sweep on another machine comes with "terms"
(see terms.py): a worker that does not meet them refuses, and one whose sweep has ended checkpoints and ends too.
{"do": "check", "job": ..., "terms": ...} asks for the terms alone: Ready says that they are met.
A run with "gang" is trained by several processes. That of rank 0 executes it; the others compute their shards, and end
with rank 0, or when anything goes wrong. None of them takes another run.
"""

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, NoReturn

from dgpexp.engines.cluster.lease import Watched
from dgpexp.engines.cluster.terms import refusal
from dgpexp.files import StoreError
from dgpexp.runs.events import Broken, Event, Ready, to_json
from dgpexp.runs.execute import execute
from dgpexp.runs.job import GANG_LOST, Job, Watch
from dgpexp.runs.sessions import Gang, Sessions
from dgpexp.store import locks

_NEAR, _FAR = 0.5, 2.0  # seconds between two messages about training, to a sweep here or on another machine
_ASK_EVERY = 5.0  # seconds between two readings of the lease while there is nothing to do
_LAST = 25  # seconds that a process which follows another outlives whoever started it


class Worker:
    """The conversation with the engine, and the runs in between."""

    def __init__(self, inbox: BinaryIO, outbox: BinaryIO, sessions: Sessions):
        self._inbox, self._outbox, self._sessions = inbox, outbox, sessions
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._stop = threading.Event()
        self._lease: Watched | None = None  # of the sweep on another machine for which it works

    def work(self) -> None:
        threading.Thread(target=self._listen, daemon=True).start()
        while not self._stop.is_set():
            self._send(Ready())
            message = self._next()
            if message is None:
                return
            if "terms" in message:
                self._lease = Watched(message["terms"]["sweep"])
                refused = refusal(message["terms"], message["job"])
                if refused is not None:
                    self._send(refused)
                if refused is not None or message["do"] == "check":
                    continue
            job = Job.from_dict(message["job"])
            if "gang" in message:
                self._sessions.gang = Gang(**message["gang"])
                if self._sessions.gang.rank:
                    self._follow(job)
            try:
                watch = Watch(self._send, self._stopping, _FAR if self._lease else _NEAR)
                self._send(execute(job, self._sessions, watch))
            except StoreError as error:
                self._send(Broken(run=job.spec.run_id, reason=str(error)))
                return
            if self._sessions.gang is not None:
                return

    def _follow(self, job: Job) -> NoReturn:
        """Compute a shard until rank 0 is gone; whatever is raised ends the process at once, for the others wait."""
        try:
            self._sessions.follow(job.spec)
        except Exception as error:
            os.write(2, f"{error or type(error).__name__}\n".encode())
        os._exit(GANG_LOST)

    def stop(self) -> None:
        self._stop.set()
        if self._sessions.gang is not None and self._sessions.gang.rank:
            signal.alarm(_LAST)  # rank 0 needs it for its checkpoint, and it may be deaf for ever
        self._messages.put(None)

    def _stopping(self) -> bool:
        return self._stop.is_set() or (self._lease is not None and self._lease.over())

    def _next(self) -> dict[str, Any] | None:
        while True:
            try:
                return self._messages.get(timeout=_ASK_EVERY if self._lease else None)
            except queue.Empty:
                if self._stopping():
                    return None

    def _listen(self) -> None:
        for line in self._inbox:
            message = json.loads(line)
            if message["do"] == "stop":
                self.stop()
            else:
                self._messages.put(message)
        self.stop()

    def _send(self, event: Event) -> None:
        try:
            self._outbox.write(json.dumps(to_json(event)).encode() + b"\n")
            self._outbox.flush()
        except (BrokenPipeError, ValueError):
            self.stop()


def main(make: Callable[..., Any] | None = None) -> None:
    """Run a worker process; `make` builds its sessions (default: dgpexp's own)."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the sweep's to answer
    locks.parent()  # now, while the sweep certainly lives
    inbox, outbox = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # Nothing else may write among the events; Sacred keeps what is printed during a run in its cout.txt.
    with open(os.devnull, "w") as nowhere, open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(nowhere.fileno(), 1)
        sys.stdout = nowhere
        worker = Worker(inbox, outbox, Sessions(make))
        signal.signal(signal.SIGTERM, lambda *_: worker.stop())
        worker.work()
        outbox.flush()
    os._exit(0)  # the listening thread may be blocked for ever


if __name__ == "__main__":
    main()

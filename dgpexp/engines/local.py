"""The engine of one machine: worker processes, and the two pipes to each."""

import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from dgpexp.engines.engine import Pending
from dgpexp.errors import RunFailed
from dgpexp.quietly import ONE_THREAD
from dgpexp.runs.events import Broken, Ended, Event, Progress, Ready, Started, from_json
from dgpexp.runs.job import Job
from dgpexp.runs.sessions import KEPT, shape
from dgpexp.store.stored_run import INTERRUPTED

WORKER = [sys.executable, "-m", "dgpexp.engines.worker"]
_GRACE = 5.0  # seconds that a worker which has nothing to keep yet is given to stop


class LocalEngine:
    """`jobs` processes on this machine, each with one thread of TensorFlow."""

    def __init__(self, jobs: int, command: list[str] | None = None):
        self._jobs, self._command = jobs, command or WORKER
        self._workers: list[WorkerProcess] = []
        self._selector = selectors.DefaultSelector()
        self._never_ready = 0
        self._for_new: list[Job] = []  # taken, for a worker that is still to be started

    def run(self, pending: Pending, on_event: Callable[[Event], None], stopping: Callable[[], bool]) -> None:
        """Execute runs until none is pending, or until `stopping`: then every worker writes a checkpoint and ends."""
        try:
            while True:
                if stopping():
                    for worker in self._workers:
                        worker.stop()
                        worker.end_if_idle()
                else:
                    while len(self._workers) < self._jobs and self._idle() < len(pending) + len(self._for_new):
                        self._start()
                if not self._workers:
                    return
                for key, _ in self._selector.select(timeout=0.2):
                    self._listen(key.data, pending, on_event, stopping())
        finally:
            self.kill()
            self._selector.close()

    def kill(self) -> None:
        """End all workers now; what they have not checkpointed is done again next time."""
        for worker in self._workers:
            worker.process.kill()
            worker.process.wait()
            worker.close()
        self._workers.clear()

    def _idle(self) -> int:
        return sum(worker.task is None for worker in self._workers)

    def _start(self) -> None:
        taken = {worker.number for worker in self._workers}
        number = next(n for n in range(self._jobs) if n not in taken)
        worker = WorkerProcess(number, self._command)
        self._workers.append(worker)
        self._selector.register(worker.stdout, selectors.EVENT_READ, worker)

    def _listen(
        self, worker: "WorkerProcess", pending: Pending, on_event: Callable[[Event], None], stopping: bool
    ) -> None:
        events = worker.events()
        if events is None:
            self._bury(worker, pending, on_event)
            return
        for event in events:
            if isinstance(event, Progress) and event.total:
                worker.trains = True
            if isinstance(event, Ready):
                task = None if stopping else self._next(worker, pending)
                worker.send(task)
                if task is not None:
                    on_event(Started(run=task.spec.run_id, worker=worker.number))
                continue
            if isinstance(event, Ended | Broken):
                worker.task = None
            on_event(replace(event, worker=worker.number))

    def _next(self, worker: "WorkerProcess", pending: Pending) -> Job | None:
        """Choose the worker's next run; None if there is none, or if the next one needs a new process."""
        if self._for_new and worker.has_room(shape(self._for_new[0].spec)):
            return self._for_new.pop(0)
        task = pending.take(worker.shapes)
        if task is None or worker.has_room(shape(task.spec)):
            return task
        self._for_new.append(task)
        return None

    def _bury(self, worker: "WorkerProcess", pending: Pending, on_event: Callable[[Event], None]) -> None:
        self._selector.unregister(worker.stdout)
        self._workers.remove(worker)
        why = worker.last_words()
        worker.close()
        if worker.task is not None and worker.ended_by_us:
            on_event(Ended(run=worker.task.spec.run_id, status=INTERRUPTED, worker=worker.number))
        elif worker.task is not None:
            pending.give_back(worker.task, why)
        elif not worker.was_ready:
            self._never_ready += 1
            if self._never_ready > 1:
                raise RunFailed(f"a worker process could not start: {why}.")


class WorkerProcess:
    """One worker process and the two pipes to it."""

    def __init__(self, number: int, command: list[str]):
        self.number, self.was_ready = number, False
        self.trains = False  # its run has a state that is worth a checkpoint
        self.ended_by_us = False
        self._asked_to_stop: float | None = None
        self.task: Job | None = None
        self.shapes: set[Any] = set()  # whose graphs it has
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as the process is
        # A session of its own: the terminal's Ctrl-C reaches the sweep, which asks its workers to checkpoint.
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            start_new_session=True,
            env={**os.environ, **ONE_THREAD},
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self._stdin, self.stdout = self.process.stdin, self.process.stdout
        self._rest = b""

    def events(self) -> list[Event] | None:
        """Return the events since the last call; None once the process has ended."""
        data = os.read(self.stdout.fileno(), 1 << 16)
        if not data:
            self.process.wait()
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.was_ready = True
        return [from_json(json.loads(line)) for line in lines]

    def send(self, task: Job | None) -> None:
        """Send the next run; None tells the process to end."""
        self.task, self.trains = task, False
        if task is None:
            self.stop()
            return
        self.shapes.add(shape(task.spec))
        self.write({"do": "run", "task": task.as_dict()})

    def has_room(self, wanted: Any) -> bool:
        """Whether the process can keep the graph of runs of this shape beside those that it has."""
        return wanted in self.shapes or len(self.shapes) < KEPT

    def stop(self) -> None:
        if not self._stdin.closed:
            self._asked_to_stop = time.monotonic()
            self.write({"do": "stop"})
            with suppress(BrokenPipeError):
                self._stdin.close()

    def end_if_idle(self) -> None:
        """Kill a process that was asked to stop and has nothing to keep: reading data or tracing may take minutes."""
        asked = self._asked_to_stop
        if asked is not None and not self.trains and time.monotonic() - asked > _GRACE:
            self.ended_by_us = True
            self.process.kill()

    def last_words(self) -> str:
        """Say how the process ended, with its last line on stderr unless it was killed: libraries greet there."""
        code = self.process.returncode
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
            hint = ", perhaps for want of memory" if -code == signal.SIGKILL else ""
            return f"its process was killed ({name}{hint})"
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        return f"its process ended unexpectedly (exit code {code}{': ' + lines[-1][:300] if lines else ''})"

    def close(self) -> None:
        """Close the pipes, once the process has ended."""
        for pipe in (self._stdin, self.stdout, self._stderr):
            with suppress(BrokenPipeError):  # something was left to be written
                pipe.close()

    def write(self, message: dict[str, Any]) -> None:
        with suppress(BrokenPipeError):  # it has just died: its end is seen on the other pipe
            self._stdin.write(json.dumps(message).encode() + b"\n")
            self._stdin.flush()

"""The engine of one machine: worker processes, and the two pipes to each."""

import json
import os
import selectors
import subprocess
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from dgpexp.engines.engine import Pending
from dgpexp.errors import RunFailed
from dgpexp.runs.events import Broken, Ended, Event, Ready, Started, from_json
from dgpexp.runs.one_thread import ONE_THREAD
from dgpexp.runs.sessions import KEPT, shape
from dgpexp.runs.task import Task

WORKER = [sys.executable, "-m", "dgpexp.engines.worker"]


class LocalEngine:
    """`jobs` processes on this machine, each with one thread of TensorFlow."""

    def __init__(self, jobs: int, command: list[str] | None = None):
        self._jobs, self._command = jobs, command or WORKER
        self._workers: list[WorkerProcess] = []
        self._selector = selectors.DefaultSelector()
        self._never_ready = 0

    def run(self, pending: Pending, on_event: Callable[[Event], None], stopping: Callable[[], bool]) -> None:
        """Until nothing is pending, or until `stopping`: then every worker checkpoints and ends."""
        try:
            while True:
                if stopping():
                    for worker in self._workers:
                        worker.stop()
                else:
                    while len(self._workers) < self._jobs and self._idle() < len(pending):
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
            self._bury(worker, pending)
            return
        for event in events:
            if isinstance(event, Ready):
                task = None if stopping else pending.take(set(worker.shapes))
                worker.send(task)
                if task is not None:
                    on_event(Started(run=task.spec.run_id, worker=worker.number))
                continue
            if isinstance(event, Ended | Broken):
                worker.task = None
            on_event(replace(event, worker=worker.number))

    def _bury(self, worker: "WorkerProcess", pending: Pending) -> None:
        self._selector.unregister(worker.stdout)
        self._workers.remove(worker)
        why = worker.last_words()
        if worker.task is not None:
            pending.give_back(worker.task, why)
        elif not worker.was_ready:
            self._never_ready += 1
            if self._never_ready > 1:
                raise RunFailed(f"a worker process could not start: {why}.")


class WorkerProcess:
    """One worker process and the two pipes to it."""

    def __init__(self, number: int, command: list[str]):
        self.number, self.was_ready = number, False
        self.task: Task | None = None
        self.shapes: OrderedDict[Any, None] = OrderedDict()  # whose graphs it has, the latest last
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
        """What it said since last asked; None once it has ended."""
        data = os.read(self.stdout.fileno(), 1 << 16)
        if not data:
            self.process.wait()
            return None
        *lines, self._rest = (self._rest + data).split(b"\n")
        self.was_ready = True
        return [from_json(json.loads(line)) for line in lines]

    def send(self, task: Task | None) -> None:
        """The next run; None: there is none, end."""
        self.task = task
        if task is None:
            self.stop()
            return
        self.shapes[shape(task.spec)] = None
        self.shapes.move_to_end(shape(task.spec))
        while len(self.shapes) > KEPT:
            self.shapes.popitem(last=False)
        self.write({"do": "run", "task": task.as_dict()})

    def stop(self) -> None:
        if not self._stdin.closed:
            self.write({"do": "stop"})
            with suppress(BrokenPipeError):
                self._stdin.close()

    def last_words(self) -> str:
        code = self.process.returncode
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return f"its process ended unexpectedly ({how}{': ' + lines[-1][:300] if lines else ''})"

    def write(self, message: dict[str, Any]) -> None:
        with suppress(BrokenPipeError):  # it has just died: its end is seen on the other pipe
            self._stdin.write(json.dumps(message).encode() + b"\n")
            self._stdin.flush()

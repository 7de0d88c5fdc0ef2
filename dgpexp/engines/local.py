"""The engine of one machine: worker processes, and the two pipes to each."""

import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any

from dgpexp.engines.sweep import Pending
from dgpexp.errors import RunFailed
from dgpexp.quietly import ONE_THREAD
from dgpexp.runs.events import Broken, Ended, Event, Progress, Ready, Started, from_json
from dgpexp.runs.job import GANG_LOST, Job
from dgpexp.runs.sessions import KEPT, shape
from dgpexp.store.stored_run import INTERRUPTED

WORKER = [sys.executable, "-m", "dgpexp.engines.worker"]
FIND = 180  # seconds that the processes of a gang are given to find each other
NOTICE = 15.0  # seconds that rank 0 is given to notice that another process has died, and to checkpoint


class LocalEngine:
    """Runs `jobs` runs at once on this machine, each in `workers` processes with one thread of TensorFlow."""

    def __init__(self, jobs: int, command: list[str] | None = None, workers: int = 1):
        self._jobs, self._command, self._ranks = jobs, command or WORKER, workers
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
                for worker in self._workers:
                    worker.tend()
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
        return sum(worker.job is None for worker in self._workers)

    def _start(self) -> None:
        taken = {worker.number for worker in self._workers}
        number = next(n for n in range(self._jobs) if n not in taken)
        one = self._ranks == 1
        worker = WorkerProcess(number, self._command) if one else GangProcess(number, self._command, self._ranks)
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
                job = None if stopping else self._next(worker, pending)
                worker.send(job)
                if job is not None:
                    on_event(Started(run=job.spec.run_id, worker=worker.number))
                continue
            if isinstance(event, Ended | Broken):
                worker.job = None
            on_event(replace(event, worker=worker.number))

    def _next(self, worker: "WorkerProcess", pending: Pending) -> Job | None:
        """Choose the worker's next run; None if there is none, or if the next one needs a new process."""
        if self._for_new and worker.has_room(shape(self._for_new[0].spec)):
            return self._for_new.pop(0)
        job = pending.take(worker.shapes)
        if job is None or worker.has_room(shape(job.spec)):
            return job
        self._for_new.append(job)
        return None

    def _bury(self, worker: "WorkerProcess", pending: Pending, on_event: Callable[[Event], None]) -> None:
        self._selector.unregister(worker.stdout)
        self._workers.remove(worker)
        why = worker.last_words()
        worker.close()
        if worker.job is not None and worker.ended_by_us:
            on_event(Ended(run=worker.job.spec.run_id, status=INTERRUPTED, worker=worker.number))
        elif worker.job is not None:
            pending.give_back(worker.job, why)
        elif not worker.was_ready:
            self._never_ready += 1
            if self._never_ready > 1:
                raise RunFailed(f"a worker process could not start: {why}.")


class WorkerProcess:
    """One worker process and the two pipes to it."""

    grace = 5.0  # seconds that it is given to stop where it has nothing to keep yet

    def __init__(self, number: int, command: list[str]):
        self.number, self.was_ready = number, False
        self.trains = False  # its run has a state that is worth a checkpoint
        self.ended_by_us = False
        self._asked_to_stop: float | None = None
        self.job: Job | None = None
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

    def send(self, job: Job | None) -> None:
        """Send the next run; None tells the process to end."""
        self.job, self.trains = job, False
        if job is None:
            self.stop()
            return
        self.shapes.add(shape(job.spec))
        self._begin({"do": "run", "job": job.as_dict()})

    def _begin(self, message: dict[str, Any]) -> None:
        self.write(message)

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
        if asked is not None and not self.trains and time.monotonic() - asked > self.grace:
            self.ended_by_us = True
            self.process.kill()

    def tend(self) -> None:
        """Do what is due now and then; a process alone needs nothing."""

    def last_words(self) -> str:
        """Say how the process ended, with its last line on stderr unless it was killed: libraries greet there."""
        code = self.process.returncode
        if code == -signal.SIGALRM:
            return f"the processes of the run did not find each other within {FIND} s"
        if code < 0:
            name = signal.Signals(-code).name if -code in set(signal.Signals) else f"signal {-code}"
            hint = ", perhaps for want of memory" if -code == signal.SIGKILL else ""
            return f"its process was killed ({name}{hint})"
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        if code == GANG_LOST and lines:
            return lines[-1][:300]
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


class GangProcess(WorkerProcess):
    """Processes that train one model together: rank 0 is all that the engine talks to. They are of use for one run."""

    grace = 1.0

    def __init__(self, number: int, command: list[str], ranks: int):
        super().__init__(number, command)
        self._command, self._ranks = command, ranks
        self._others: list[WorkerProcess] = []
        self._lost: tuple[int, float] | None = None  # which other rank ended first, and when

    def _begin(self, message: dict[str, Any]) -> None:
        self._others = [WorkerProcess(self.number, self._command) for _ in range(1, self._ranks)]
        gang = {"addresses": free_addresses(self._ranks), "deadline": FIND}
        for rank, process in enumerate([self, *self._others]):
            process.write({**message, "gang": {"rank": rank, **gang}})

    def has_room(self, wanted: Any) -> bool:
        return not self.shapes

    def tend(self) -> None:
        """End rank 0 if it does not notice by itself that another has ended; it checkpoints if it does."""
        if self._lost is None:
            ended = [rank for rank, other in enumerate(self._others, 1) if other.process.poll() is not None]
            self._lost = (ended[0], time.monotonic()) if ended else None
        elif time.monotonic() - self._lost[1] > NOTICE:
            self.process.kill()

    def last_words(self) -> str:
        self.tend()
        if self._lost is None:
            return super().last_words()
        rank, _ = self._lost
        return f"of process {rank} of its {self._ranks}, {self._others[rank - 1].last_words()}"

    def close(self) -> None:
        for other in self._others:
            other.process.kill()
            other.process.wait()
            other.close()
        super().close()


def free_addresses(count: int, host: str = "127.0.0.1") -> list[str]:
    """Ports of this machine that nobody listens at now, as host:port."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("", 0))
        name = f"[{host}]" if ":" in host else host
        return [f"{name}:{one.getsockname()[1]}" for one in sockets]

"""Every contestant in a process of its own, as its users have it: own memory allocator, own thread pools.

The processes share one pinned core and take turns block by block, so that only one is at work at any time.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from typing import Any

from benchmarks.work import Work


class Worker:
    """A process that takes steps when told to, and says how long they took."""

    def __init__(self, label: str, request: dict[str, Any]) -> None:
        self.name = label
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115 (closed with the worker)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._tell(json.dumps(request))
        self.first_step_s = self.peak_mib = 0.0
        self._ready = False

    def advance(self, steps: int) -> tuple[float, float]:
        """Seconds by the clock and of processor time that `steps` steps took."""
        self.wait()
        took = self._ask(str(steps))
        self.peak_mib = took["peak_mib"]
        return took["wall"], took["cpu"]

    def wait(self) -> None:
        """Until the first step is done: all workers may start at the same time, before any is timed."""
        if not self._ready:
            self.first_step_s = self._hear()["first_step_s"]
            self._ready = True

    def log_likelihood(self) -> float:
        """Of the test rows, for a learner."""
        return self._ask("0")["ll"]

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()  # the worker's loop ends with its input
        self._process.wait()
        self._log.close()

    def _ask(self, line: str) -> dict[str, Any]:
        self._tell(line)
        return self._hear()

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(line + "\n")
        self._process.stdin.flush()

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        if not answer:
            self._log.seek(0)
            sys.exit(f"{self.name} has stopped:\n{self._log.read()[-2000:]}")
        return json.loads(answer)


def contestant(label: str, program: str, work: Work, **options: Any) -> Worker:
    """A worker that takes the steps of `work`; `options` are those of the contestant's module."""
    return Worker(label, {"kind": "contestant", "program": program, "work": asdict(work), "options": options})


def learner(label: str, program: str, core: int, **options: Any) -> Worker:
    """A worker that learns a data set as its library's users would, on a core of the machine."""
    return Worker(label, {"kind": "learner", "core": core, "program": program, "options": options})


def table(label: str, name: str) -> Worker:
    """A worker that takes the steps of `dgpexp run csv` on a table in the data folder."""
    return Worker(label, {"kind": "table", "name": name})


@contextmanager
def closing(workers: list[Worker]) -> Iterator[list[Worker]]:
    """The workers, each ready, and an end to them."""
    with ExitStack() as stack:
        for worker in workers:
            stack.callback(worker.close)
        for worker in workers:
            worker.wait()
        yield workers

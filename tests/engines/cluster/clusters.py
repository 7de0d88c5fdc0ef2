"""A real dask scheduler and real dask workers on loopback, each a process of its own that a test may kill."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.engines.processes import ROOT, children, wait_for


class Cluster:
    """A scheduler; workers are hired one by one. As a context, it leaves nothing behind."""

    def __init__(self, folder: Path, fake: bool = True, host: str = "127.0.0.1", within: Sequence[str] = ()):
        """`within` is a command that the scheduler's is given to; `hire` has one too."""
        folder.mkdir(parents=True, exist_ok=True)
        self._folder, self._preload = folder, ["--preload", "tests.engines.cluster.fake_preload"] if fake else []
        self._processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        options = ("--host", host, "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        self.scheduler = self._start("dask_scheduler", *options, within=within)
        self.address = wait_for(lambda: file.exists() and _read(file).get("address"))

    def hire(
        self, n: int = 1, threads: int = 1, cwd: Path = ROOT, within: Sequence[str] = (), **env: str
    ) -> list["subprocess.Popen[bytes]"]:
        """`n` more workers, once they are there."""
        options = ("--no-nanny", "--no-dashboard", "--nthreads", str(threads), "--local-directory", str(self._folder))
        workers, logs = [], []
        for _ in range(n):
            command = ("dask_worker", self.address, *options, *self._preload)
            workers.append(self._start(*command, cwd=cwd, within=within, **env))
            logs.append(self._log(len(self._processes) - 1))
        wait_for(lambda: all("Starting established connection" in log.read_text() for log in logs))
        self.workers += workers
        return workers

    def _start(
        self, module: str, *args: str, cwd: Path = ROOT, within: Sequence[str] = (), **env: str
    ) -> "subprocess.Popen[bytes]":
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TF_CPP_MIN_LOG_LEVEL": "3", **env}
        with open(self._log(len(self._processes)), "wb") as log:
            command = [*within, sys.executable, "-m", f"distributed.cli.{module}", *args]
            process = subprocess.Popen(command, cwd=cwd, env=environment, stdout=log, stderr=log)
        self._processes.append(process)
        return process

    def _log(self, number: int) -> Path:
        return self._folder / f"{number}.log"

    def __enter__(self) -> "Cluster":
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self._processes):
            cut_the_power(process)


def cut_the_power(process: "subprocess.Popen[bytes]") -> None:
    """kill -9 a process and all its children, as the end of its machine would."""
    mine = children(process.pid)
    process.kill()
    for child in mine:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
    process.wait()


def _read(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text())
        return content
    except ValueError:
        return {}

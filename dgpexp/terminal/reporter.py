"""The report beside a sweep: made again now and then, in a process of its own that cannot hurt the sweep."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from dgpexp.figures import index, registry
from dgpexp.runs.events import Ended, Event

_EVERY = 120.0  # seconds between two reports at least; ten times what the last one took if that is more
# It is stopped by the sweep alone (Ctrl-C reaches every process of a terminal), once, and removes what is half done.
_BUILD = """
import pathlib, signal, sys

def stop(*_):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sys.exit(1)

signal.signal(signal.SIGINT, signal.SIG_IGN)
signal.signal(signal.SIGTERM, stop)
from dgpexp.report import build_pages
build_pages(pathlib.Path(sys.argv[1]), sys.argv[2])
"""


class Reporter:
    """Hears the events of a sweep and refreshes the report of its profile."""

    def __init__(self, results: Path, profile: str):
        self._results, self._profile = results, profile
        self._process: subprocess.Popen[bytes] | None = None
        self._began = self._next = time.monotonic() + _EVERY
        self._theory = self._draw_theory()

    def hear(self, event: Event) -> None:
        now = time.monotonic()
        if self._process is not None:
            if self._process.poll() is None:
                return
            self._process, self._next = None, now + max(_EVERY, 10 * (now - self._began))
        if isinstance(event, Ended) and now >= self._next:
            self._began, self._process = now, self._start(subprocess.DEVNULL)

    def finish(self, say: Callable[[str], None]) -> bool:
        """The last report, once nothing runs any more; one that fails leaves the results as they are, and says so."""
        for earlier in (self._process, self._theory):
            if earlier is not None:
                earlier.wait()
        process = self._start(subprocess.PIPE)
        _, error = process.communicate()
        if process.returncode:
            last = error.decode(errors="replace").strip().splitlines()[-1:] or ["no reason was given"]
            say(f"dgpexp: the report could not be written ({last[0]}); `dgpexp report` tries again.")
        return process.returncode == 0

    def __enter__(self) -> "Reporter":
        return self

    def __exit__(self, *_: object) -> None:
        """However the sweep ended, nothing of ours goes on behind it. What is half done was never shown."""
        for process in (self._process, self._theory):
            if process is not None:
                process.terminate()
                process.wait()

    def _draw_theory(self) -> "subprocess.Popen[bytes] | None":
        """The figures of the theory for the report's gallery, those that are not drawn yet: they need no runs."""
        folder = self._results / "figures"
        drawn = {entry.id for entry in index.read(folder)}
        names = [name for name, number in registry.FIGURES.items() if number not in drawn]
        if not names:
            return None
        command = [sys.executable, "-m", "dgpexp", "figures", *names, "--output", str(folder)]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def _start(self, errors: int) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-c", _BUILD, str(self._results), self._profile]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)

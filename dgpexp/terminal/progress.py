"""Show the progress of a sweep: live bars on a terminal, a line now and then in a log, or nothing."""

import sys
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from dgpexp.config import RunSpec
from dgpexp.methods import SAMPLING
from dgpexp.predictive.metrics import METRICS
from dgpexp.runs.events import TRAINING, Ended, Event, Note, Progress, Started
from dgpexp.tasks import TASKS
from dgpexp.terminal.clock import Clock
from dgpexp.terminal.output import printable, say

_EVERY = 30.0  # seconds between two plain lines about the same run


def label(spec: RunSpec) -> str:
    """Name a run: `boston aepmcm-3 split 4`; on random data, with a note that only the seconds mean anything."""
    several = spec.dataset in ("year", "airline") and spec.method in SAMPLING  # runs that differ in S alone
    paths = f" S={spec.settings.train_samples}" if several else ""
    note = " (random data: RMSE and LL mean nothing)" if spec.settings.synthetic_shape else ""
    if spec.settings.all_rows:
        return f"{spec.dataset} {spec.method}-{spec.layers}{paths} on all rows (RMSE and LL of rows it has seen)"
    return f"{spec.dataset} {spec.method}-{spec.layers}{paths} split {spec.split}{note}"


def duration(seconds: float | None) -> str:
    """Write a time for people: `45 s`, `12 min`, `3.5 h`, `2.1 days`."""
    if seconds is None:
        return "?"
    for limit, unit, digits in ((90, 1, 0), (90 * 60, 60, 0), (48 * 3600, 3600, 1)):
        if seconds < limit:
            return f"{seconds / unit:.{digits}f} {({1: 's', 60: 'min', 3600: 'h'})[unit]}"
    return f"{seconds / 86400:.1f} days"


_WATCHED = tuple(dict.fromkeys(name for task in TASKS.values() for name in task.headline))
_NAMES = {"objective": "objective", **{name: METRICS[name].brief for name in _WATCHED}}


def numbers(found: Mapping[str, float | None]) -> str:
    """Write the watched numbers: `objective -1.234, LL -2.51, RMSE 2.9`."""
    return ", ".join(f"{name} {value:.4g}" for key, name in _NAMES.items() if (value := found.get(key)) is not None)


class QuietView(AbstractContextManager["QuietView"]):
    """Says nothing; the other views say more."""

    def __init__(self, specs: list[RunSpec]):
        self.specs, self.clock = {spec.run_id: spec for spec in specs}, Clock(specs)
        self.ended = 0

    def __exit__(self, *_: object) -> None:
        return None

    def hear(self, event: Event) -> None:
        self.clock.hear(event)
        self.ended += isinstance(event, Ended)
        if isinstance(event, Note):
            self.say(event.text)

    def say(self, text: str) -> None:
        """Print a line that is not about a run."""

    def line(self, event: Event) -> str | None:
        """The line to keep of an event; None if it is not worth one."""
        if not isinstance(event, Ended):
            return None
        name = label(self.specs[event.run])
        count = f"[{self.ended}/{len(self.specs)}]"
        match event.status:
            case "COMPLETED":
                return f"{count} {name}: {numbers(event.metrics) or 'complete'}"
            case "FAILED":
                return f"{count} {name}: FAILED, {event.reason}"
            case "BUSY":
                return f"{count} {name}: is executed by another process"
            case "INTERRUPTED":
                return f"{name}: stopped, will continue from its checkpoint"
        return None


class PlainView(QuietView):
    """Prints a line when a run ends, and one per running run every half minute (-v: at every message)."""

    def __init__(self, specs: list[RunSpec], verbose: bool):
        super().__init__(specs)
        self._every, self._said = (0.0 if verbose else _EVERY), dict.fromkeys(self.specs, time.monotonic())

    def hear(self, event: Event) -> None:
        super().hear(event)
        text = self.line(event)
        if isinstance(event, Progress) and event.phase == TRAINING:
            now, run = time.monotonic(), event.run
            if now - self._said[run] >= self._every:
                self._said[run] = now
                left = duration(self.clock.left())
                place = f"step {event.step} of {event.total}"
                text = f"{label(self.specs[run])}: {place}, {numbers(event.numbers)} (sweep: about {left} left)"
        if text:
            self.say(text)

    def say(self, text: str) -> None:
        say(text)


class LiveView(QuietView):
    """Shows a bar for the sweep and one for each worker."""

    def __init__(self, specs: list[RunSpec], verbose: bool):
        super().__init__(specs)
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        self._verbose = verbose
        columns = (TextColumn("{task.description}"), BarColumn(20), TextColumn("{task.fields[text]}"))
        self._bars = Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True)
        self._sweep = self._bars.add_task("sweep", total=len(specs), text="")
        self._rows: dict[int, Any] = {}

    def __enter__(self) -> "LiveView":
        self._bars.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bars.stop()

    def hear(self, event: Event) -> None:
        super().hear(event)
        text = self.line(event)
        if text and (self._verbose or not (isinstance(event, Ended) and event.status == "COMPLETED")):
            self.say(text)
        left = f"{self.ended} of {len(self.specs)} runs, about {duration(self.clock.left())} left"
        self._bars.update(self._sweep, completed=self.ended, text=left)
        if event.worker is not None:
            self._row(event.worker, event)

    def say(self, text: str) -> None:
        self._bars.console.print(printable(text), markup=False, highlight=False)

    def _row(self, number: int, event: Event) -> None:
        if number not in self._rows:
            self._rows[number] = self._bars.add_task("", total=None, text="")
        row = self._rows[number]
        match event:
            case Started():
                self._bars.reset(row, total=None, description=label(self.specs[event.run]), text="starting")
            case Progress(phase=phase, step=step, total=total) if phase == TRAINING:
                text = f"step {step}/{total} {numbers(event.numbers)}"
                self._bars.update(row, completed=step, total=total, text=text)
            case Progress(phase=phase):
                self._bars.update(row, text=phase)
            case Ended():
                self._bars.update(row, description="idle", text="")


def make_view(specs: list[RunSpec], quiet: bool, verbose: bool) -> QuietView:
    """Choose the view that fits standard error."""
    if quiet:
        return QuietView(specs)
    return (LiveView if sys.stderr.isatty() else PlainView)(specs, verbose)

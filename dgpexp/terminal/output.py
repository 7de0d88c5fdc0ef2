"""Print without hurting a run: terminals close, disks behind `2>log` fill up, and nobody reads a pipe.

What is said on standard error is for a person who waits; when it cannot be said any more, it is lost, and the work goes
on. What goes to standard output is the answer itself: if that cannot be written, the command says so and exits with 1.
"""

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

_CONTROLS = {n: f"\\x{n:02x}" for n in (*range(32), *range(127, 160)) if chr(n) not in "\n\t"}


class Forgiving:
    """A text stream that swallows what can no longer be written."""

    def __init__(self, stream: Any):
        self._stream, self.lost = stream, False

    def write(self, text: str) -> int:
        if not self.lost:
            try:
                self._stream.write(text)
            except (OSError, ValueError):  # gone, full, or closed
                self._lose()
        return len(text)

    def flush(self) -> None:
        if not self.lost:
            try:
                self._stream.flush()
            except (OSError, ValueError):
                self._lose()

    def _lose(self) -> None:
        self.lost = True
        silence(self._stream)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def silence(stream: Any) -> None:
    """Discard what is left in a real stream's buffer: Python would complain about it at exit."""
    if stream in (sys.__stdout__, sys.__stderr__):
        with suppress(OSError, ValueError), open(os.devnull, "wb") as nowhere:
            os.dup2(nowhere.fileno(), stream.fileno())


@contextmanager
def standard_streams() -> Iterator[None]:
    """Prepare the streams of a command: all exist, stdout can write any name, stderr never fails."""
    for number in range(3):  # a descriptor that is closed would be given to the next file or pipe that is opened
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115 - for as long as the process lives
    if sys.stderr is None:
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
    with suppress(AttributeError, OSError, ValueError):
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    before, warnings = sys.stderr, _Warnings()
    sys.stderr = Forgiving(before)
    logging.getLogger("dgpexp").addHandler(warnings)
    try:
        yield
    finally:
        logging.getLogger("dgpexp").removeHandler(warnings)
        sys.stderr.flush()
        sys.stderr = before


class _Warnings(logging.Handler):
    """Prints the warnings of the packages below, e.g. that a run folder is damaged."""

    def emit(self, record: logging.LogRecord) -> None:
        say(f"dgpexp: {record.getMessage()}")


def printable(text: object) -> str:
    """The text with control characters spelt out: a name must not be able to command the terminal."""
    return str(text).translate(_CONTROLS)


def say(text: str) -> None:
    """Print a line for the person who waits."""
    print(printable(text), file=sys.stderr, flush=True)


def answer(text: object) -> None:
    """Print a line on standard output: as it is for a program, printable on a terminal."""
    print(printable(text) if sys.stdout.isatty() else text)

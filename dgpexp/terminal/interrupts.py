"""Handle Ctrl-C, SIGTERM and a closing terminal: the first signal asks for an orderly end, a second ends at once."""

import signal
from types import FrameType
from typing import Any


class Interrupts:
    """While entered, the first SIGINT, SIGTERM or SIGHUP is noted; another SIGINT or SIGTERM raises KeyboardInterrupt.

    A closing terminal sends SIGHUP more than once (the kernel and the shell do), which is not impatience; and what was
    started to ignore it (nohup) goes on ignoring it.
    """

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.received: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Interrupts":
        ignored = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
        numbers = [number for number in self.SIGNALS if not (ignored and number == signal.SIGHUP)]
        self._before = {number: signal.signal(number, self._note) for number in numbers}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __call__(self) -> bool:
        return self.received is not None

    def _note(self, number: int, _: FrameType | None) -> None:
        if self.received is None:
            self.received = number
        elif number != signal.SIGHUP:
            raise KeyboardInterrupt

    @property
    def exit_code(self) -> int:
        """The exit code: 130 after Ctrl-C, 143 after SIGTERM, 129 after SIGHUP (128 + the signal's number)."""
        return 128 + (self.received or signal.SIGINT)

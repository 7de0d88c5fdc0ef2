"""Ctrl-C and SIGTERM: the first asks for an orderly end, the second ends at once."""

import signal
from types import FrameType
from typing import Any


class Interrupts:
    """While entered, the first SIGINT, SIGTERM or SIGHUP is noted; another one raises KeyboardInterrupt."""

    SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.received: int | None = None
        self._before: dict[int, Any] = {}

    def __enter__(self) -> "Interrupts":
        self._before = {number: signal.signal(number, self._note) for number in self.SIGNALS}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def __call__(self) -> bool:
        return self.received is not None

    def _note(self, number: int, _: FrameType | None) -> None:
        if self.received is not None:
            raise KeyboardInterrupt
        self.received = number

    @property
    def exit_code(self) -> int:
        """130 after Ctrl-C, 143 after SIGTERM (128 + the signal's number)."""
        return 128 + (self.received or signal.SIGINT)

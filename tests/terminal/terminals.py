"""A terminal that somebody has typed a command into."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from pathlib import Path

from tests.engines.processes import start


class Terminal:
    """A pseudo-terminal in which a process runs as if somebody had typed the command there."""

    def __init__(self) -> None:
        self._master, self._slave = pty.openpty()
        fcntl.ioctl(self._slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 150, 0, 0))
        self.text = ""

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def close(self) -> None:
        os.close(self._slave)
        os.close(self._master)

    def read(self, seconds: float = 0.1) -> str:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self._master], [], [], 0.05)[0]:
                self.text += os.read(self._master, 65536).decode(errors="replace")
        return self.text

    def wait_for(self, pattern: str, seconds: float = 60) -> None:
        end = time.monotonic() + seconds
        while not re.search(pattern, self.read()):
            assert time.monotonic() < end, self.text

    def start(self, command: list[str], *args: str, results: Path) -> "subprocess.Popen[str]":
        """The command as its leader: Ctrl-C and the end of the terminal reach it as they reach what people type."""
        files = {name: self._slave for name in ("stdin", "stdout", "stderr")}
        return start(command, *args, results=results, start_new_session=True, preexec_fn=self._adopt, **files)

    def _adopt(self) -> None:
        fcntl.ioctl(self._slave, termios.TIOCSCTTY, 0)

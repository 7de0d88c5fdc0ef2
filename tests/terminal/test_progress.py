"""What a person sees: live bars on a terminal, whose Ctrl-C is real; plain lines in a log; nothing if quiet."""

import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from pathlib import Path

import pytest

from dgpexp.runs.events import TRAINING, Ended, Progress
from dgpexp.terminal.progress import Clock, duration, label
from tests.engines.processes import FAKE, run, run_dirs, start, status_of
from tests.engines.test_sweep import SWEEP
from tests.store.folders import spec


class Terminal:
    """A pseudo-terminal in which a process runs as if somebody had typed the command there."""

    def __init__(self) -> None:
        self._master, self.slave = pty.openpty()
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 150, 0, 0))
        self.text = ""

    def adopt(self) -> None:
        fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)

    def type(self, keys: str) -> None:
        os.write(self._master, keys.encode())

    def close(self) -> None:
        os.close(self.slave)
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


def test_on_a_terminal_there_are_bars_and_ctrl_c_checkpoints(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(SWEEP)
    terminal, results = Terminal(), tmp_path / "results"
    files = {name: terminal.slave for name in ("stdin", "stdout", "stderr")}
    command = ("run", str(tmp_path / "my.toml"), "--jobs", "2", "--set", "epochs=2000")
    sweep = start(FAKE, *command, results=results, start_new_session=True, preexec_fn=terminal.adopt, **files)
    terminal.wait_for(r"\w+ vi-2 split 0.*step \d+/18000")
    terminal.wait_for(r"LL -?\d")
    assert "0 of 8 runs" in terminal.text
    terminal.type("\x03")
    terminal.wait_for("this continues it")
    assert sweep.wait(timeout=30) == 130
    assert "dgpexp run" in terminal.text.split("this continues it")[1] and "Traceback" not in terminal.text
    assert {status_of(path) for path in run_dirs(results)} == {"INTERRUPTED"}
    assert all((path / "checkpoint.npz").is_file() for path in run_dirs(results))


def test_a_log_has_plain_lines_and_quiet_has_none(tmp_path: Path) -> None:
    (tmp_path / "my.toml").write_text(SWEEP)
    command = ("run", str(tmp_path / "my.toml"), "--splits", "0", "--method", "vi")
    code, out, err = run(FAKE, *command, results=tmp_path / "a")
    assert code == 0 and out == "" and "\x1b" not in err
    assert re.search(r"\[2/2\] \w+ vi-2 split 0: LL -?\d.*, RMSE \d", err) and "2 runs completed." in err
    code, out, err = run(FAKE, *command, "--quiet", results=tmp_path / "b")
    assert (code, out, err) == (0, "", "")


@pytest.mark.parametrize(
    ("seconds", "text"), [(45, "45 s"), (600, "10 min"), (7200, "2.0 h"), (400000, "4.6 days"), (None, "?")]
)
def test_durations_are_for_people(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_random_data_is_called_so_wherever_a_run_is_named() -> None:
    assert label(spec()) == "boston vi-2 split 0"
    assert "RMSE and LL mean nothing" in label(spec(dataset="year", synthetic_shape=True))


def test_the_time_left_follows_the_work_that_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    first, second = spec(split=0), spec(split=1)
    clock = Clock([first, second])
    assert clock.left() is None
    now = 110.0
    clock.hear(Ended(run=first.run_id, status="COMPLETED"))
    assert clock.left() == pytest.approx(10.0)
    clock.hear(Progress(run=second.run_id, phase=TRAINING, step=50, total=100))
    assert clock.left() == pytest.approx(5.0), "what an earlier sweep did of a run is neither left nor our speed"

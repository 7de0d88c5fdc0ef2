"""Whatever becomes of the terminal, a log or a pipe: the runs go on, or stop with a checkpoint."""

import io
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from dgpexp.terminal.interrupts import Interrupts
from dgpexp.terminal.output import Forgiving
from tests.engines.processes import FAKE, ROOT, run_dirs, start, status_of
from tests.terminal.terminals import Terminal


def test_closing_the_terminal_keeps_the_checkpoints(tmp_path: Path, protocol: str) -> None:
    terminal, results = Terminal(), tmp_path / "results"
    sweep = terminal.start(FAKE, "run", protocol, "--jobs", "2", "--set", "epochs=2000", results=results)
    terminal.wait_for(r"step [1-9]\d\d/18000")
    terminal.close()
    assert sweep.wait(timeout=60) == 128 + signal.SIGHUP
    assert {status_of(path) for path in run_dirs(results)} == {"INTERRUPTED"}
    assert all((path / "checkpoint.npz").is_file() for path in run_dirs(results))


@pytest.mark.parametrize("where", ["/dev/full", "a pipe that nobody reads", "closed"])
def test_a_sweep_is_completed_although_nothing_can_be_said(tmp_path: Path, protocol: str, where: str) -> None:
    command = ("run", protocol, "-v", "--splits", "0", "--method", "vi", "--dataset", "sincos")
    closed = (lambda: (os.close(1), os.close(2))) if where == "closed" else None
    if where == "/dev/full":
        with open(where, "w") as full:
            sweep = start(FAKE, *command, results=tmp_path / "results", stderr=full)
    else:
        sweep = start(FAKE, *command, results=tmp_path / "results", preexec_fn=closed)
        assert sweep.stderr is not None
        sweep.stderr.close()
    assert sweep.wait(timeout=60) == 0
    assert [status_of(path) for path in run_dirs(tmp_path / "results")] == ["COMPLETED"]


def test_a_stream_that_fails_is_lost_and_nothing_else() -> None:
    class Broken(io.StringIO):
        def write(self, text: str) -> int:
            raise OSError(5, "Input/output error")

    stream = Forgiving(Broken())
    print("one", file=stream, flush=True)
    assert stream.lost and stream.write("two") == 3


def test_an_answer_that_cannot_be_written_is_an_error() -> None:
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "dgpexp", "data", "list"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, cwd=ROOT, check=False)
    assert done.returncode == 1 and done.stderr.startswith("dgpexp: standard output")
    assert "Traceback" not in done.stderr and "Exception ignored" not in done.stderr


def test_a_terminal_that_hangs_up_twice_is_not_impatient() -> None:
    with Interrupts() as interrupts:
        for _ in range(3):
            os.kill(os.getpid(), signal.SIGHUP)
        assert interrupts() and interrupts.exit_code == 129
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_what_nohup_started_goes_on_ignoring_the_terminal() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Interrupts() as interrupts:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not interrupts()
    finally:
        signal.signal(signal.SIGHUP, before)

"""What a person sees: live bars on a terminal, whose Ctrl-C is real; plain lines in a log; nothing if quiet."""

import re
from pathlib import Path

import pytest

from dgpexp.terminal.progress import duration, label
from tests.engines.processes import FAKE, run, run_dirs, status_of
from tests.store.folders import spec
from tests.terminal.terminals import Terminal


def test_on_a_terminal_there_are_bars_and_ctrl_c_checkpoints(tmp_path: Path, protocol: str) -> None:
    terminal, results = Terminal(), tmp_path / "results"
    command = ("run", protocol, "--jobs", "2", "--set", "epochs=2000")
    sweep = terminal.start(FAKE, *command, results=results)
    terminal.wait_for(r"\w+ vi-2 split 0.*step \d+/18000")
    terminal.wait_for(r"LL -?\d")
    assert "0 of 8 runs" in terminal.text
    terminal.type("\x03")
    terminal.wait_for("this continues it")
    assert sweep.wait(timeout=30) == 130
    assert "dgpexp run" in terminal.text.split("this continues it")[1] and "Traceback" not in terminal.text
    assert {status_of(path) for path in run_dirs(results)} == {"INTERRUPTED"}
    assert all((path / "checkpoint.npz").is_file() for path in run_dirs(results))


def test_a_log_has_plain_lines_and_quiet_has_none(tmp_path: Path, protocol: str) -> None:
    command = ("run", protocol, "--splits", "0", "--method", "vi")
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

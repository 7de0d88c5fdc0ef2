"""The processes that write the report beside a sweep end with it."""

import signal
import subprocess
import sys

import pytest

from dgpexp.terminal import reporter
from dgpexp.terminal.reporter import Reporter
from tests.engines.processes import wait_for


def test_a_sweep_that_ends_early_leaves_no_process_behind(tmp_path, monkeypatch):
    drawing = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    monkeypatch.setattr(Reporter, "_draw_theory", lambda self: drawing)
    with pytest.raises(KeyboardInterrupt), Reporter(tmp_path, "quick"):
        raise KeyboardInterrupt
    assert drawing.returncode is not None


def test_a_report_that_is_stopped_removes_its_draft(tmp_path, monkeypatch):
    """The folder in which a report is made goes when Ctrl-C or the end of a sweep stops it."""
    slow = """
import pathlib, tempfile, time
with tempfile.TemporaryDirectory(prefix=".draft-", dir=sys.argv[1]) as draft:
    pathlib.Path(draft, "page").touch()  # now it is inside: the folder alone is there a moment before
    time.sleep(600)
"""
    monkeypatch.setattr(reporter, "_BUILD", reporter._BUILD.partition("from dgpexp")[0] + slow)
    monkeypatch.setattr(Reporter, "_draw_theory", lambda self: None)
    with Reporter(tmp_path, "quick") as stopped:
        stopped._process = process = stopped._start(subprocess.DEVNULL)
        wait_for(lambda: list(tmp_path.glob(".draft-*/page")) or process.poll() is not None)
        assert process.poll() is None
        process.send_signal(signal.SIGINT)  # as Ctrl-C in a terminal does
    assert process.returncode and list(tmp_path.glob(".draft-*")) == []

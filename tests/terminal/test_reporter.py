"""The processes that write the report beside a sweep end with it."""

import subprocess
import sys

import pytest

from dgpexp.terminal.reporter import Reporter


def test_a_sweep_that_ends_early_leaves_no_process_behind(tmp_path, monkeypatch):
    drawing = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    monkeypatch.setattr(Reporter, "_draw_theory", lambda self: drawing)
    with pytest.raises(KeyboardInterrupt), Reporter(tmp_path, "quick"):
        raise KeyboardInterrupt
    assert drawing.returncode is not None

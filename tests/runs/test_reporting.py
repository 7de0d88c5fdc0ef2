"""The processes that write the report beside a sweep end with it."""

import subprocess
import sys

from dgpexp.runs.reporting import Reporter


def test_a_stopped_sweep_leaves_no_process_behind(tmp_path, monkeypatch):
    drawing = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    monkeypatch.setattr(Reporter, "_draw_theory", lambda self: drawing)
    Reporter(tmp_path, "quick").stop()
    assert drawing.returncode is not None

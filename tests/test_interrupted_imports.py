"""Ctrl-C before the command line is there."""

import signal
import subprocess
import sys

from tests.engines.processes import ROOT

IN_A_CALLBACK = """
import signal, sys, time, weakref
from dgpexp import __main__ as start
sys.unraisablehook = start._deliver_again
class Thing: pass
thing = Thing()
kept = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
try:
    del thing
    time.sleep(20)
except KeyboardInterrupt:
    sys.exit(130)
"""


def _run(code: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)


def test_a_ctrl_c_that_falls_into_a_callback_is_not_lost() -> None:
    done = _run(IN_A_CALLBACK)
    assert done.returncode == 130 and done.stderr == ""


def test_a_ctrl_c_during_the_imports_is_answered_in_a_sentence() -> None:
    code = (
        "import importlib.abc, signal, sys\n"
        "class Finder(importlib.abc.MetaPathFinder):\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'dgpexp.cli.main': signal.raise_signal(signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "from dgpexp.__main__ import main; main()"
    )
    done = _run(code)
    assert done.returncode == 128 + signal.SIGINT and done.stderr == "dgpexp: interrupted.\n"

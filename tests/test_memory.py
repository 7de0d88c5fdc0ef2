"""How much memory a process has needed: its own, neither its parent's nor that of what it did before."""

import subprocess
import sys

import numpy as np
import pytest

from dgpexp.memory import begin_peak, peak_mib

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux can set a peak back")
MIB = 2**20


def test_what_is_given_back_counts_until_a_new_beginning():
    begin_peak()
    before = peak_mib()
    large = np.ones(200 * MIB, dtype=np.uint8)
    del large
    assert peak_mib() >= before + 190
    begin_peak()
    assert peak_mib() < before + 50


def test_a_child_does_not_inherit_the_peak_of_its_parent():
    """What getrusage says does: the child's ru_maxrss is at least that of this process when it was made."""
    large = np.ones(300 * MIB, dtype=np.uint8)
    program = "from dgpexp.memory import peak_mib; print(peak_mib())"
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert 1 < float(found.stdout) < 200 < len(large) / MIB

"""The most memory that this process has had.

Linux keeps it twice. What getrusage says is handed down through exec, so that a child of a large process looks large;
VmHWM is of the program alone, and can be set back.
"""

import resource
import sys
from contextlib import suppress
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_PEAK = "5"  # what sets the peak back (man 5 proc)


def begin_peak() -> None:
    """Forget what was needed before, where the system can; elsewhere peaks are of the process from its start."""
    with suppress(OSError):
        _CLEAR.write_text(_PEAK)


def peak_mib() -> float:
    """The peak since `begin_peak`, MiB."""
    try:
        line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) / 2**10
    except (OSError, StopIteration):
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (2**20 if sys.platform == "darwin" else 2**10)

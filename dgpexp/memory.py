"""The memory of this process: the most that it has had, and that freed arrays stay with it.

Linux keeps the peak twice. What getrusage says is handed down through exec, so that a child of a large process looks
large; VmHWM is of the program alone, and can be set back.
"""

import ctypes
import resource
import sys
from contextlib import suppress
from pathlib import Path

_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_PEAK = "5"  # what sets the peak back (man 5 proc)
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt(3)


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


def keep_freed_memory() -> None:
    """Ask glibc not to give freed arrays back to the system: the arrays of a step are as large as the last step's.

    A megabyte taken anew costs 256 page faults: about a quarter of a step (docs/performance.md). Elsewhere nothing
    happens: other systems' allocators keep what they need, or cannot be asked.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, 32 << 20)  # the most it accepts
        mallopt(_TRIM_THRESHOLD, 1 << 30)

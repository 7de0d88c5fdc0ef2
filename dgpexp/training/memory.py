"""Keep freed memory: the arrays of a step are as large as those of the step before."""

import ctypes

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt(3)


def keep_freed_memory() -> None:
    """Ask glibc not to give freed arrays back to the system, from which every step would take them again.

    A megabyte taken anew costs 256 page faults: about a quarter of a step (docs/performance.md). Elsewhere nothing
    happens: other systems' allocators keep what they need, or cannot be asked.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_MMAP_THRESHOLD, 32 << 20)  # the most it accepts
        mallopt(_TRIM_THRESHOLD, 1 << 30)

"""Arrays too large to be in memory as a whole, a block of rows at a time."""

import mmap
from collections.abc import Iterator
from typing import Any

import numpy as np

BLOCK = 1 << 20  # rows that are looked at together


def blocks(a: Any) -> Iterator[np.ndarray]:
    """The rows of `a`, an array or streamed rows, in order and a block at a time: no need for all of it in memory."""
    for start in range(0, len(a), BLOCK):
        yield a[start : start + BLOCK]
        let_go(a)


def let_go(a: Any) -> None:
    """Take what was read of a mapped array out of this process, whose memory would else grow to the file's size.

    Nothing is lost: the file is mapped for reading only, and the system may keep what it has read.
    """
    if (mapped := _map_of(a)) is not None and hasattr(mmap, "MADV_DONTNEED") and not a.flags.writeable:
        mapped.madvise(mmap.MADV_DONTNEED)


def expect(a: np.ndarray, at_random: bool) -> None:
    """Tell the system how a mapped array will be read: around a row at random it need not read others."""
    if (mapped := _map_of(a)) is not None and hasattr(mmap, "MADV_RANDOM"):
        mapped.madvise(mmap.MADV_RANDOM if at_random else mmap.MADV_NORMAL)


def _map_of(a: Any) -> mmap.mmap | None:
    """The mapping that an array is a view of."""
    while a is not None and not isinstance(a, mmap.mmap):
        a = getattr(a, "base", None)
    return a

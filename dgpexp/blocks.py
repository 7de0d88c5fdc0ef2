"""Arrays too large to be in memory as a whole, a block of rows at a time."""

from collections.abc import Iterator
from typing import Any

import numpy as np

BLOCK = 1 << 20  # rows that are looked at together


def blocks(a: Any) -> Iterator[np.ndarray]:
    """The rows of `a`, an array or streamed rows, in order and a block at a time: no need for all of it in memory."""
    return (a[start : start + BLOCK] for start in range(0, len(a), BLOCK))

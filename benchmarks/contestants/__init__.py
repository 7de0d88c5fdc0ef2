"""The programs that are timed against each other, each asked for exactly the same work.

A module here offers `contestant(work, start, ...) -> Contestant`. It is imported only when it is asked for: a peer that
is not installed costs nothing and is named as missing.
"""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Contestant:
    """Something that can take n gradient steps."""

    name: str
    advance: Callable[[int], object]

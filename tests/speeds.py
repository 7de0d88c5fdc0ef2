"""A machine whose speed is known, so that nobody times models for the plan of a test."""

from dgpexp.methods import METHODS
from dgpexp.plan import speed

WORK = [10**exponent for exponent in (5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0)]


def known_speeds() -> list[speed.Sample]:
    """A billion multiply-adds a second, by every method and in either precision."""
    return [speed.Sample(m, p, 3, work, work / 1e9) for m in METHODS for p in ("float64", "mixed") for work in WORK]

"""Interleaved timing: blocks of steps of every contestant in turn, so that a slow minute is slow for all of them."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Contestant:
    """Something that can take n gradient steps."""

    name: str
    block: Callable[[int], object]


@dataclass(frozen=True)
class Spread:
    """Median and quartiles."""

    median: float
    lower: float
    upper: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        if len(values) == 1:
            return cls(values[0], values[0], values[0])
        lower, median, upper = statistics.quantiles(values, n=4, method="inclusive")
        return cls(median, lower, upper)


@dataclass(frozen=True)
class Timing:
    """Milliseconds a step, a number a block: by the clock on the wall, and of processor time."""

    name: str
    steps: int  # of a block
    wall: list[float]
    cpu: list[float]

    @property
    def ms(self) -> Spread:
        return Spread.of(self.wall)

    @property
    def cpu_ms(self) -> float:
        """The median of processor time: on a machine that others use it says more than the wall clock."""
        return statistics.median(self.cpu)


def ratio(a: Timing, b: Timing) -> Spread:
    """How many times as long as b does a take: compared block by block, each pair from the same seconds."""
    return Spread.of([x / y for x, y in zip(a.wall, b.wall, strict=True)])


def interleave(contestants: Sequence[Contestant], blocks: int, seconds: float) -> dict[str, Timing]:
    """Time every contestant over `blocks` blocks of about `seconds`, in an order that turns from round to round."""
    timings = {c.name: Timing(c.name, _steps_for(c, seconds), [], []) for c in contestants}
    for round_ in range(blocks):
        shift = round_ % len(contestants)
        for c in [*contestants[shift:], *contestants[:shift]]:
            timing = timings[c.name]
            wall, cpu = time.perf_counter(), time.process_time()
            c.block(timing.steps)
            timing.wall.append(1e3 * (time.perf_counter() - wall) / timing.steps)
            timing.cpu.append(1e3 * (time.process_time() - cpu) / timing.steps)
    return timings


def _steps_for(contestant: Contestant, seconds: float) -> int:
    """How many steps last about `seconds`; the first calls build graphs and are not measured."""
    contestant.block(2)
    contestant.block(2)
    start = time.perf_counter()
    contestant.block(4)
    return max(2, round(4 * seconds / (time.perf_counter() - start)))

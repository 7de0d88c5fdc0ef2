"""Interleaved timing: blocks of steps of every worker in turn, so that a slow minute is slow for all of them."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.workers import Worker


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


def cpu_ratio(a: Timing, b: Timing) -> Spread:
    """The same in processor time, which others on the machine disturb less."""
    return Spread.of([x / y for x, y in zip(a.cpu, b.cpu, strict=True)])


def interleave(workers: Sequence[Worker], blocks: int, seconds: float) -> dict[str, Timing]:
    """Time every worker over `blocks` blocks of about `seconds`, in an order that turns from round to round."""
    timings = {w.name: Timing(w.name, _steps_for(w, seconds), [], []) for w in workers}
    for round_ in range(blocks):
        shift = round_ % len(workers)
        for worker in [*workers[shift:], *workers[:shift]]:
            timing = timings[worker.name]
            wall, cpu = worker.advance(timing.steps)
            timing.wall.append(1e3 * wall / timing.steps)
            timing.cpu.append(1e3 * cpu / timing.steps)
    return timings


def _steps_for(worker: Worker, seconds: float) -> int:
    """How many steps last about `seconds`."""
    worker.advance(4)
    return max(2, round(4 * seconds / worker.advance(4)[0]))

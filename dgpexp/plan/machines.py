"""What a gradient step would take on N machines that share its rows: whether a second machine pays.

Two things are measured, here and alone: a step of n rows takes a + b n ms, and its gradient has B bytes. The rest is a
model. Of N machines each computes ceil(n / N) rows and receives the gradients of the N - 1 others, so

    t(N) = a + b ceil(n / N) + [4.4 ms + 0.8 ms/MB (N - 1) B] + (N - 1) B / (0.94 line rate),  t(1) = a + b n.

The bracket is what two processes on one machine took beside their computations: 4.4 ms in the first row of `make
bench-gang`, whose other rows test it. That it grows with N - 1 is an assumption, as is a network without other traffic.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dgpexp.config import RunSpec
from dgpexp.datasets.catalog import find
from dgpexp.plan import speed

MACHINES = (1, 2, 4, 8, 16, 32)
GIGABITS = (1, 10)
_CALL, _COPY = 4.4, 0.8  # ms of an exchange; ms for each MB that is received
_SHARE = 0.94  # of the line rate that arrives
_MOST, _LESS = 800, 4  # rows of the larger measurement; how many times fewer the smaller one has


@dataclass(frozen=True)
class StepCost:
    """A step of n rows on one machine: `fixed` + `per_row` n ms, and the bytes of its gradient."""

    fixed: float
    per_row: float
    bytes: int

    @classmethod
    def of_two(cls, few: tuple[int, float], many: tuple[int, float], size: int) -> "StepCost":
        """The line through two measurements (rows, ms); one that falls is of equal height everywhere."""
        slope = max(0.0, (many[1] - few[1]) / (many[0] - few[0])) if many[0] > few[0] else 0.0
        fixed = many[1] - slope * many[0]
        return cls(fixed, slope, size) if fixed >= 0 else cls(0.0, many[1] / many[0], size)

    def ms(self, rows: int, machines: int, gigabits: float) -> float:
        """t(N) of `machines` that share `rows`."""
        alone = self.fixed + self.per_row * -(-rows // machines)
        return alone if machines == 1 else alone + _CALL + (machines - 1) * self._passing(gigabits)

    def between_updates(self, rows: int, workers: int, gigabits: float) -> float:
        """ms between two updates of `workers` that wait for nobody, each with `rows` of its own.

        A worker computes, sends its gradient, is sent the parameters; their server takes one gradient at a time.
        """
        alone, passing = self.fixed + self.per_row * rows, self._passing(gigabits)
        return alone if workers == 1 else max((alone + _CALL + 2 * passing) / workers, passing)

    def _passing(self, gigabits: float) -> float:
        """ms in which as many bytes as a gradient has are received."""
        return (_COPY + 8 / (_SHARE * gigabits)) * self.bytes / 1e6

    def warning(self, rows: int, machines: int) -> str:
        """A sentence where so many machines are slower than one, at least at the slower rate; else nothing."""
        slow = [rate for rate in GIGABITS if self.ms(rows, machines, rate) >= self.ms(rows, 1, rate)]
        if machines == 1 or not slow:
            return ""
        more = f"; at {max(GIGABITS)} Gbit/s they would be faster" if len(slow) < len(GIGABITS) else ""
        return (
            f"At {slow[-1]} Gbit/s {machines} machines would be slower than one{more}: larger minibatches "
            "(--set batch_size=1000) or a smaller model make them pay."
        )


def measured(spec: RunSpec) -> StepCost:
    """Time steps with many and with few rows, on random data, in this process."""
    s, data = replace(spec.settings, shards=1, updates="sync"), find(spec.dataset)
    many = min(s.batch_size, _MOST)
    found = []
    for rows in (max(1, many // _LESS), many):
        settings = replace(s, batch_size=rows)
        seconds, parameters = speed.timed(spec.method, spec.layers, settings, data.inputs, data.classes)
        found.append((rows, 1e3 * seconds))
    return StepCost.of_two(found[0], found[1], 8 * (parameters + 1))


def lines(spec: RunSpec, machines: int, measure: Callable[[RunSpec], StepCost] = measured) -> list[str]:
    """What `--dry-run` says of runs on several machines."""
    cost, rows = measure(spec), spec.settings.batch_size
    table = [["machines", *map(str, MACHINES)]]
    for rate in GIGABITS:
        times = [cost.ms(rows, n, rate) for n in MACHINES]
        table.append([f"{rate} Gbit/s, ms", *(f"{t:.1f}" for t in times)])
        table.append(["  times as fast", *(f"{times[0] / t:.1f}" for t in times)])
    head = (
        f"A step of {spec.method}-{spec.layers} takes {cost.fixed:.1f} ms + {1e3 * cost.per_row:.0f} µs a row here "
        f"(measured), its gradient has {cost.bytes / 1e6:.2g} MB. On machines that share its {rows} rows (modelled):"
    )
    warning = cost.warning(rows, machines)
    return [head, *_aligned(table), *([warning] if warning else [])]


def _aligned(table: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    cells = [
        [row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))] for row in table
    ]
    return ["  " + "  ".join(line) for line in cells]

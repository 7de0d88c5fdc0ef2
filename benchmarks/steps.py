"""`make bench`: milliseconds a gradient step of VI, AEP and AEPMCM, and the ratios that dgpexp promises.

Three layers (two where it says so), 100 inducing points, 8 inputs, 8 units, minibatches of 100; one thread; a process
each (about half a GiB), all in one run, interleaved. *functions* are the cheaper paths (gp/function_paths.py).
"""

import importlib.util
from dataclasses import dataclass, replace

from benchmarks import output, timing, workers
from benchmarks.work import Work
from dgpexp.methods import METHODS

WORK = Work()


@dataclass(frozen=True)
class Entry:
    """A contestant: ours by method, precision and paths, or GPflux, whose method is VI in float64."""

    method: str
    precision: str = "float64"
    samples: int = WORK.samples
    paths: str = "marginals"
    layers: int = WORK.layers

    def __str__(self) -> str:
        words = ["GPflux VI" if self.method == "gpflux" else f"dgpexp {self.method.upper()}", self.precision]
        words += [f"S={self.samples}"] if self.method not in METHODS or METHODS[self.method].samples else []
        words += [self.paths] if self.paths != "marginals" else []
        words += [f"L={self.layers}"] if self.layers != WORK.layers else []
        return " ".join(words)

    def begin(self) -> workers.Worker:
        work = replace(WORK, samples=self.samples, layers=self.layers)
        if self.method == "gpflux":
            return workers.contestant(str(self), "gpflux", work)
        options = {"method": self.method, "precision": self.precision, "paths": self.paths}
        return workers.contestant(str(self), "dgpexp", work, **options)


@dataclass(frozen=True)
class Promise:
    """`numerator` takes at least, or at most, `limit` times as long as `denominator`; `aim` is what we work for."""

    numerator: Entry
    denominator: Entry
    at_least: bool
    limit: float | None
    aim: float | None = None


VI, AEPMCM, GPFLUX = Entry("vi"), Entry("aepmcm"), Entry("gpflux")


def _functions(entry: Entry, **changes: object) -> Entry:
    return replace(entry, paths="functions", **changes)  # type: ignore[arg-type]


PROMISES = (
    Promise(GPFLUX, VI, True, 2.0),
    Promise(GPFLUX, _functions(VI), True, 2.0, 3.0),
    Promise(replace(GPFLUX, samples=20), _functions(VI, samples=20), True, 3.0),
    Promise(replace(GPFLUX, layers=2), _functions(VI, layers=2), True, None, 3.0),
    Promise(replace(GPFLUX, samples=1), replace(VI, samples=1), True, None, 2.0),
    Promise(GPFLUX, _functions(VI, precision="mixed"), True, None, 5.0),
    Promise(_functions(AEPMCM), _functions(VI), False, None, 1.1),
    Promise(AEPMCM, VI, False, 1.1),
    Promise(Entry("aep"), AEPMCM, False, 1.2),
    Promise(Entry("aep"), _functions(AEPMCM), False, None, 1.2),
    Promise(Entry("nvc"), Entry("aep"), False, 1.1),
    Promise(VI, replace(VI, precision="mixed"), True, 1.5),
    Promise(_functions(VI, samples=20), _functions(VI), False, 2.0),
)


def begin(with_gpflux: bool) -> list[workers.Worker]:
    """All that a promise names."""
    named = dict.fromkeys(entry for p in PROMISES for entry in (p.numerator, p.denominator))
    return [entry.begin() for entry in named if with_gpflux or entry.method != "gpflux"]


def judged(promise: Promise, timings: dict[str, timing.Timing]) -> dict[str, object] | None:
    """The ratio of a promise and whether it is kept; None where a contestant is missing."""
    numerator, denominator = str(promise.numerator), str(promise.denominator)
    if numerator not in timings or denominator not in timings:
        return None
    ratio = timing.ratio(timings[numerator], timings[denominator])
    return {
        **vars(promise),
        **{"numerator": numerator, "denominator": denominator},
        **{"ratio": ratio.median, "lower": ratio.lower, "upper": ratio.upper},
        "cpu_ratio": timing.cpu_ratio(timings[numerator], timings[denominator]),
        "kept": _holds(promise, ratio.median, promise.limit),
        "reached": _holds(promise, ratio.median, promise.aim),
    }


def _holds(promise: Promise, ratio: float, bound: float | None) -> bool | None:
    if bound is None:
        return None
    return ratio >= bound if promise.at_least else ratio <= bound


def main() -> None:
    options = output.arguments(__doc__ or "", blocks=11, seconds=0.7).parse_args()
    with_gpflux = importlib.util.find_spec("gpflux") is not None
    with workers.closing(begin(with_gpflux)) as everybody:
        timings = timing.interleave(everybody, options.blocks, options.seconds)
    output.console.print(output.timing_table(f"A gradient step, M = {WORK.inducing}", timings))

    table = output.table_of("Ratios", "", "ratio (quartiles)", "processor", "promise", "aim")
    verdicts = [v for p in PROMISES if (v := judged(p, timings)) is not None]
    for v in verdicts:
        sign = "≥" if v["at_least"] else "≤"
        table.add_row(
            f"{v['numerator']} / {v['denominator']}",
            f"{v['ratio']:.2f} ({v['lower']:.2f}-{v['upper']:.2f})",
            f"{v['cpu_ratio']:.2f}",
            "" if v["limit"] is None else f"{sign} {v['limit']} {'kept' if v['kept'] else 'MISSED'}",
            "" if v["aim"] is None else f"{sign} {v['aim']} {'reached' if v['reached'] else 'not yet'}",
        )
    output.console.print(table)
    if not with_gpflux:
        output.console.print("GPflux is not installed here: its rows are missing. `make bench-peers` sets it up.")
    output.write(options.json, {"work": vars(WORK), "timings": output.timings_as_json(timings), "ratios": verdicts})


if __name__ == "__main__":
    main()

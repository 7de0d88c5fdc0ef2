"""`make bench`: milliseconds a gradient step of VI, AEP and AEPMCM, and the ratios that dgpexp promises.

Three layers, 100 inducing points, 8 inputs, 8 units, minibatches of 100; one thread; a process each (about half a GiB),
all in one run, interleaved.
"""

import importlib.util
from dataclasses import dataclass, replace

from benchmarks import output, timing, workers
from benchmarks.work import Work

WORK = Work()
SAMPLES = (1, 10, 20)


@dataclass(frozen=True)
class Promise:
    """`numerator` takes at least, or at most, `limit` times as long as `denominator`; `aim` is what we work for."""

    numerator: str
    denominator: str
    at_least: bool
    limit: float | None
    aim: float | None = None


PROMISES = (
    Promise("GPflux VI float64 S=10", "dgpexp VI float64 S=10", True, 2.0, 3.0),
    Promise("GPflux VI float64 S=10", "dgpexp VI mixed S=10", True, None, 5.0),
    Promise("dgpexp AEPMCM float64 S=10", "dgpexp VI float64 S=10", False, 1.1),
    Promise("dgpexp AEP float64", "dgpexp AEPMCM float64 S=10", False, 1.5),
    Promise("dgpexp VI float64 S=10", "dgpexp VI mixed S=10", True, 1.5),
    Promise("dgpexp AEPMCM float64 S=10", "dgpexp AEPMCM mixed S=10", True, 1.5),
    Promise("dgpexp VI float64 S=20", "dgpexp VI float64 S=10", False, 2.0),
    Promise("dgpexp AEPMCM float64 S=20", "dgpexp AEPMCM float64 S=10", False, 2.0),
    Promise("dgpexp VI float64 S=1", "dgpexp VI float64 S=10", False, None, 0.2),
)


def begin(with_gpflux: bool) -> list[workers.Worker]:
    """All that take part. AEP draws no samples and is there once a precision."""
    everybody = []
    for samples in SAMPLES:
        work = replace(WORK, samples=samples)
        for method in ("vi", "aepmcm"):
            for precision in ("float64", "mixed"):
                name = f"dgpexp {method.upper()} {precision} S={samples}"
                everybody.append(workers.contestant(name, "dgpexp", work, method=method, precision=precision))
        if with_gpflux:
            everybody.append(workers.contestant(f"GPflux VI float64 S={samples}", "gpflux", work))
    for precision in ("float64", "mixed"):
        name = f"dgpexp AEP {precision}"
        everybody.append(workers.contestant(name, "dgpexp", WORK, method="aep", precision=precision))
    return everybody


def judged(promise: Promise, timings: dict[str, timing.Timing]) -> dict[str, object] | None:
    """The ratio of a promise and whether it is kept; None where a contestant is missing."""
    if promise.numerator not in timings or promise.denominator not in timings:
        return None
    ratio = timing.ratio(timings[promise.numerator], timings[promise.denominator])
    return {
        **vars(promise),
        **{"ratio": ratio.median, "lower": ratio.lower, "upper": ratio.upper},
        "cpu_ratio": timing.cpu_ratio(timings[promise.numerator], timings[promise.denominator]),
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
    output.console.print(output.timing_table(f"A gradient step, {WORK.layers} layers, M = {WORK.inducing}", timings))

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

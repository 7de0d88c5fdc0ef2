"""`make bench-peers`: a VI step of dgpexp, GPflux and GPyTorch on identical work, and its share of the GEMM rate.

One thread; all contestants of a piece of work are timed in one run, interleaved. Before that, each draws its bound at
the same copied parameters: the averages must agree, or they are not doing the same work.
"""

import sys
from collections.abc import Callable
from dataclasses import replace

from benchmarks import threads

threads.single()
threads.pin()

import numpy as np  # noqa: E402

from benchmarks import arithmetic, output, timing, workers  # noqa: E402
from benchmarks.work import Start, Work, start  # noqa: E402

BASE = Work()
WORKS = (
    BASE,
    replace(BASE, samples=1),
    replace(BASE, samples=20),
    replace(BASE, layers=2),
    replace(BASE, layers=5),
    replace(BASE, inducing=50),
    replace(BASE, inducing=200),
    replace(BASE, width=30, inputs=30),
)
OURS = ("dgpexp VI float64", "dgpexp VI mixed", "dgpexp VI float64 functions", "dgpexp VI mixed functions")
THEIRS = ("GPflux VI float64", "GPyTorch VI float64", "GPyTorch VI float64 folded")
DRAWS = 40


def options(name: str) -> dict[str, str]:
    """The settings that the name of one of ours stands for."""
    _, _, precision, *paths = name.split()
    return {"precision": precision, "paths": paths[0] if paths else "marginals"}


def begin(work: Work) -> list[workers.Worker]:
    return [
        *(workers.contestant(name, "dgpexp", work, method="vi", **options(name)) for name in OURS),
        workers.contestant(THEIRS[0], "gpflux", work),
        workers.contestant(THEIRS[1], "gpytorch", work, folded=False),
        workers.contestant(THEIRS[2], "gpytorch", work, folded=True),
    ]


def bounds(work: Work, at: Start) -> dict[str, Callable[[], float]]:
    from benchmarks.contestants import dgpexp_steps, gpflux_vi, gpytorch_vi

    return {
        **{name: dgpexp_steps.objective(work, at, **options(name)) for name in OURS},
        "GPflux VI float64": gpflux_vi.objective(work, at),
        "GPyTorch VI float64": gpytorch_vi.objective(work, at),
        "GPyTorch VI float64 folded": gpytorch_vi.objective(work, at, folded=True),
    }


def agreement(work: Work, at: Start) -> dict[str, tuple[float, float]]:
    """The bound a data point at the copied parameters: mean and standard error over draws. Exits if they differ."""
    found = {}
    for name, draw in bounds(work, at).items():
        values = np.array([draw() for _ in range(DRAWS)]) / work.rows
        found[name] = float(values.mean()), float(values.std(ddof=1) / np.sqrt(DRAWS))
    mean, error = found[OURS[0]]
    for name, (other, other_error) in found.items():
        if abs(other - mean) > 5 * np.hypot(error, other_error) + 1e-4:
            sys.exit(f"{work}: the bound of {name} is {other}, that of {OURS[0]} is {mean}: not the same work.")
    return found


def ratio_table(results: list[dict], ours: str) -> output.RichTable:
    """How many times as long as dgpexp each peer takes, by the clock (quartiles) and in processor time."""
    title = f"Times as long as {ours} (quartiles), and in processor time"
    table = output.table_of(title, "work", *(t.replace(" VI float64", "") for t in THEIRS))
    for result in results:
        pairs = [f"{t} / {ours}" for t in THEIRS]
        cells = [f"{output.spread(result['ratios'][p], 2)}  {result['cpu_ratios'][p]:.2f}" for p in pairs]
        table.add_row(result["work"], *cells)
    return table


def share_table(results: list[dict], rates: dict[str, float]) -> output.RichTable:
    """Operations a second of processor time that a step by marginals must do, as a share of a large product's."""
    table = output.table_of(
        "Share of the rate of a matrix product",
        "work",
        "operations",
        "float64: Gflop/s",
        "of TensorFlow's",
        "of NumPy's",
        "mixed: of float32's",
    )
    for result in results:
        f64, mixed = (result["operations"] / (result["cpu_ms"][o] / 1e3) for o in OURS[:2])
        table.add_row(
            result["work"],
            f"{result['operations'] / 1e6:.0f} M",
            f"{f64 / 1e9:.1f}",
            f"{f64 / rates['tensorflow float64 large']:.0%}",
            f"{f64 / rates['numpy float64 large']:.0%}",
            f"{mixed / rates['tensorflow float32 large']:.0%}",
        )
    return table


def measure(work: Work, blocks: int, seconds: float) -> dict:
    """Agreement, timings and ratios for one row of work."""
    agreed = agreement(work, start(work))
    with workers.closing(begin(work)) as everybody:
        timings = timing.interleave(everybody, blocks, seconds)
    output.console.print(output.timing_table(f"A VI gradient step, {work}", timings))
    return {
        "work": str(work),
        "bounds": agreed,
        "timings": output.timings_as_json(timings),
        "cpu_ms": {t.name: t.cpu_ms for t in timings.values()},
        "cpu_ratios": {f"{t} / {o}": timing.cpu_ratio(timings[t], timings[o]).median for o in OURS for t in THEIRS},
        "ratios": {f"{t} / {o}": timing.ratio(timings[t], timings[o]) for o in OURS for t in THEIRS},
        "operations": arithmetic.operations(work),
    }


def main() -> None:
    options = output.arguments(__doc__ or "", blocks=9, seconds=0.7).parse_args()
    rates = arithmetic.product_rates()
    results = [measure(work, options.blocks, options.seconds) for work in WORKS]
    for ours in OURS:
        output.console.print(ratio_table(results, ours))
    table = output.table_of("This machine", "matrix product", "Gflop/s")
    for name, rate in rates.items():
        table.add_row(name, f"{rate / 1e9:.1f}")
    output.console.print(table)
    output.console.print(share_table(results, rates))
    plain = [{**r, "ratios": {k: vars(v) for k, v in r["ratios"].items()}} for r in results]
    output.write(options.json, {"rates": rates, "results": plain})


if __name__ == "__main__":
    main()

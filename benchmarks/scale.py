"""`make bench-scale`: a gradient step for 10 thousand, 100 thousand and 2 million rows, and what a process needs.

Steps are timed interleaved in one process. Memory and the time to the first step are those of a process of its own for
every size, from the start of Python on.
"""

import json
import subprocess
import sys
import time

START = time.perf_counter()  # before anything slow is imported

from dataclasses import replace  # noqa: E402

from benchmarks import threads  # noqa: E402

threads.single()

from benchmarks import output, timing  # noqa: E402
from benchmarks.work import Work, start  # noqa: E402

ROWS = (10_000, 100_000, 2_000_000)
METHODS = ("vi", "aep", "aepmcm")


def contestant(rows: int, method: str) -> timing.Contestant:
    from benchmarks.contestants import dgpexp_steps

    work = replace(Work(), rows=rows)
    made = dgpexp_steps.contestant(work, start(work), method)
    return replace(made, name=f"{method.upper()} {rows:,} rows")


def one_process(rows: int) -> dict[str, float]:
    """What a process that takes 100 steps on `rows` rows reports of itself."""
    command = [sys.executable, "-m", "benchmarks.scale", "--alone", str(rows)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1])


def alone(rows: int) -> None:
    """The other side of `one_process`: peak memory in MiB and seconds to the first step, on stdout."""
    import resource

    made = contestant(rows, "aepmcm")
    made.block(1)
    first_step = time.perf_counter() - START
    made.block(100)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"first_step_s": first_step, "peak_mib": peak / (2**20 if sys.platform == "darwin" else 2**10)}))


def main() -> None:
    parser = output.arguments(__doc__ or "", blocks=15, seconds=0.7)
    parser.add_argument("--alone", type=int, metavar="ROWS", help="only take 100 steps and report memory (internal)")
    options = parser.parse_args()
    threads.configure_tensorflow()
    if options.alone:
        alone(options.alone)
        return

    needs = {rows: one_process(rows) for rows in ROWS}
    timings = timing.interleave([contestant(r, m) for m in METHODS for r in ROWS], options.blocks, options.seconds)
    output.console.print(output.timing_table("A gradient step, by the number of rows", timings))

    ratios = {}
    table = output.Table("rows", "VI", "AEP", "AEPMCM", title="Against 10,000 rows (quartiles)", title_justify="left")
    for rows in ROWS[1:]:
        for method in METHODS:
            name, base = (f"{method.upper()} {r:,} rows" for r in (rows, ROWS[0]))
            ratios[name] = timing.ratio(timings[name], timings[base])
        table.add_row(f"{rows:,}", *(output.spread(ratios[f"{m.upper()} {rows:,} rows"], 3) for m in METHODS))
    output.console.print(table)

    table = output.Table("rows", "peak memory, MiB", "first step after, s", title="A process", title_justify="left")
    for rows, need in needs.items():
        table.add_row(f"{rows:,}", f"{need['peak_mib']:.0f}", f"{need['first_step_s']:.1f}")
    output.console.print(table)
    results = {"timings": output.timings_as_json(timings), "ratios": {k: vars(v) for k, v in ratios.items()}}
    output.write(options.json, {**results, "processes": {str(r): n for r, n in needs.items()}})


if __name__ == "__main__":
    main()

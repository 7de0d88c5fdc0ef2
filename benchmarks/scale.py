"""`make bench-scale`: a gradient step for 10 thousand, 100 thousand and 2 million rows, and what a process needs.

A process a method and size, timed interleaved in one run; each also reports its peak memory, TensorFlow included, and
how long it took from its start (the making of the data included) to the end of its first step.
"""

from dataclasses import replace

from benchmarks import output, timing, workers
from benchmarks.work import Work

ROWS = (10_000, 100_000, 2_000_000)
METHODS = ("vi", "aep", "aepmcm")


def name(method: str, rows: int) -> str:
    return f"{method.upper()} {rows:,} rows"


def main() -> None:
    options = output.arguments(__doc__ or "", blocks=15, seconds=0.7).parse_args()
    everybody = []
    for method in METHODS:
        for rows in ROWS:
            worker = workers.contestant(name(method, rows), "dgpexp", replace(Work(), rows=rows), method=method)
            worker.wait()  # one after the other: the time to the first step is measured too
            everybody.append(worker)
    with workers.closing(everybody):
        timings = timing.interleave(everybody, options.blocks, options.seconds)
    output.console.print(output.timing_table("A gradient step, by the number of rows", timings))

    ratios = {
        name(m, rows): timing.ratio(timings[name(m, rows)], timings[name(m, ROWS[0])]) for m in METHODS for rows in ROWS
    }
    table = output.table_of("Against 10,000 rows (quartiles)", "rows", "VI", "AEP", "AEPMCM")
    for rows in ROWS[1:]:
        table.add_row(f"{rows:,}", *(output.spread(ratios[name(m, rows)], 3) for m in METHODS))
    output.console.print(table)

    table = output.table_of("A process", "", "peak memory, MiB", "first step after, s")
    for worker in everybody:
        table.add_row(worker.name, f"{worker.peak_mib:.0f}", f"{worker.first_step_s:.1f}")
    output.console.print(table)
    needs = {w.name: {"peak_mib": w.peak_mib, "first_step_s": w.first_step_s} for w in everybody}
    results = {"timings": output.timings_as_json(timings), "ratios": {k: vars(v) for k, v in ratios.items()}}
    output.write(options.json, {**results, "processes": needs})


if __name__ == "__main__":
    main()

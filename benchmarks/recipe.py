"""`make bench-recipe`: the training time of a run by our recipe over that of the same run in the profile thesis.

A cell is a data set, a method and a depth; both profiles' runs of it are timed in turns, on random numbers of the data
set's shape, in processor time. A run takes its steps times the time of one: both counts follow from the protocol.
"""

from dataclasses import asdict, replace
from itertools import product
from typing import Any

from benchmarks import output, timing, workers
from benchmarks.work import Work
from dgpexp.config import RunSpec
from dgpexp.datasets.catalog import find
from dgpexp.methods import method_name
from dgpexp.plan.cost import rows, steps
from dgpexp.plan.protocol import read_protocol
from dgpexp.report.cells import RECIPE

PROFILES = ("thesis", RECIPE)
METHODS = ("vi", "aep", "aepmcm")
DATASETS = ("boston", "energy", "concrete", "wine", "power", "kin8nm")
MOST = 1 / 8


def worker(profile: str, dataset: str, method: str, depth: int) -> tuple[workers.Worker, int]:
    """A process that takes the steps of this run, and how many the run has."""
    settings = read_protocol("uci").settings(profile, dataset, method)
    spec = RunSpec(dataset=dataset, method=method, layers=depth, split=0, settings=settings)
    work = replace(Work(), layers=depth, inputs=find(dataset).inputs, rows=rows(spec)[0])
    return workers.contestant(profile, "dgpexp", work, method=method, **asdict(settings)), steps(spec)


def compared(dataset: str, method: str, depth: int, blocks: int, seconds: float) -> dict[str, Any]:
    """Seconds of processor time of the cell's run in either profile, and their ratio with quartiles."""
    everybody, counts = zip(*(worker(profile, dataset, method, depth) for profile in PROFILES), strict=True)
    with workers.closing(list(everybody)):
        timings = timing.interleave(everybody, blocks, seconds)
    thesis, recipe = (timings[profile] for profile in PROFILES)
    step = timing.cpu_ratio(recipe, thesis)
    share = {name: value * counts[1] / counts[0] for name, value in vars(step).items()}
    took = {f"{t.name}_s": t.cpu_ms * count / 1e3 for t, count in zip((thesis, recipe), counts, strict=True)}
    return {"dataset": dataset, "method": method, "depth": depth, **took, **share}


def main() -> None:
    parser = output.arguments(__doc__ or "", blocks=5, seconds=0.4)
    parser.add_argument("--dataset", action="append", choices=DATASETS, help="only this one; repeatable")
    options = parser.parse_args()
    table = output.table_of(
        "A run, seconds of processor time", "", *PROFILES, f"{RECIPE} / thesis (quartiles)", f"≤ {MOST}"
    )
    found = []
    for dataset, depth, method in product(options.dataset or DATASETS, (2, 3), METHODS):
        found.append(compared(dataset, method, depth, options.blocks, options.seconds))
        seconds = (f"{found[-1][f'{profile}_s']:.0f}" for profile in PROFILES)
        spread = timing.Spread(*(found[-1][name] for name in ("median", "lower", "upper")))
        verdict = "kept" if spread.median <= MOST else "MISSED"
        table.add_row(f"{dataset} {method_name(method)} {depth}", *seconds, output.spread(spread, 3), verdict)
    output.console.print(table)
    output.write(options.json, {"limit": MOST, "cells": found})


if __name__ == "__main__":
    main()

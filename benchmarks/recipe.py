"""`make bench-recipe`: the training time of a run in the profile best over that of the same run in the profile thesis.

A cell is a data set, a method and a depth; both profiles' runs of it are timed in turns, on random numbers of the data
set's shape, in processor time. A run takes its steps times the time of one: both counts follow from the protocol.
"""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from benchmarks import output, timing, workers
from benchmarks.work import Work
from dgpexp.config import Settings
from dgpexp.datasets.catalog import find
from dgpexp.methods import method_name
from dgpexp.plan.protocol import read_protocol
from dgpexp.training.minibatches import total_steps

PROFILES = ("thesis", "best")
METHODS = ("vi", "aep", "aepmcm")
DATASETS = ("boston", "energy", "concrete", "wine", "power", "kin8nm")
MOST = 1 / 8


def worker(profile: str, dataset: str, method: str, depth: int) -> tuple[workers.Worker, int]:
    """A process that takes the steps of this run, and how many the run has."""
    settings: Settings = read_protocol("uci").settings(profile, dataset, method)
    data = find(dataset)
    rows = round(0.9 * data.rows)
    work = replace(Work(), layers=depth, inputs=data.inputs, rows=rows)
    return workers.contestant(profile, "dgpexp", work, method=method, **asdict(settings)), total_steps(settings, rows)


def compared(dataset: str, method: str, depth: int, blocks: int, seconds: float) -> dict[str, Any]:
    """Seconds of processor time of the cell's run in either profile, and their ratio with quartiles."""
    everybody, steps = zip(*(worker(profile, dataset, method, depth) for profile in PROFILES), strict=True)
    with workers.closing(list(everybody)):
        timings = timing.interleave(everybody, blocks, seconds)
    thesis, best = (timings[profile] for profile in PROFILES)
    step = timing.cpu_ratio(best, thesis)
    share = {name: value * steps[1] / steps[0] for name, value in vars(step).items()}
    took = {f"{t.name}_s": t.cpu_ms * count / 1e3 for t, count in zip((thesis, best), steps, strict=True)}
    return {"dataset": dataset, "method": method, "depth": depth, **took, **share}


def cells(datasets: tuple[str, ...], depths: tuple[int, ...]) -> Iterator[tuple[str, str, int]]:
    for dataset in datasets:
        for depth in depths:
            for method in METHODS:
                yield dataset, method, depth


def main() -> None:
    parser = output.arguments(__doc__ or "", blocks=5, seconds=0.4)
    parser.add_argument("--dataset", action="append", choices=DATASETS, help="only this one; repeatable")
    options = parser.parse_args()
    table = output.table_of(
        "A run, seconds of processor time", "", "thesis", "best", "best / thesis (quartiles)", f"≤ {MOST}"
    )
    found = []
    for cell in cells(tuple(options.dataset or DATASETS), (2, 3)):
        found.append(compared(*cell, options.blocks, options.seconds))
        seconds = (f"{found[-1][f'{profile}_s']:.0f}" for profile in PROFILES)
        spread = timing.Spread(*(found[-1][name] for name in ("median", "lower", "upper")))
        verdict = "kept" if spread.median <= MOST else "MISSED"
        name = f"{cell[0]} {method_name(cell[1])} {cell[2]}"
        table.add_row(name, *seconds, output.spread(spread, 3), verdict)
    output.console.print(table)
    output.write(options.json, {"limit": MOST, "cells": found})


if __name__ == "__main__":
    main()

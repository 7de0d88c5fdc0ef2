"""`make bench-gang`: a gradient step in one process and in two that share its rows, by the wall clock.

A figure is the time between the first and the last evaluation of one run of the command line, over the steps between
them: start, graphs and evaluation do not count. The model is that of `--dry-run` (plan/machines.py) without a network:
a step of n rows takes a + b n, with a and b of one process at the two sizes. `--costs` measures nothing but a and b for
the figure of virtual workers (Figure 6.0.3), by the processor's clock.
"""

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import output
from dgpexp import quietly
from dgpexp.plan import machines
from dgpexp.plan.machines import StepCost
from dgpexp.plan.protocol import read_protocol
from dgpexp.store.tidy_table import UPDATES

ROWS = (100, 1000)
CASES = {"RFF": ("rff", "--set", "features=100", "--set", "hidden_width=3"), "VI": ("vi", "--set", "hidden_width=8")}
SMALL = ("uci", "--dataset", "kin8nm", "--layers", "3")
HEAD = ("one process", "two", "speed-up", "model of two", "two / model")
AIRLINE = ("airline", "--method", "vi", "--layers", "2", "--samples", "10")


def measure(arguments: tuple[str, ...], rows: int, workers: int, steps: int) -> dict[str, float]:
    """Milliseconds a step, of the last two thirds of `steps`, and the bytes of the model's parameters."""
    shards = ("--set", f"shards={workers}", "--workers", str(workers)) if workers > 1 else ()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "dgpexp", "run", *arguments, *shards, "--splits", "0", "--quiet", "--yes"]
        command += ["--set", f"batch_size={rows}", "--max-steps", str(steps), "--checkpoint-every", "100000"]
        command += ["--set", f"evaluate_every={steps // 3}", "--set", "evaluate_rows=100", "--set", "whole_test=false"]
        if subprocess.run([*command, "--results", folder], check=False).returncode:
            raise SystemExit(f"{' '.join(command)} failed")
        (run,) = (path.parent for path in Path(folder).rglob("info.json"))
        clock = json.loads((run / "metrics.json").read_text())["train_seconds"]
        with np.load(run / "model.npz") as arrays:
            size = sum(arrays[name].nbytes for name in arrays.files if arrays[name].dtype.kind == "f")
    at, seconds = clock["steps"], clock["values"]
    return {"ms": 1e3 * (seconds[-1] - seconds[0]) / (at[-1] - at[0]), "bytes": size}


def costs() -> dict[str, dict[str, float]]:
    """What a step of one virtual worker takes, of every method of the profile."""
    quietly.one_thread()
    quietly.import_tensorflow()
    specs = {spec.method: spec for spec in read_protocol("classification").runs(UPDATES)}
    return {method: vars(machines.measured(spec)) for method, spec in specs.items()}


def main() -> None:
    parser = output.arguments(__doc__ or "", blocks=1, seconds=0.0)
    parser.add_argument("--steps", type=int, default=300, help="steps of a run (default %(default)s)")
    parser.add_argument("--costs", action="store_true", help="measure the step of virtual workers, and nothing else")
    options = parser.parse_args()
    kept = json.loads(options.json.read_text()) if options.json and options.json.is_file() else {}
    found = {"costs": costs(), **({} if options.costs else {"rows": gangs(options.steps)})}
    output.write(options.json, {**kept, **found})


def gangs(steps: int) -> list[dict[str, Any]]:
    """Every case in one process and in two, shown as a table."""
    rows: list[dict[str, Any]] = []
    for label, (method, *changes) in CASES.items():
        case = (*SMALL, "--method", method, *changes)
        one = [measure(case, n, 1, steps) for n in ROWS]
        few, many = ((n, found["ms"]) for n, found in zip(ROWS, one, strict=True))
        cost = StepCost.of_two(few, many, int(one[0]["bytes"]))
        for n, alone in zip(ROWS, one, strict=True):
            two = measure(case, n, 2, steps)
            rows.append({"case": f"{label}, kin8nm", "rows": n, "one": alone, "two": two, "cost": vars(cost)})
    alone, two = (measure(AIRLINE, 1000, workers, steps) for workers in (1, 2))
    rows.append({"case": "VI, airline", "rows": 1000, "one": alone, "two": two, "cost": None})
    table = output.table_of("ms a step", "", *HEAD)
    for row in rows:
        table.add_row(*cells(row))
    output.console.print(table)
    return rows


def cells(row: dict[str, Any]) -> list[str]:
    """A row of the table."""
    one, two = row["one"]["ms"], row["two"]["ms"]
    model = StepCost(**row["cost"]).ms(row["rows"], 2, math.inf) if row["cost"] else math.nan
    modelled = [f"{model:.1f}", f"{two / model:.2f}"] if row["cost"] else ["", ""]
    return [f"{row['case']}, {row['rows']:,} rows", f"{one:.1f}", f"{two:.1f}", f"{one / two:.2f}", *modelled]


if __name__ == "__main__":
    main()

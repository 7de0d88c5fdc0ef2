"""`make bench-gang`: a gradient step in one process and in two that share it, by the wall clock and by processor time.

Every figure is the difference of a longer and a shorter run of the command line, over the steps between them: start,
graphs and evaluation cancel. The model of a step is a + b rows for the arithmetic, with a and b from one process at the
two sizes, and 0.9 + 0.8 ms a MB for the exchange; two processes have half of the rows each.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import output

ROWS = (100, 1000)
CASES = {"RFF": ("rff", "--set", "features=100", "--set", "hidden_width=3"), "VI": ("vi", "--set", "hidden_width=8")}
SMALL = ("uci", "--dataset", "kin8nm", "--layers", "3")
AIRLINE = ("airline", "--method", "vi", "--layers", "2", "--samples", "10")
_FIXED, _A_MB = 0.9, 0.8  # ms of an exchange


def measure(arguments: tuple[str, ...], rows: int, workers: int, steps: tuple[int, int]) -> dict[str, float]:
    """Milliseconds a step by both clocks, and the megabytes of the model's parameters."""
    few, many = (_run(arguments, rows, workers, count) for count in steps)
    between = steps[1] - steps[0]
    wall, cpu = ((many[k] - few[k]) / between * 1e3 for k in ("wall", "cpu"))
    return {"ms": wall, "cpu_ms": cpu, "mb": few["mb"]}


def _run(arguments: tuple[str, ...], rows: int, workers: int, steps: int) -> dict[str, float]:
    shards = ("--set", f"shards={workers}", "--workers", str(workers)) if workers > 1 else ()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "dgpexp", "run", *arguments, *shards, "--splits", "0", "--quiet", "--yes"]
        command += ["--set", f"batch_size={rows}", "--max-steps", str(steps), "--checkpoint-every", "100000"]
        command += ["--set", "evaluate_every=0", "--set", "evaluate_rows=100", "--set", "whole_test=false"]
        process = subprocess.Popen([*command, "--results", folder])
        _, status, used = os.wait4(process.pid, 0)  # with its workers, for which it has waited
        if status:
            raise SystemExit(f"{' '.join(command)} failed")
        (run,) = (path.parent for path in Path(folder).rglob("info.json"))
        seconds = json.loads((run / "info.json").read_text())["train_seconds"]
        with np.load(run / "model.npz") as arrays:
            size = sum(arrays[name].nbytes for name in arrays.files if arrays[name].dtype.kind == "f")
    return {"wall": seconds, "cpu": used.ru_utime + used.ru_stime, "mb": size / 1e6}


def main() -> None:
    parser = output.arguments(__doc__ or "", blocks=1, seconds=0.0)
    parser.add_argument("--steps", type=int, default=200, help="steps of the shorter run (default %(default)s)")
    options = parser.parse_args()
    steps = options.steps, 3 * options.steps
    rows: list[dict[str, Any]] = []
    for label, (method, *changes) in CASES.items():
        one = [measure((*SMALL, "--method", method, *changes), n, 1, steps) for n in ROWS]
        each = (one[1]["ms"] - one[0]["ms"]) / (ROWS[1] - ROWS[0])
        for n, alone in zip(ROWS, one, strict=True):
            two = measure((*SMALL, "--method", method, *changes), n, 2, steps)
            model = alone["ms"] - each * n / 2 + _FIXED + _A_MB * alone["mb"]
            rows.append({"case": f"{label}, kin8nm, {n:,} rows", "one": alone, "two": two, "model_ms": model})
    alone, two = (measure(AIRLINE, 1000, workers, steps) for workers in (1, 2))
    rows.append({"case": "VI, airline, 1,000 rows", "one": alone, "two": two, "model_ms": None})
    table = output.table_of("ms a step: wall clock (processor)", "", "one process", "two", "speed-up", "model of two")
    for row in rows:
        table.add_row(*cells(row))
    output.console.print(table)
    output.write(options.json, {"rows": rows})


def cells(row: dict[str, Any]) -> list[str]:
    """A row of the table."""
    one, two = row["one"], row["two"]
    both = [f"{t['ms']:.1f} ({t['cpu_ms']:.1f})" for t in (one, two)]
    return [row["case"], *both, f"{one['ms'] / two['ms']:.2f}", f"{row['model_ms']:.1f}" if row["model_ms"] else ""]


if __name__ == "__main__":
    main()

"""`make bench-big-table`: a table of 50 million rows beside one of a million, by `dgpexp run csv` and by its steps.

Each table is made as a Parquet file (8 inputs and a target, single precision), trained on by the command that a
person would type, and its files are deleted. Peak memory is that of the command and that of its worker, apart.
The steps are timed interleaved, a process for each table. `--rows N` is the size of the larger table; with `--make
FILE` nothing but its file is made.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from benchmarks import output, timing, workers
from dgpexp.datasets.large import is_large

INPUTS = 8
_GROUP = 1_000_000
FEW, MANY = 1_000_000, 50_000_000
OPTIONS = ("--target", "y", "--splits", "0", "--set", "max_steps=1000", "--set", "evaluate_every=500", "--quiet")
PEAK = """import atexit, pathlib, runpy, sys
from dgpexp.memory import peak_mib
file = pathlib.Path(sys.argv.pop(1))
atexit.register(lambda: file.write_text(str(peak_mib())))
runpy.run_module("dgpexp", run_name="__main__", alter_sys=True)"""  # the command, which writes its peak in the end
SMALL = ("--set", "evaluate_rows=10000", "--set", "whole_test=false")  # what tables beyond ten million rows have


def make(path: Path, rows: int) -> None:
    """Write a table of x1, ..., x8 and a smooth y with noise, a part at a time."""
    names = [*(f"x{j + 1}" for j in range(INPUTS)), "y"]
    schema = pa.schema([(name, pa.float32()) for name in names])
    with pyarrow.parquet.ParquetWriter(path, schema, compression="none", use_dictionary=False) as writer:
        for first in range(0, rows, _GROUP):
            rng = np.random.default_rng(first)
            x = rng.standard_normal((min(_GROUP, rows - first), INPUTS), dtype=np.float32)
            noise = 0.1 * rng.standard_normal(len(x), dtype=np.float32)
            y = np.sin(x[:, 0] + x[:, 1] * x[:, 2]) + 0.3 * x[:, 3:].sum(axis=1) + noise
            writer.write_table(pa.table([*(pa.array(column) for column in x.T), pa.array(y)], schema=schema))


def run(folder: Path, rows: int) -> dict[str, Any]:
    """Make the table and train on it by the command: how long it took, and the peaks of its two processes."""
    file = folder / f"rows_{rows}.parquet"
    make(file, rows)
    command = ["dgpexp", "run", "csv", str(file), *OPTIONS, *(() if is_large(rows) else SMALL)]
    began = time.monotonic()
    peak = folder / "peak"
    words = [sys.executable, "-c", PEAK, str(peak), *command[1:], "--results", str(folder / "results")]
    status = subprocess.run(words, env={**os.environ, "DGPEXP_DATA": str(folder / "data")}).returncode
    if status:
        sys.exit(f"{' '.join(command)} failed.")
    (info,) = (folder / "results" / "runs").glob(f"*/rows_{rows}-*/info.json")
    found = json.loads(info.read_text())
    kept = next((folder / "data").glob(f"rows_{rows}-*.npy"))
    return {
        "rows": rows,
        "command": " ".join(["dgpexp", "run", "csv", file.name, *command[4:]]),
        "file_bytes": file.stat().st_size,
        "kept_bytes": kept.stat().st_size,
        "seconds": time.monotonic() - began,
        "command_peak_mib": float(peak.read_text()),
        "worker_peak_mib": found["peak_memory_mib"],
        "command_ms_per_step": 1e3 * found["seconds_per_step"],
        "rmse": found["metrics"]["rmse"],
        "table": kept.stem,
    }


def main() -> None:
    parser = output.arguments(__doc__ or "", blocks=9, seconds=2.0)
    parser.add_argument("--make", type=Path, metavar="FILE", help="make a table in FILE, and nothing else")
    parser.add_argument("--rows", type=int, default=MANY, help="rows of the larger table (default %(default)s)")
    options = parser.parse_args()
    if options.make:
        make(options.make, options.rows)
        return
    folder = Path(tempfile.mkdtemp(prefix="big-table-"))
    try:
        tables = [run(folder, rows) for rows in (FEW, options.rows)]
        os.environ["DGPEXP_DATA"] = str(folder / "data")
        everybody = [workers.table(f"{t['rows']:,} rows", t["table"]) for t in tables]
        with workers.closing(everybody):
            timings = timing.interleave(everybody, options.blocks, options.seconds)
    finally:
        shutil.rmtree(folder)
    ratio = timing.cpu_ratio(*(timings[worker.name] for worker in reversed(everybody)))
    console = output.table_of(
        "The command", "", "file, MiB", "copy, MiB", "peak of the command, MiB", "of its worker", "all of it, s"
    )
    for t in tables:
        sizes = (f"{t[key] / 2**20:.0f}" for key in ("file_bytes", "kept_bytes"))
        peaks = (f"{t[key]:.0f}" for key in ("command_peak_mib", "worker_peak_mib"))
        console.add_row(f"{t['rows']:,} rows", *sizes, *peaks, f"{t['seconds']:.0f}")
    output.console.print(console)
    output.console.print(output.timing_table("A gradient step", timings))
    output.console.print(f"Processor time of a step, most / fewest rows: {output.spread(ratio, 2)}")
    output.write(options.json, {"tables": tables, "timings": output.timings_as_json(timings), "ratio": vars(ratio)})


if __name__ == "__main__":
    main()

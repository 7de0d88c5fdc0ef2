"""`make bench-sweep`: what two jobs give against one, and how long a core waits between two runs of a sweep.

The same short runs (VI, three layers, sincos) by one job and by two, on a machine that must have two cores to spare.
The rate counts from the start of the first run to the end of the last, so waiting and uneven ends are in it.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from statistics import median

from benchmarks import output

MOST_WAIT, LEAST_GAIN = 1.0, 1.9


def times(jobs: int, runs: int, steps: int) -> list[tuple[float, float]]:
    """Start and end of every run of a sweep, in seconds, in order of their starts."""
    with tempfile.TemporaryDirectory() as folder:
        which = ["--dataset", "sincos", "--method", "vi", "--splits", f"0-{runs - 1}", "--max-steps", str(steps)]
        command = [sys.executable, "-m", "dgpexp", "run", "synthetic", *which, "--jobs", str(jobs), "--results", folder]
        subprocess.run(command, check=True, capture_output=True)
        found = [json.loads(p.read_text()) for p in Path(folder).glob("runs/*/sincos-*/run.json")]
    return sorted((_seconds(run["start_time"]), _seconds(run["stop_time"])) for run in found)


def _seconds(time: str) -> float:
    return datetime.fromisoformat(time).timestamp()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers to FILE")
    parser.add_argument("--runs", type=int, default=8, help="of a sweep, an even number (default %(default)s)")
    parser.add_argument("--steps", type=int, default=2000, help="of a run (default %(default)s)")
    options = parser.parse_args()
    one, two = (times(jobs, options.runs, options.steps) for jobs in (1, 2))
    lengths = [max(stop for _, stop in sweep) - sweep[0][0] for sweep in (one, two)]
    gain = lengths[0] / lengths[1]
    wait = max(begin - end for (_, end), (begin, _) in pairwise(one))
    first, *others = (stop - start for start, stop in one)
    tracing = first - median(others)  # which every job does once

    table = output.table_of(f"A sweep of {options.runs} runs", "", "measured", "promise", "")
    table.add_row("two jobs / one", f"{gain:.2f}", f"≥ {LEAST_GAIN}", "kept" if gain >= LEAST_GAIN else "MISSED")
    verdict = "kept" if wait <= MOST_WAIT else "MISSED"
    table.add_row("longest wait between two runs", f"{wait:.2f} s", f"≤ {MOST_WAIT} s", verdict)
    table.add_row("a job's first run, longer than the next ones by", f"{tracing:.1f} s", "", "")
    output.console.print(table)
    found = {"one_job_s": lengths[0], "two_jobs_s": lengths[1], "gain": gain, "wait_s": wait, "tracing_s": tracing}
    output.write(options.json, found)


if __name__ == "__main__":
    main()

"""How long does a report of 2,000 runs take? Run folders as the runner leaves them, made up, then read and reported.

`make bench-report` (ARGS=RUNS for another number); prints seconds, of the clock and of the processor, as JSON.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from dgpexp.report.build import write
from dgpexp.report.model import gather
from dgpexp.store.tidy_table import MEASURED
from tests.report import sample


def write_store(results: Path, rows: list[dict], points: int = 100) -> None:
    """The files of one folder a run: config, record, results and a learning curve of so many points."""
    rng = np.random.default_rng(0)
    for r in rows:
        folder = results / "runs" / r["profile"] / r["run_id"]
        folder.mkdir(parents=True)
        settings = json.loads(r["settings"])
        config = {k: r[k] for k in ("dataset", "method", "layers", "split")} | {"settings": settings}
        extra = ("steps", "train_seconds", "seconds_per_step", "jitter", "recoveries", "experiment", "started", "cpu")
        more = ("version", "tensorflow", "commit", "command", "error", "y_scale")
        info = {k: r[k] for k in (*extra, *more)} | {"metrics": {k: r[k] for k in MEASURED if k in r}}
        record = {"status": r["status"], "host": {"hostname": "bench"}, "result": r["ll"]}
        steps = np.unique(np.geomspace(1, r["steps"], points).astype(int)).tolist()
        fall = 1 + 3 * np.exp(-np.linspace(0, 6, len(steps))) + 0.01 * rng.normal(size=len(steps))
        curves = {
            "rmse": r["rmse"] * fall, "ll": r["ll"] - fall + 1, "objective": -fall,
            "train_seconds": np.array(steps) * r["seconds_per_step"],
        }  # fmt: skip
        series = {k: {"steps": steps, "values": v.tolist(), "timestamps": [""] * len(steps)} for k, v in curves.items()}
        for name, content in (("config", config), ("info", info), ("run", record), ("metrics", series)):
            (folder / f"{name}.json").write_text(json.dumps(content))


def main() -> None:
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder)
        rows = (sample.big() + sample.synthetic() + sample.uci(20))[:wanted]
        write_store(results, rows)
        start, processor = time.perf_counter(), time.process_time()
        report = gather(results, "thesis")
        read = time.perf_counter()
        out = write(report, results)
        end = time.perf_counter()
        size = (out / "index.html").stat().st_size
    print(json.dumps({
        "runs": len(rows), "read_and_judge_seconds": round(read - start, 2), "write_seconds": round(end - read, 2),
        "total_seconds": round(end - start, 2), "processor_seconds": round(time.process_time() - processor, 2),
        "page_megabytes": round(size / 1e6, 2),
    }))  # fmt: skip


if __name__ == "__main__":
    main()

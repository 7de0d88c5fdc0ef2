"""Run folders made by hand, as Sacred and the runner would leave them."""

import json
import os
import time
from pathlib import Path

from dgpexp.config import RunSpec, Settings
from dgpexp.store.locks import machine, process_started


def spec(dataset: str = "boston", method: str = "vi", layers: int = 2, split: int = 0, **settings: object) -> RunSpec:
    return RunSpec(dataset=dataset, method=method, layers=layers, split=split, settings=Settings().change(settings))


def make_run(results: Path, run: RunSpec, status: str = "COMPLETED", profile: str = "quick", **info: object) -> Path:
    """A run with plausible numbers in Sacred's files."""
    path = results / "runs" / profile / run.run_id
    path.mkdir(parents=True)
    (path / "config.json").write_text(json.dumps({**run.as_dict(), "seed": run.seed}))
    (path / "run.json").write_text(json.dumps({"status": status, "host": {"hostname": "somewhere"}}))
    content = {
        "experiment": "uci",
        "metrics": {"rmse": 3.0, "ll": -2.5, "crps": 1.5},
        "steps": 100,
        "train_seconds": 2.0,
        "seconds_per_step": 0.02,
        "jitter": 1e-6,
        "recoveries": 0,
        "started": "2026-01-01T00:00:00+00:00",
        **info,
    }
    (path / "info.json").write_text(json.dumps(content))
    curve = {"steps": [50, 100], "values": [4.0, 3.0], "timestamps": ["", ""]}
    (path / "metrics.json").write_text(json.dumps(dict.fromkeys(("train_seconds", "rmse", "ll", "objective"), curve)))
    return path


def make_lock(run_dir: Path, number: int = 1, age: float = 0.0, **content: object) -> Path:
    """A lock by this process, or by whoever `content` says."""
    folder = run_dir / "claims"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number:04d}.json"
    mine = {"machine": machine(), "pid": os.getpid(), "process_started": process_started(os.getpid())}
    path.write_text(json.dumps({**mine, **content}))
    os.utime(path, (time.time() - age, time.time() - age))
    return path

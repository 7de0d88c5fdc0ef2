"""Starting the command line as a real process, and comparing what two results folders hold."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from dgpexp.runs import checkpoint
from dgpexp.runs.execute import PASSED

ROOT = Path(__file__).parents[2]
FAKE = [sys.executable, "-m", "tests.engines.fake_cli"]
REAL = [sys.executable, "-m", "dgpexp"]


def start(command: list[str], *args: str, results: Path, **options: Any) -> "subprocess.Popen[str]":
    """The command in a process of its own, writing to `results`."""
    env = {**os.environ, "PYTHONPATH": str(ROOT), "DGPEXP_RESULTS": str(results), "TF_CPP_MIN_LOG_LEVEL": "3"}
    env["XDG_CACHE_HOME"] = str(results.parent / "cache")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL}
    return subprocess.Popen([*command, *args], env=env, text=True, cwd=ROOT, **{**pipes, **options})


def finish(process: "subprocess.Popen[str]", timeout: float = 120) -> tuple[int, str, str]:
    """Its exit code, stdout and stderr."""
    out, err = process.communicate(timeout=timeout)
    return process.returncode, out, err


def run(command: list[str], *args: str, results: Path, timeout: float = 120) -> tuple[int, str, str]:
    return finish(start(command, *args, results=results), timeout)


def wait_for(condition: Callable[[], Any], seconds: float = 60) -> Any:
    """What the condition gives once it gives something."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.02)
    raise AssertionError("it did not happen in time")


def run_dirs(results: Path) -> list[Path]:
    return sorted(p for p in results.glob("runs/*/*") if p.name[0] not in "._" and p.is_dir())


def status_of(run_dir: Path) -> str:
    return str(json.loads((run_dir / "run.json").read_text())["status"])


def measurements(results: Path) -> dict[str, Any]:
    return {path.name: measured(path) for path in run_dirs(results)}


def measured(run_dir: Path) -> dict[str, Any]:
    """Every number of a run that is not a time, as written: equal texts are equal to the last bit."""
    metrics = json.loads((run_dir / "metrics.json").read_text())
    info = json.loads((run_dir / "info.json").read_text())
    curves = {k: (v["steps"], v["values"]) for k, v in metrics.items() if k != "train_seconds"}
    kept = ("metrics", "whole_test", "steps", "jitter", "recoveries")
    return {"status": status_of(run_dir), "curves": curves, **{k: info.get(k) for k in kept}}


def locks(run_dir: Path) -> list[Any]:
    return [json.loads(p.read_text()) for p in sorted((run_dir / "claims").glob("[0-9]*.json"))]


def executions(run_dir: Path) -> list[Any]:
    """Its locks without those of processes that found it ended by another while they came (see execute.py)."""
    return [lock for lock in locks(run_dir) if lock.get("released") != PASSED]


def children(pid: int) -> list[int]:
    """The processes that it has started, in whichever of its threads."""
    try:
        return [int(c) for task in Path(f"/proc/{pid}/task").iterdir() for c in (task / "children").read_text().split()]
    except OSError:
        return []


def is_zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def executing(results: Path) -> list[Path]:
    """The runs that somebody holds and that could go on from a step."""
    held = [p for p in run_dirs(results) if locks(p) and "released" not in locks(p)[-1]]
    return [p for p in held if checkpoint.step(p / "checkpoint.npz") > 0]

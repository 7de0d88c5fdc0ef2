"""Sacred as it is: every pitfall of it that would lose or spoil a run has a test here."""

import json
import math
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dgpexp.files import StoreError
from dgpexp.runs.record import Failed, Record, RunObserver, Stopped, record
from dgpexp.store.locks import LockLost
from tests.engines.processes import ROOT
from tests.store.folders import spec


def test_the_folder_may_exist_and_measurements_are_there_once(tmp_path: Path) -> None:
    def body(record: Record) -> float:
        record.evaluation({"step": 10, "ll": -1.0})
        record.beat()
        record.evaluation({"step": 20, "ll": -0.5})
        record.beat()
        return -0.5

    for _ in range(2):
        record(spec(), RunObserver(tmp_path, lambda: True), {}, body)
    metrics = json.loads((tmp_path / spec().run_id / "metrics.json").read_text())
    assert metrics["ll"]["steps"] == [10, 20] and metrics["ll"]["values"] == [-1.0, -0.5]


def test_numpy_scalars_and_what_is_not_finite_become_plain_json(tmp_path: Path) -> None:
    def body(record: Record) -> float:
        record.evaluation({"step": 1, "rmse": np.float64(2.5), "ll": -math.inf})
        record.note(metrics={"ll": math.nan, "rmse": np.float32(2.5)}, n=np.int64(3))
        record.beat()
        return math.nan

    record(spec(), RunObserver(tmp_path, lambda: True), {}, body)
    folder = tmp_path / spec().run_id

    def strict(name: str) -> dict[str, object]:
        def refuse(constant: str) -> None:
            raise AssertionError(f"{constant} is not JSON")

        return dict(json.loads((folder / name).read_text(), parse_constant=refuse))

    assert strict("info.json") == {"metrics": {"ll": None, "rmse": 2.5}, "n": 3}
    assert strict("metrics.json")["rmse"]["values"] == [2.5]
    assert strict("run.json")["result"] is None


def test_an_interrupted_and_a_failed_run_say_so(tmp_path: Path) -> None:
    def stopped(record: Record) -> float:
        raise Stopped

    def failed(record: Record) -> float:
        raise ValueError("the reason")

    with pytest.raises(Stopped):
        record(spec(split=0), RunObserver(tmp_path, lambda: True), {}, stopped)
    with pytest.raises(Failed, match="the reason"):
        record(spec(split=1), RunObserver(tmp_path, lambda: True), {}, failed)
    statuses = [json.loads((tmp_path / spec(split=k).run_id / "run.json").read_text()) for k in (0, 1)]
    assert [s["status"] for s in statuses] == ["INTERRUPTED", "FAILED"]
    assert "ValueError: the reason" in "".join(statuses[1]["fail_trace"])
    info = json.loads((tmp_path / spec(split=1).run_id / "info.json").read_text())
    assert info["error"] == "ValueError: the reason"


@pytest.mark.parametrize("trouble", [StoreError("the disk is full"), LockLost("taken over")])
def test_what_is_not_the_runs_own_fault_interrupts_it_and_passes(tmp_path: Path, trouble: Exception) -> None:
    def body(record: Record) -> float:
        raise trouble

    with pytest.raises(type(trouble)) as raised:
        record(spec(), RunObserver(tmp_path, lambda: True), {}, body)
    assert raised.value is trouble
    assert json.loads((tmp_path / spec().run_id / "run.json").read_text())["status"] == "INTERRUPTED"


def test_a_process_that_lost_its_lock_writes_nothing_more(tmp_path: Path) -> None:
    holds = True

    def body(record: Record) -> float:
        nonlocal holds
        record.beat()
        holds = False
        record.note(late=True)
        record.evaluation({"step": 1, "ll": 0.0})
        record.beat()
        return 0.0

    record(spec(), RunObserver(tmp_path, lambda: holds), {"early": True}, body)
    folder = tmp_path / spec().run_id
    assert json.loads((folder / "run.json").read_text())["status"] == "RUNNING"
    assert json.loads((folder / "info.json").read_text()) == {"early": True}
    assert not (folder / "metrics.json").exists()


def test_an_error_that_sacred_swallows_is_raised_in_the_end(tmp_path: Path) -> None:
    def body(record: Record) -> float:
        shutil.rmtree(tmp_path / spec().run_id)
        record.beat()
        return 0.0

    with pytest.raises(FileNotFoundError):
        record(spec(), RunObserver(tmp_path, lambda: True), {}, body)


@pytest.mark.parametrize("git", ["none", "no commits", "somebody else's", "ours"])
def test_git_may_be_missing_empty_or_somebody_elses(tmp_path: Path, git: str) -> None:
    """The package copied into a folder in each of these states; its record must be made, with the right commit."""
    shutil.copytree(ROOT / "dgpexp", tmp_path / "dgpexp", ignore=shutil.ignore_patterns("__pycache__"))
    env = {**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}", "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}

    def run_git(*args: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", "-C", str(tmp_path), *who, *args], check=True, capture_output=True, env=env)

    if git != "none":
        run_git("init")
    if git == "somebody else's":
        run_git("commit", "--allow-empty", "-m", "not ours")
    if git == "ours":
        run_git("add", "dgpexp")
        run_git("commit", "-m", "ours")
        (tmp_path / "dgpexp/errors.py").open("a").write("# changed\n")
    script = f"""
from pathlib import Path
from dgpexp.runs import provenance
from dgpexp.runs.record import RunObserver
from dgpexp.runs.record import record
from tests.store.folders import spec
record(spec(), RunObserver(Path("{tmp_path}/runs"), lambda: True), {{}}, lambda r: 1.0)
print(provenance.commit())
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "no warning of a library reaches the user"
    commit = done.stdout.strip()
    assert (len(commit) == 40 + len("+changes") and commit.endswith("+changes")) if git == "ours" else commit == ""
    (path,) = (tmp_path / "runs").glob("boston-*/run.json")
    repositories = json.loads(path.read_text())["experiment"]["repositories"]
    assert len(repositories) == (1 if git == "ours" else 0)


def test_the_package_sources_are_kept_with_the_runs(tmp_path: Path) -> None:
    record(spec(), RunObserver(tmp_path, lambda: True), {}, lambda r: 1.0)
    kept = json.loads((tmp_path / spec().run_id / "run.json").read_text())["experiment"]["sources"]
    stored = {name: tmp_path / path for name, path in kept}
    assert stored["dgpexp/config.py"].read_bytes() == (ROOT / "dgpexp/config.py").read_bytes()

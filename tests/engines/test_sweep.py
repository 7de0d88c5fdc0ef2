"""Sweeps as people run them: real processes, real signals, a real results folder; the session alone is fake.

The same with the real session, on small models, is in test_real.py; kill -9 at random moments and many sweeps at once
are in tests/torture.
"""

import json
import os
import shutil
import signal
from pathlib import Path

import pytest

from dgpexp.store.stored_run import StoredRun
from tests.engines.processes import (
    FAKE,
    children,
    executing,
    finish,
    is_zombie,
    locks,
    measurements,
    run,
    run_dirs,
    start,
    status_of,
    wait_for,
)


def test_a_sweep_completes_every_run_once_and_a_second_one_has_nothing_to_do(undisturbed: Path, protocol: str) -> None:
    folders = run_dirs(undisturbed)
    assert len(folders) == 8
    assert all(status_of(p) == "COMPLETED" and len(locks(p)) == 1 for p in folders)
    assert not list(undisturbed.rglob("checkpoint.npz")), "what is complete needs no checkpoint"
    code, out, err = run(FAKE, "run", protocol, "--json", results=undisturbed)
    assert code == 0 and len(json.loads(out)["complete_before"]) == 8 and "0 runs completed" in err
    assert all(len(locks(p)) == 1 for p in folders)


def test_what_sacred_recorded(undisturbed: Path) -> None:
    path = run_dirs(undisturbed)[0]
    record = json.loads((path / "run.json").read_text())
    config, info = json.loads((path / "config.json").read_text()), json.loads((path / "info.json").read_text())
    assert record["result"] == info["metrics"]["ll"] and record["artifacts"] == ["model.npz"]
    sources = {name for name, _ in record["experiment"]["sources"]}
    assert "dgpexp/runs/course.py" in sources and "dgpexp/config.py" in sources
    assert any(d.startswith("numpy==") for d in record["experiment"]["dependencies"])
    assert record["host"]["hostname"] and info["cpu"] and info["version"]
    assert config["settings"]["epochs"] == 40 and config["dataset"] in path.name
    assert "--dataset heteroscedastic --method aepmcm --layers 2 --splits 0" in info["command"]
    metrics = json.loads((path / "metrics.json").read_text())
    assert metrics["ll"]["steps"] == [70, 140, 210, 280, 350, 360], "every 70 steps and at the end"
    assert "step 70:" in (path / "cout.txt").read_text()


def test_the_recorded_command_makes_the_same_run_again(undisturbed: Path, tmp_path: Path) -> None:
    path = run_dirs(undisturbed)[0]
    command = json.loads((path / "info.json").read_text())["command"].split()
    assert command[0] == "dgpexp"
    code, _, err = run(FAKE, *command[1:], results=tmp_path)
    assert code == 0, err
    assert measurements(tmp_path) == {path.name: measurements(undisturbed)[path.name]}


def test_another_seed_gives_other_numbers(undisturbed: Path, protocol: str, tmp_path: Path) -> None:
    args = ("run", protocol, "--dataset", "sincos", "--method", "vi", "--splits", "0", "--set", "seed=1")
    assert run(FAKE, *args, results=tmp_path)[0] == 0
    ((name, other),) = measurements(tmp_path).items()
    ours = next(v for k, v in measurements(undisturbed).items() if k.startswith("sincos-vi-2-s00"))
    assert name not in measurements(undisturbed) and other["metrics"]["ll"] != ours["metrics"]["ll"]


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_stopped_by_a_signal_it_checkpoints_and_says_how_to_continue(
    undisturbed: Path, protocol: str, tmp_path: Path, number: int, code: int
) -> None:
    results = tmp_path / "results"
    sweep = start(FAKE, "run", protocol, "--jobs", "2", "--checkpoint-every", "0.05", results=results)
    wait_for(lambda: executing(results))
    workers = children(sweep.pid)
    sweep.send_signal(number)
    ended, _, err = finish(sweep)
    assert ended == code
    assert f"dgpexp run {protocol} --jobs 2" in err and "Traceback" not in err
    interrupted = [p for p in run_dirs(results) if status_of(p) == "INTERRUPTED"]
    trained = [p for p in interrupted if "steps" in StoredRun(p).info]  # the others still read their data
    assert trained and all((p / "checkpoint.npz").is_file() for p in trained)
    assert all(not Path(f"/proc/{w}").exists() or is_zombie(w) for w in workers)
    assert run(FAKE, "run", protocol, results=results)[0] == 0
    assert measurements(results) == measurements(undisturbed)
    resumed = [json.loads((p / "info.json").read_text())["resumed_at"] for p in interrupted]
    assert max(resumed) > 0, "it went on from the checkpoint"


def test_workers_do_not_outlive_a_killed_sweep(protocol: str, tmp_path: Path) -> None:
    sweep = start(FAKE, "run", protocol, "--jobs", "2", "--set", "epochs=100000", results=tmp_path / "results")
    wait_for(lambda: len(list((tmp_path / "results").rglob("run.json"))) == 2)
    workers = children(sweep.pid)
    sweep.kill()
    finish(sweep)
    assert len(workers) == 2
    for worker in workers:
        wait_for(lambda worker=worker: not Path(f"/proc/{worker}").exists() or is_zombie(worker), 15)


def test_a_run_that_cannot_be_factorised_fails_alone(protocol: str, tmp_path: Path) -> None:
    args = ("run", protocol, "--profile", "rigged", "--method", "vi", "--splits", "0")
    code, _, err = run(FAKE, *args, results=tmp_path)
    assert code == 1 and "Traceback" not in err
    assert "FAILED step vi-2 split 0: the Cholesky factorisation of layer 1 failed" in err
    states = {p.name.split("-")[0]: status_of(p) for p in run_dirs(tmp_path)}
    assert states == {"sincos": "COMPLETED", "heteroscedastic": "COMPLETED", "step": "FAILED"}
    (failed,) = tmp_path.glob("runs/*/step-*")
    info = json.loads((failed / "info.json").read_text())
    assert info["recoveries"] == 3 and [r["jitter"] for r in info["recovery_log"]] == pytest.approx([1e-5, 1e-4, 1e-3])
    code, _, err = run(FAKE, *args, results=tmp_path)
    assert code == 1 and "1 runs have failed before; --retry-failed" in err
    code, _, _ = run(FAKE, *args, "--retry-failed", results=tmp_path)
    assert code == 1 and len(locks(failed)) == 2


def test_a_live_run_is_left_alone_and_a_dead_one_taken_over(protocol: str, tmp_path: Path) -> None:
    one = ("run", protocol, "--dataset", "sincos", "--method", "vi", "--splits", "0", "--checkpoint-every", "0.05")
    sweep = start(FAKE, *one, "--set", "epochs=400", results=tmp_path)
    wait_for(lambda: executing(tmp_path))
    (worker,) = children(sweep.pid)
    os.kill(worker, signal.SIGSTOP)  # so that the run is not complete before the other has come
    code, _, err = run(FAKE, *one, "--set", "epochs=400", results=tmp_path)
    assert code == 0 and "1 runs are executed by another process and were left alone" in err
    os.kill(worker, signal.SIGKILL)  # the sweep notices, and continues the run in a new process
    code, _, err = finish(sweep)
    assert code == 0, err
    (path,) = run_dirs(tmp_path)
    assert len(locks(path)) == 2 and json.loads((path / "info.json").read_text())["resumed_at"] > 0


def test_damaged_run_folders_are_survived(undisturbed: Path, protocol: str, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(undisturbed, results)
    torn, no_record, no_info, empty = run_dirs(results)[:4]
    (torn / "metrics.json").write_text('{"ll": {"steps": [70')
    (no_record / "run.json").unlink()
    (no_info / "info.json").write_text("")
    for path in list(empty.iterdir()):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    code, out, err = run(FAKE, "status", "--json", results=results)
    assert code == 0 and not err.count("Traceback")
    assert sum(cell["done"] for cell in json.loads(out)) == 5
    assert run(FAKE, "run", protocol, results=results)[0] == 0
    assert len(locks(torn)) == 1, "a run whose result is known is not made again for its curve"
    shutil.copy(undisturbed / torn.relative_to(results) / "metrics.json", torn)
    assert measurements(results) == measurements(undisturbed)


def test_what_another_sweep_abandons_meanwhile_is_finished_too(protocol: str, tmp_path: Path) -> None:
    longer = ("run", protocol, "--method", "vi", "--splits", "0", "--jobs", "1", "--set", "epochs=200")
    first = start(FAKE, *longer, results=tmp_path)
    wait_for(lambda: list(tmp_path.rglob("run.json")))
    (worker,) = children(first.pid)
    os.kill(worker, signal.SIGSTOP)  # so that the first run is not complete before the other sweep has come
    second = start(FAKE, *longer, "--json", results=tmp_path)  # finds one run taken and executes the other
    wait_for(lambda: len(list(tmp_path.rglob("run.json"))) == 2)
    os.kill(worker, signal.SIGCONT)
    first.send_signal(signal.SIGTERM)
    assert finish(first)[0] == 143
    code, out, err = finish(second)
    assert code == 0, err
    assert len(json.loads(out)["completed"]) == 2 and json.loads(out)["elsewhere"] == []


def test_random_data_of_the_same_shape_needs_no_file_and_says_so_everywhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "no-data"))
    args = ("run", "uci", "--profile", "quick", "--dataset", "boston", "--method", "vi", "--layers", "2")
    code, _, err = run(FAKE, *args, "--synthetic-shape", "--max-steps", "100", results=tmp_path)
    assert code == 0 and "boston vi-2 split 0 (random data: RMSE and LL mean nothing): LL" in err
    (path,) = run_dirs(tmp_path)
    info = json.loads((path / "info.json").read_text())
    assert info["experiment"] == "uci+max_steps=100+synthetic_shape=true" and info["n_train"] == 455
    assert "--set synthetic_shape=true" in info["command"]


def test_a_sweep_waits_for_the_workers_that_a_killed_one_left_behind(protocol: str, tmp_path: Path) -> None:
    args = ("run", protocol, "--method", "vi", "--splits", "0", "--dataset", "sincos", "--set", "epochs=400")
    first = start(FAKE, *args, results=tmp_path)
    wait_for(lambda: list(tmp_path.rglob("run.json")))
    (worker,) = children(first.pid)
    os.kill(worker, signal.SIGSTOP)  # too busy, say, to notice at once
    first.kill()
    finish(first)
    log = tmp_path / "second.log"
    with log.open("w") as said:
        second = start(FAKE, *args, "--json", results=tmp_path, stderr=said)
    wait_for(
        lambda: "waiting for a process of an earlier sweep, which is about to give its run back" in log.read_text()
    )
    os.kill(worker, signal.SIGCONT)
    code, out, _ = finish(second)
    assert code == 0, log.read_text()
    assert len(json.loads(out)["completed"]) == 1 and json.loads(out)["elsewhere"] == []

"""The promises of the runner kept by the real session, on small models: TensorFlow, processes, signals."""

import csv
import json
import random
import re
import signal
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dgpexp.datasets import load_split
from dgpexp.training.predictor import Predictor
from tests.engines.processes import REAL, executions, finish, measurements, run, run_dirs, start, status_of, wait_for
from tests.engines.sweeps import SMALL_MODELS, sweep
from tests.engines.sweeps import undisturbed as undisturbed_results

RIGGED = """
[profiles.rigged.sweep]
datasets = ["step", "sincos"]
methods = ["vi"]
[profiles.rigged.settings]
max_steps = 50
[profiles.rigged.datasets.step]
jitter = 1e-40
inducing_points = 50
"""
SWEEP = sweep("aepmcm", datasets=("sincos",), **SMALL_MODELS, max_steps=400, evaluate_every=90) + RIGGED


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return undisturbed_results(tmp_path_factory.mktemp("real"), SWEEP, REAL, jobs=1)


@pytest.fixture(scope="module")
def protocol(undisturbed: Path) -> str:
    return str(undisturbed.parent / "my.toml")


@pytest.mark.parametrize("kills", [1, pytest.param(8, marks=pytest.mark.slow)])
def test_killed_and_finished_by_two_sweeps_at_once_the_bits_are_the_same(
    undisturbed: Path, protocol: str, tmp_path: Path, kills: int
) -> None:
    """Undisturbed, one worker restarts a traced session for the second split; here every attempt builds its own."""
    results, rng = tmp_path / "results", random.Random(kills)
    for kill in range(kills):
        sweep = start(REAL, "run", protocol, "--jobs", "2", "--checkpoint-every", "0", results=results)
        before = len(list(results.glob("runs/*/*/claims/*.json")))

        def began(sweep=sweep, before=before) -> bool:
            return len(list(results.glob("runs/*/*/claims/*.json"))) > before or sweep.poll() is not None

        wait_for(began, 90)
        if kill == 0:
            wait_for(lambda: list(results.rglob("checkpoint.npz")), 90)
        time.sleep(rng.uniform(0, 2) if kill else 0)
        sweep.kill()
        finish(sweep)
    attempts = {path.name: len(executions(path)) for path in run_dirs(results)}
    assert list(results.rglob("checkpoint.npz")) or kills > 1
    sweeps = [start(REAL, "run", protocol, "--jobs", "1", results=results) for _ in range(2)]
    ends = [finish(sweep) for sweep in sweeps]
    assert [code for code, _, _ in ends] == [0, 0], ends
    assert measurements(results) == measurements(undisturbed)
    for path in run_dirs(results):
        assert len(executions(path)) <= attempts.get(path.name, 0) + 1, "after the kills each run was executed once"


def test_ctrl_c_and_continue_gives_the_same_bits(protocol: str, tmp_path: Path) -> None:
    # Seconds of training, so that the signal, sent at its beginning, is heard before its end on any machine.
    args = ("run", protocol, "--splits", "1", "--set", "max_steps=3000")
    results, whole = tmp_path / "interrupted", tmp_path / "whole"
    sweep = start(REAL, *args, results=results)
    wait_for(lambda: list(results.rglob("info.json")), 90)  # it is written when training begins
    sweep.send_signal(signal.SIGINT)
    code, _, err = finish(sweep)
    (path,) = run_dirs(results)
    assert code == 130 and "this continues it" in err and status_of(path) == "INTERRUPTED"
    assert run(REAL, *args, results=results)[0] == 0 and run(REAL, *args, results=whole)[0] == 0
    assert measurements(results) == measurements(whole)


@pytest.fixture
def shown(undisturbed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of this process look at the undisturbed runs."""
    monkeypatch.setenv("DGPEXP_RESULTS", str(undisturbed))


@pytest.mark.usefixtures("shown")
def test_a_trained_run_predicts_new_rows(undisturbed: Path, tmp_path: Path, dgpexp: Any) -> None:
    run_id = next(p.name for p in run_dirs(undisturbed) if p.name.startswith("sincos-aepmcm-2-s00"))
    split = load_split("sincos", 0, rows=60)
    x = split.x_scaler.inverse(split.x_test)
    (tmp_path / "new.csv").write_text("note,x\n" + "\n".join(f"7,{float(v)!r}" for v in x[:, 0]))
    args = ("predict", run_id, "--input", str(tmp_path / "new.csv"), "--quantiles", "0.1,0.9", "--samples", "3")
    code, out, err = dgpexp(*args)
    assert code == 0 and "Not used by the model: note" in err
    rows = list(csv.DictReader(out.splitlines()))
    of_each = ["mean", "std", "noise", "ignorance", "q0.1", "q0.9", "outside", "sample_1", "sample_2", "sample_3"]
    assert list(rows[0]) == ["note", "x", *of_each]
    mean = np.array([float(r["mean"]) for r in rows])
    rmse = float(np.sqrt(np.mean((mean - split.y_test) ** 2)))
    recorded = json.loads((undisturbed / "runs/small" / run_id / "info.json").read_text())["metrics"]["rmse"]
    assert rmse == pytest.approx(recorded, rel=1e-6), "the saved model is the one that was measured"
    assert all(float(r["q0.1"]) < float(r["q0.9"]) for r in rows)


@pytest.mark.usefixtures("shown")
def test_without_new_rows_a_run_shows_what_each_test_row_added_to_its_numbers(undisturbed: Path, dgpexp: Any) -> None:
    run_id = next(p.name for p in run_dirs(undisturbed) if p.name.startswith("sincos-aepmcm-2-s01"))
    code, out, err = dgpexp("predict", run_id, "--quantiles", "0.5")
    assert code == 0, err
    rows = list(csv.DictReader(out.splitlines()))
    shown = ["row", "x", "y", "log_density", "mean", "std", "noise", "ignorance", "q0.5", "outside"]
    assert list(rows[0]) == shown
    split = load_split("sincos", 1, rows=60)
    assert [int(r["row"]) - 1 for r in rows] == split.tested.tolist()
    np.testing.assert_allclose([float(r["x"]) for r in rows], split.x_scaler.inverse(split.x_test)[:, 0])
    parts = np.array([[float(r[name]) ** 2 for name in ("noise", "ignorance", "std")] for r in rows])
    np.testing.assert_allclose(parts[:, 0] + parts[:, 1], parts[:, 2])
    assert [float(r["y"]) for r in rows] == load_split("sincos", 1, rows=60).y_test.tolist()
    log_density = [float(r["log_density"]) for r in rows]
    recorded = json.loads((undisturbed / "runs/small" / run_id / "info.json").read_text())["metrics"]
    assert np.mean(log_density) == pytest.approx(recorded["ll"], rel=1e-12)
    assert min(log_density) == pytest.approx(recorded["ll_worst"], rel=1e-12)


@pytest.mark.usefixtures("shown")
def test_columns_are_checked_by_name_before_anything_is_computed(
    undisturbed: Path, tmp_path: Path, dgpexp: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Predictor, "predict_scaled", pytest.fail)
    run_id = run_dirs(undisturbed)[0].name
    for text, sentence in (
        ("y\n1\n", "lacks the columns x; the model needs a header line with x and found y"),
        ("x\n1\nblue\n", "line 3, column 'x': 'blue' is not a number"),
        ("x\n1\n\n,\n", "cannot be read as CSV"),
        ("x\n", "has a header line and no rows to predict"),
    ):
        (tmp_path / "new.csv").write_text(text)
        code, _, err = dgpexp("predict", run_id, "--input", str(tmp_path / "new.csv"))
        assert code == 2 and sentence in err and "Traceback" not in err


def test_a_real_cholesky_failure_fails_its_run_with_the_reason_and_no_other(protocol: str, tmp_path: Path) -> None:
    args = ("run", protocol, "--profile", "rigged", "--splits", "0", "--jobs", "1")
    code, _, err = run(REAL, *args, results=tmp_path)
    assert code == 1 and "Traceback" not in err
    # TensorFlow answers a matrix that is not positive definite by an error or by NaN
    assert re.search("FAILED step vi-2 split 0: (a Cholesky factorisation failed|the objective became nan)", err)
    states = {path.name.split("-")[0]: status_of(path) for path in run_dirs(tmp_path)}
    assert states == {"step": "FAILED", "sincos": "COMPLETED"}
    info = json.loads((next(tmp_path.glob("runs/*/step-*")) / "info.json").read_text())
    assert info["recoveries"] == 3 and info["jitter"] == pytest.approx(1e-37)

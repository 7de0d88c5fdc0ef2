"""The commands about runs as a person types them; nothing is trained here."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from dgpexp.config import RunSpec, Settings
from dgpexp.datasets.catalog import find
from dgpexp.methods import METHODS
from dgpexp.plan import speed
from dgpexp.plan.cost import run_work, step_work
from dgpexp.plan.protocol import Select, read_protocol
from dgpexp.runs.provenance import cpu
from tests.speeds import known_speeds
from tests.store.folders import make_lock, make_run, spec


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGPEXP_RESULTS", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (("run", "uci", "--set", "epoch=5"), "unknown setting 'epoch' (did you mean 'epochs'?)"),
        (("run", "uci", "--set", "epochs=0"), "epochs = 0 is not possible: it accepts a whole number of at least 1"),
        (("run", "uci", "--dataset", "bostn"), "'bostn' is not a data set of uci"),
        (("run", "uci", "--method", "em"), f"'em' is not one of {', '.join(map(repr, METHODS))}"),
        (("run", "uci", "--splits", "4-2"), "'4-2' is not a number like 3 or a range like 0-4"),
        (("run", "uci", "--profile", "fast"), "uci has no profile 'fast'; its profiles are: thesis, best, lean, rff"),
        (
            ("run", "uci", "--method", "pep", "--set", "alpha=0"),
            "alpha = 0 is not possible: it accepts a number above 0",
        ),
        (("run", "uci", "--method", "rff", "--set", "features=0"), "features = 0 is not possible"),
        (("run", "uci", "--method", "rff", "--set", "kernel=matern32"), "matern32 has no spectral density here"),
        (("run", "uci", "--method", "nvc", "--set", "kernel=matern32"), "closed form and matern32 has none"),
        (("run", "uci", "--method", "pep", "--set", "kernel=arccosine"), "arccosine is a kernel of rff alone"),
        (
            ("run", "uci", "--set", "epochs=5", "--set", "epochs=6"),
            "--set epochs is given twice: write --set epochs=A,B",
        ),
        (("run", "uci", "--set", "max_steps=5,6", "--max-steps", "7"), "max_steps is set twice"),
        (("run", "uci", "--set", "epochs=5,x"), "epochs = 'x' is not possible"),
        (("run", "uci", "--tag", "two\nlines"), "'two\\nlines' is not a word of letters"),
        (("run", "uci", "--note", "two\nlines"), "it must be one line"),
        (("run", "uci", "--set", f"epochs={','.join(map(str, range(1, 1001)))}"), "up to 1,920,000 runs: say --yes"),
        (("status", "--set", "epochs=5"), "name it, e.g. dgpexp status uci --set epochs=50"),
        (("show", "boston-vi"), "there is no run 'boston-vi'"),
        (("rm", "boston-vi"), "is selected by that"),
        (("run", "ucy"), "there is no experiment 'ucy'"),
        (("run", "nowhere.toml"), "there is no experiment 'nowhere.toml'"),
        (("reproduce", "--profile", "fast"), "has no profile 'fast'"),
        (("predict", "boston-vi", "--input", "x.csv"), "there is no run 'boston-vi'"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_sentence(dgpexp: Any, args: tuple[str, ...], sentence: str) -> None:
    code, out, err = dgpexp(*args)
    assert code == 2 and out == "" and sentence in err


def test_dry_run_lists_what_would_run_and_how_long(dgpexp: Any, tmp_path: Path) -> None:
    speed.remember(known_speeds())
    select = Select(datasets=("boston",), methods=("vi",), layers=(3,))
    done, failed, running, *rest = read_protocol("uci").runs("thesis", select)
    make_run(tmp_path, done, profile="thesis")
    make_run(tmp_path, failed, status="FAILED", profile="thesis")
    make_lock(make_run(tmp_path, running, status="RUNNING", profile="thesis"))
    args = ("run", "uci", "--dataset", "boston", "--method", "vi", "--layers", "3", "--dry-run")
    code, out, _ = dgpexp(*args, "--json", "--jobs", "4")
    plan = json.loads(out)
    assert code == 0
    assert [r["run"] for r in plan["runs"]] == [r.run_id for r in rest] and len(rest) == 17
    assert plan["skipped"] == {"done": [done.run_id], "failed": [failed.run_id], "running": [running.run_id]}
    assert plan["seconds"] == pytest.approx(sum(r["seconds"] for r in plan["runs"]) / 4)
    code, out, err = dgpexp(*args)
    assert "17 runs would be executed, 1 are complete, 1 are running, 1 have failed." in out and err == ""
    code, out, _ = dgpexp(*args, "--retry-failed", "--json")
    assert failed.run_id in [r["run"] for r in json.loads(out)["runs"]]


def test_the_first_dry_run_says_that_it_measures_and_keeps_what_it_found(
    dgpexp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timed: list[RunSpec] = []

    def measure(spec: RunSpec) -> speed.Sample:
        timed.append(spec)
        return speed.Sample(spec.method, "float64", 3, step_work("vi", 3, spec.settings, 13), 0.01)

    monkeypatch.setattr(speed, "measure_like", measure)
    args = ("run", "uci", "--dataset", "boston", "--method", "vi", "--layers", "3", "--dry-run")
    code, _, err = dgpexp(*args)
    assert code == 0 and "a model will be timed now, once, which takes about 10 s." in err
    assert f"the speeds are kept in {tmp_path / 'cache' / 'dgpexp' / 'speed.json'}." in err
    assert dgpexp(*args)[2] == "" and len(timed) == 1


def test_a_dry_run_of_many_models_is_short(dgpexp: Any) -> None:
    speed.remember(known_speeds())
    _, out, _ = dgpexp("run", "uci", "--dry-run")
    lines = out.splitlines()
    assert len(lines) < 16 and max(map(len, lines[:-2])) <= 80
    assert lines[1].split()[:2] == ["uci", "1920"], "the whole of an experiment, then each of its data sets"
    names = read_protocol("uci").sweep("thesis")["datasets"]
    assert sorted(line.split()[:2] for line in lines[2:10]) == [[name, "240"] for name in names]
    assert "complete" not in lines[0], "a state that no run is in has no column"
    _, out, _ = dgpexp("run", "uci", "--dataset", "naval", "--dry-run")
    assert len(out.splitlines()) < 20 and "vi-5 S=20" in out


def test_the_estimate_knows_max_seconds(dgpexp: Any) -> None:
    speed.remember(known_speeds())
    args = (
        "run",
        "uci",
        "--dataset",
        "boston",
        "--method",
        "vi",
        "--layers",
        "3",
        "--splits",
        "0",
        "--dry-run",
        "--json",
    )
    (whole,), (cut,), (free,) = (
        [run["seconds"] for run in json.loads(dgpexp(*args, *more)[1])["runs"]]
        for more in ((), ("--max-seconds", "100"), ("--max-seconds", "1e7"))
    )
    assert free == whole > 5000 and 100 <= cut < 110


def test_every_command_of_a_plan_selects_exactly_its_run(dgpexp: Any) -> None:
    speed.remember(known_speeds())
    for experiment, change in (("uci", ("--set", "separate_inducing=true")), ("airline", ("--max-steps", "300"))):
        _, out, _ = dgpexp("run", experiment, "--profile", "quick", *change, "--dry-run", "--json")
        runs = json.loads(out)["runs"]
        assert len(runs) > 4
        for run in runs[:: max(1, len(runs) // 5)]:
            _, again, _ = dgpexp(*shlex.split(run["command"])[1:], "--dry-run", "--json")
            assert [r["run"] for r in json.loads(again)["runs"]] == [run["run"]]


def test_runs_go_split_by_split_cheapest_first_and_timed_ones_last(dgpexp: Any) -> None:
    speed.remember(known_speeds())
    _, out, _ = dgpexp("run", "uci", "--splits", "0-1", "--method", "vi", "--layers", "2", "--dry-run", "--json")
    names = [r["run"].rsplit("-", 1)[0] for r in json.loads(out)["runs"]]
    assert all("-s00" in name for name in names[:8]) and all("-s01" in name for name in names[8:])
    assert names[0].startswith("boston") and names[7].startswith("protein")


def test_a_folder_made_under_other_defaults_is_not_mistaken_for_this_run(dgpexp: Any, tmp_path: Path) -> None:
    (run,) = read_protocol("uci").runs("thesis", Select(("boston",), ("vi",), (2,), (0,)))
    folder = make_run(tmp_path, run, profile="thesis")
    config = json.loads((folder / "config.json").read_text())
    config["settings"]["kernel_variance"] = 2.0
    (folder / "config.json").write_text(json.dumps(config))
    code, _, err = dgpexp("run", "uci", "--dataset", "boston", "--method", "vi", "--layers", "2", "--splits", "0")
    assert code == 2 and "was made with kernel_variance = 2.0, by another version of dgpexp" in err


def test_status_counts_every_state_of_a_cell(dgpexp: Any, tmp_path: Path) -> None:
    speed.remember(known_speeds())
    runs = read_protocol("uci").runs("thesis", Select(("boston",), ("vi",), (3,)))
    make_run(tmp_path, runs[0], profile="thesis")
    make_run(tmp_path, runs[1], "FAILED", profile="thesis", error="the Cholesky failed", metrics=None)
    make_run(tmp_path, runs[2], "INTERRUPTED", profile="thesis", metrics=None, total_steps=400)
    make_lock(make_run(tmp_path, runs[3], "RUNNING", profile="thesis", metrics=None, total_steps=200))
    make_run(tmp_path, runs[4], "RUNNING", profile="thesis", metrics=None)  # kill -9 leaves it so
    make_run(tmp_path, spec(epochs=7), profile="mine", experiment="my")
    alien = make_run(tmp_path, spec(epochs=8), profile="mine", experiment="my", cpu=cpu())
    (alien / "config.json").write_text('{"method": "vi", "layers": 2, "dataset": "boston", "settings": {"new": 1}}')
    (tmp_path / "runs/thesis/boston-vi-3-s09-00000000").mkdir()
    code, out, _ = dgpexp("status", "uci", "--profile", "thesis", "--json")
    cells = {(c["dataset"], c["method"], c["layers"]): c for c in json.loads(out)}
    assert code == 0 and len(cells) == 8 * 3 * 4
    cell = cells["boston", "vi", 3]
    assert [cell[k] for k in ("done", "running", "interrupted", "stale", "failed", "left")] == [1, 1, 1, 1, 1, 15]
    assert cell["last_error"] == "the Cholesky failed" and cell["seconds_spent"] == 10.0
    whole = speed.seconds(runs[0], speed.of_completed_runs(tmp_path) + speed.remembered())
    assert whole is not None and cell["seconds_left"] == pytest.approx(whole * (15 + 0.75 + 0.5 + 1))
    code, out, err = dgpexp("status")
    assert code == 0 and "2 done, 1 running, 1 interrupted, 1 stale" in err
    *table, error = out.splitlines()
    assert error == "thesis boston vi-3 S=20: the Cholesky failed"
    assert len(table) < 16 and max(map(len, table)) <= 80, "a line per data set, and the width of any terminal"
    counts = {" ".join(line.split()[:2]): line.split()[2:8] for line in table[1:] if not line.startswith(" ")}
    assert counts["mine my"][0] == "1" and counts["thesis uci"] == ["1", "1", "1", "1", "1", "1915"]
    _, out, _ = dgpexp("status", "uci", "--profile", "thesis")
    assert "  vi-3 S=20      1" in out, "by model where an experiment is named"
    _, out, _ = dgpexp("status", "--runs")
    assert f"  {runs[2].run_id}  interrupted, step 100 of 400" in out


def test_status_of_nothing_says_how_to_begin(dgpexp: Any) -> None:
    code, _, err = dgpexp("status")
    assert code == 0 and "`dgpexp run uci` starts some" in err


def test_predicting_by_a_run_that_is_not_complete_is_refused(dgpexp: Any, tmp_path: Path) -> None:
    make_run(tmp_path, spec(), "INTERRUPTED")
    code, _, err = dgpexp("predict", spec().run_id, "--input", "x.csv")
    assert code == 2 and "is INTERRUPTED and has no trained model yet" in err
    make_run(tmp_path, spec(split=1))
    code, _, err = dgpexp("predict", "boston", "--input", "x.csv")
    assert code == 2 and "could be 2 runs" in err


def test_export_writes_the_table(dgpexp: Any, tmp_path: Path) -> None:
    make_run(tmp_path, spec())
    code, _, err = dgpexp("export", "--profile", "quick")
    assert code == 0 and "1 runs written" in err
    assert (tmp_path / "measured/quick/runs.csv").read_text().count("\n") == 2


def test_a_speed_is_carried_to_another_shape_by_its_arithmetic() -> None:
    def boston(**settings: Any) -> RunSpec:
        cell = {"dataset": "boston", "method": "vi", "layers": 3, "split": 0}
        return RunSpec(**cell, settings=Settings(evaluate_every=0, **settings))

    work = step_work("vi", 3, Settings(), 13)
    sample = speed.Sample("vi", "float64", 3, work, 0.05)
    assert speed.seconds(boston(), [sample]) == pytest.approx(0.05 * run_work(boston()) / work)
    assert speed.seconds(boston(), [sample]) == pytest.approx(2000 * 5 * 0.05, rel=0.05), "2000 epochs of 5 steps"
    assert speed.seconds(boston(precision="mixed"), [sample]) is None
    assert speed.has_alike(boston(), [sample])
    assert not speed.has_alike(boston(inducing_points=5, train_samples=1), [sample])


def test_every_run_has_its_like_once_the_dearest_of_each_size_are_measured() -> None:
    specs = read_protocol("uci").runs("lean", Select())
    chosen = speed.unlike(specs, [])
    assert len(specs) == 1920 and len(chosen) <= 9, "a few steps tell of all"
    assert [(s.dataset, s.layers) for s in chosen[:3]] == [("naval", 5)] * 3, "the widest and deepest of each method"
    known = [
        speed.Sample(s.method, "mixed", s.layers, step_work(s.method, s.layers, s.settings, find(s.dataset).inputs), 1)
        for s in chosen
    ]
    assert speed.unlike(specs, known) == []
    assert speed.unlike(specs, known[1:])[0] == chosen[0]

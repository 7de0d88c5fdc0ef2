"""Runs on the folds of the paper on random features, beside what it printed."""

import math
from pathlib import Path

import pandas as pd
import pytest

from benchmarks.report import write_store
from dgpexp.config import Settings
from dgpexp.report.tables import paper_folds
from dgpexp.store.tidy_table import write_measured
from tests.report import sample

SETTINGS = Settings(split_list="rff", hidden_width=3)


def _run(method: str, split: int, dataset: str = "power", **more: object) -> dict[str, object]:
    values = {"rmse": 4.0 + split, "ll": -2.8, "y_scale": 17.0} if dataset == "power" else {"ll": -0.2, "accuracy": 0.9}
    return sample.row(dataset, method, 2, split, SETTINGS, {"y_scale": 1.0, **values}, **{"profile": "rff", **more})


def _grids(rows: list[dict[str, object]]) -> dict[str, object]:
    return {g.id: g for g in paper_folds.grids(sample.material(rows))}


def test_ours_are_of_the_standardised_target_and_classes_as_they_are() -> None:
    """p(y) = p(y / s) / s, so log p(y / s) = log p(y) + log s; an error is divided by s."""
    grids = _grids([_run("rff", 0), _run("rff", 1), _run("rff", 0, "spambase", experiment="classification")])
    ll, error = grids["folds-ll"], grids["folds-error"]
    assert ll.rows == ("power", "spambase")
    assert ll.cells[0, 0].mean == pytest.approx(-2.8 + math.log(17.0)) and ll.cells[0, 0].n == 2
    assert error.cells[0, 0].mean == pytest.approx(4.5 / 17.0)
    assert ll.cells[1, 0].mean == pytest.approx(-0.2) and error.cells[1, 0].mean == pytest.approx(0.9)


def test_the_paper_s_mnll_stands_beside_them_and_judges_nothing() -> None:
    grid = _grids([_run("rff", 0), _run("aep", 0), _run("vi", 0)])["folds-ll"]
    by_method = {c.method: c for c in grid.cells.values()}
    assert by_method["rff"].published.mean == 0.067 and by_method["aep"].published.mean == -0.059
    assert by_method["rff"].verdict == "not comparable" and by_method["vi"].published is None


def test_other_profiles_changed_runs_and_other_depths_are_left_out() -> None:
    rows = [_run("rff", 0, profile="thesis"), _run("rff", 1, experiment="uci+seed=1"), {**_run("rff", 2), "layers": 3}]
    assert _grids(rows) == {}


def test_the_curves_are_those_of_the_first_fold_that_has_one() -> None:
    found = paper_folds.gather(sample.frame([_run("rff", 0), _run("rff", 1), _run("vi", 0)]))
    curve = pd.DataFrame({"step": [1], "train_seconds": [2.0], "rmse": [34.0], "ll": [-3.0], "objective": [0.0]})
    second = str(found.of("power", "rff")["run_id"].iloc[1])
    series = paper_folds.on_one_clock(found, "power", lambda run_id: curve if run_id == second else curve[:0])
    assert list(series) == [("rff", None)]
    assert series["rff", None]["rmse"].tolist() == [2.0]
    assert series["rff", None]["ll"].tolist() == pytest.approx([-3.0 + math.log(17.0)])


def test_export_keeps_the_curves_of_this_profile(tmp_path: Path) -> None:
    write_store(tmp_path, [_run("rff", 0)], points=3)
    write_measured(tmp_path, "rff", tmp_path / "measured" / "runs.csv")
    written = pd.read_csv(tmp_path / "measured" / "runs.csv")
    assert written["y_scale"].tolist() == [17.0]
    assert len(pd.read_csv(tmp_path / "measured" / "curves.csv")) == 3

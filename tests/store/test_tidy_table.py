"""The table of runs reads everything that is whole, and survives everything that is not."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pandas as pd
import pytest

from dgpexp.config import RunSpec, Settings
from dgpexp.errors import UserError
from dgpexp.store import tidy_table
from tests.store.folders import make_lock, make_run, spec


def test_a_completed_run_is_one_row_with_exactly_the_agreed_columns(tmp_path: Path) -> None:
    run = spec(train_samples=5)
    make_run(tmp_path, run, command="dgpexp run uci")
    rows = tidy_table.read_runs(tmp_path, "quick")
    assert tuple(rows.columns) == tidy_table.COLUMNS
    row = rows.iloc[0]
    assert (row.run_id, row.status, row.dataset, row.layers, row.split) == (run.run_id, "COMPLETED", "boston", 2, 0)
    assert (row.rmse, row.ll, row.train_samples, row.command) == (3.0, -2.5, 5, "dgpexp run uci")
    assert json.loads(row.settings)["train_samples"] == 5


def test_a_run_from_before_a_setting_existed_has_the_settings_of_one_made_since(tmp_path: Path) -> None:
    """They have the same id and belong in one cell, in the store as in the committed copy."""
    make_run(tmp_path, spec(split=0))
    before = make_run(tmp_path, spec(split=1)) / "config.json"
    config = json.loads(before.read_text())
    del config["settings"]["stream"]
    before.write_text(json.dumps(config))
    assert tidy_table.read_runs(tmp_path, "quick").settings.nunique() == 1
    tidy_table.write_measured(tmp_path, "quick", tmp_path / "measured/quick/runs.csv")
    assert tidy_table.read_measured("quick", tmp_path / "measured").settings.nunique() == 1


def test_the_committed_copy_has_the_settings_that_differ_and_reads_as_if_it_had_all(tmp_path: Path) -> None:
    defaults = RunSpec(dataset="boston", method="vi", layers=2, split=0, settings=Settings())
    for run in (defaults, replace(defaults, split=1, settings=Settings(seed=7))):
        make_run(tmp_path, run)
    (make_run(tmp_path, replace(defaults, split=2)) / "config.json").unlink()
    copy = tmp_path / "measured/quick/runs.csv"
    tidy_table.write_measured(tmp_path, "quick", copy)
    assert list(pd.read_csv(copy, keep_default_na=False).settings) == ["{}", '{"seed":7}', ""]
    read = tidy_table.read_measured("quick", tmp_path / "measured").settings
    assert list(read) == list(tidy_table.read_runs(tmp_path, "quick").settings)
    assert [json.loads(text) for text in read[:2]] == [asdict(Settings()), asdict(Settings(seed=7))]
    assert read[2] == "", "lost is not the same as all at their defaults"


def test_no_runs_give_no_rows_but_all_columns(tmp_path: Path) -> None:
    rows = tidy_table.read_runs(tmp_path / "nowhere", "quick")
    assert len(rows) == 0 and tuple(rows.columns) == tidy_table.COLUMNS


def test_torn_and_missing_files_leave_empty_fields_not_errors(tmp_path: Path) -> None:
    torn, no_record, no_config = spec(split=0), spec(split=1), spec(split=2)
    (make_run(tmp_path, torn) / "info.json").write_text('{"metrics": {"rmse": 3')
    (make_run(tmp_path, no_record) / "run.json").unlink()
    (make_run(tmp_path, no_config) / "config.json").write_bytes(b"\x00\x00")
    (tmp_path / "runs/quick/_sources").mkdir()
    (tmp_path / "runs/quick/empty-vi-2-s00-00000000").mkdir()
    rows = tidy_table.read_runs(tmp_path, "quick").set_index("split")
    assert list(rows.index) == [0, 1, 2], "neither Sacred's folder nor an empty one is a run"
    assert rows.status[0] == "STALE" and rows.rmse.isna()[0]
    assert rows.status[1] == "STALE"
    assert rows.status[2] == "COMPLETED" and rows.method[2] == "vi", "the name tells the cell"


def test_running_and_stale_are_told_apart_by_the_holder(tmp_path: Path) -> None:
    make_lock(make_run(tmp_path, spec(split=0), status="RUNNING"))
    make_lock(make_run(tmp_path, spec(split=1), status="RUNNING"), pid=2**22 + 1)
    assert list(tidy_table.read_runs(tmp_path, "quick").status) == ["RUNNING", "STALE"]


def test_curves_of_a_torn_file_are_empty(tmp_path: Path) -> None:
    run = make_run(tmp_path, spec())
    assert list(tidy_table.read_curves(run).step) == [50, 100]
    (run / "metrics.json").write_text('{"rmse": {"steps": [1')
    assert list(tidy_table.read_curves(run).columns) == ["step", "train_seconds", "rmse", "ll", "objective"]
    assert tidy_table.read_curves(run).empty


def test_the_measured_copy_is_read_back_as_it_was_without_naming_the_host(tmp_path: Path) -> None:
    make_run(tmp_path, spec(split=0))
    make_run(tmp_path, spec(split=1), status="FAILED")
    assert tidy_table.write_measured(tmp_path, "quick", tmp_path / "measured/quick/runs.csv") == 1
    back = tidy_table.read_measured("quick", tmp_path / "measured")
    assert back.drop(columns="host").equals(tidy_table.read_runs(tmp_path, "quick").iloc[:1].drop(columns="host"))
    assert "somewhere" not in (tmp_path / "measured/quick/runs.csv").read_text()
    assert tidy_table.read_measured("thesis", tmp_path / "measured").empty


def test_the_measured_copy_keeps_the_curves_of_the_big_data_runs_alone(tmp_path: Path) -> None:
    from dgpexp.report.source import load

    big = spec("airline")
    make_run(tmp_path, spec(split=0))
    make_run(tmp_path, big, experiment="airline+precision=mixed")
    tidy_table.write_measured(tmp_path, "quick", tmp_path / "copy/measured/quick/runs.csv")
    source = load(tmp_path / "copy", "quick")
    assert list(source.curve(big.run_id).step) == [50, 100]
    assert source.curve(spec(split=0).run_id).empty


def test_the_measured_copy_keeps_what_was_run_elsewhere(tmp_path: Path) -> None:
    """Two machines with a run each, one of them made anew: every run once, and the curves of both."""
    here, there, copy = tmp_path / "here", tmp_path / "there", tmp_path / "measured/quick/runs.csv"
    first, second = spec("airline", split=1), spec("airline", split=0)
    for results, run in ((here, first), (there, second), (there, first)):
        make_run(results, run, experiment="airline", command=f"in {results.name}")
        tidy_table.write_measured(results, "quick", copy)
    back = tidy_table.read_measured("quick", tmp_path / "measured")
    assert list(zip(back.split, back.command, strict=True)) == [(0, "in there"), (1, "in there")]
    curves = copy.with_name("curves.csv").read_text()
    assert [curves.count(run.run_id) for run in (first, second)] == [2, 2]


def test_nothing_completed_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no completed runs"):
        tidy_table.write_measured(tmp_path, "quick", tmp_path / "runs.csv")


@pytest.mark.parametrize("text", ["", "a,b\n1,2\n", "step,train_seconds,rmse,ll,objective,run_id\n1,2,x,4,5,r\n"])
def test_curves_that_dgpexp_did_not_write_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "curves.csv").write_text(text)
    with pytest.raises(UserError, match=r"curves\.csv is not a table of runs that dgpexp wrote"):
        tidy_table.read_measured_curves(tmp_path / "curves.csv")
    assert tidy_table.read_measured_curves(tmp_path / "none.csv").empty


@pytest.mark.parametrize("name", ["runs.csv", "runs.parquet"])
def test_a_setting_that_varies_has_a_column(tmp_path: Path, name: str) -> None:
    """In CSV and in Parquet; the JSON of all settings stays, and the file is added to like any other."""
    copy = tmp_path / name
    for points in (50, 100):
        make_run(tmp_path, spec(inducing_points=points, batch_size=10))
        tidy_table.write_measured(tmp_path, "quick", copy)
    written = pd.read_csv(copy) if copy.suffix == ".csv" else pd.read_parquet(copy)
    assert [column for column in written if column.startswith("settings.")] == ["settings.inducing_points"]
    assert sorted(written["settings.inducing_points"]) == [50, 100]
    assert all(json.loads(text)["batch_size"] == 10 for text in written["settings"])


def test_notes_tags_and_code_are_columns_and_tags_select(tmp_path: Path) -> None:
    for split, tags in enumerate((["a"], ["a", "b"], [])):
        run = make_run(tmp_path, spec(split=split), code="1f2e3d4c")
        record = json.loads((run / "run.json").read_text())
        (run / "run.json").write_text(json.dumps({**record, "meta": {"note": "why", "tags": tags}}))
    rows = tidy_table.read_runs(tmp_path, "quick", ["a"])
    assert list(zip(rows.tags, rows.note, rows.code, strict=True)) == [(t, "why", "1f2e3d4c") for t in ("a", "a b")]
    assert len(tidy_table.read_runs(tmp_path, "quick", ["a", "b"])) == 1
    with pytest.raises(UserError, match="no completed runs of profile 'quick' with the tag c"):
        tidy_table.write_measured(tmp_path, "quick", tmp_path / "runs.csv", ["c"])

"""The columns of predictions, and which run a name means."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from dgpexp import tables
from dgpexp.cli import predicted
from dgpexp.errors import UserError
from dgpexp.predictive.classes import Classes
from dgpexp.predictive.mixture import Mixture
from dgpexp.store.stored_run import find_run
from tests.store.folders import make_run, spec


def test_numbers_have_quantiles_and_a_region_as_many_columns_as_the_row_with_most():
    two = Mixture(np.array([[0.0, 5.0], [6.0, 5.0]]), np.ones((2, 2)))
    spread = ["mean", "std", "noise", "ignorance"]
    central = predicted.of_numbers(two, [0.5], 0.9, "central")
    assert list(central) == [*spread, "q0.5", "low", "high"]
    assert list(predicted.of_numbers(two, [], None, "hdr")) == spread
    region = pd.DataFrame(predicted.of_numbers(two, [], 0.9, "hdr"))
    assert list(region) == [*spread, "low_1", "high_1", "low_2", "high_2"]
    assert region.iloc[1].isna().tolist() == [False] * 6 + [True, True], "one mode, one interval"


def test_classes_have_probabilities():
    found = predicted.of_classes(Classes(np.log([[0.2, 0.8]]), ("no", "yes")))
    assert found["class"] == ["yes"] and found["p(no)"] == pytest.approx([0.2])


def test_the_columns_of_a_row_are_kept_and_never_overwritten():
    kept, found = pd.DataFrame({"id": ["a"], "mean": ["7"]}), pd.DataFrame({"mean": [1.0], "std": [2.0]})
    assert predicted.beside(kept, found).to_dict("records") == [
        {"id": "a", "mean": "7", "predicted_mean": 1.0, "std": 2.0}
    ]


def test_no_two_columns_have_one_name():
    kept = pd.DataFrame({"mean": ["7"], "predicted_mean": ["8"]})
    found = predicted.beside(kept, pd.DataFrame({"mean": [1.0], "predicted_predicted_mean": [2.0]}))
    assert len(set(found.columns)) == 4 and list(found.columns[:2]) == ["mean", "predicted_mean"]
    one = Mixture(np.zeros((1, 1)), np.ones((1, 1)))
    assert len(predicted.of_numbers(one, [0.12345678, 0.12345679], None, "central")) == 6


def test_the_name_of_a_table_means_its_final_model(tmp_path: Path):
    for run in (spec("flats-1", split=0), spec("flats-1", split=1)):
        make_run(tmp_path, run)
    with pytest.raises(UserError, match="flats-1 has no model of all rows yet"):
        tables.model_meant(tmp_path, "flats", print)
    final = make_run(tmp_path, spec("flats-1", split=0, all_rows=True))
    said: list[str] = []
    assert tables.model_meant(tmp_path, "flats", said.append)[0].path == final
    assert said == [f"Predicting by {final.name}, the model of all rows in profile quick."]
    split = spec("flats-1", split=1).run_id
    assert tables.model_meant(tmp_path, split, said.append)[0].run_id == split and len(said) == 1


def test_the_best_profile_predicts_and_then_the_newest(tmp_path: Path):
    made = [("quick", 1, "2026-03-01"), ("best", 1, "2026-01-01"), ("best", 2, "2026-02-01")]
    for profile, steps, started in made:
        make_run(tmp_path, spec("flats-1", all_rows=True, max_steps=steps), profile=profile, started=started)
    found, _ = tables.model_meant(tmp_path, "flats", print)
    assert found.path.parent.name == "best" and found.info["started"] == "2026-02-01"


def test_an_older_version_of_a_table_is_not_taken_for_a_newer_one(tmp_path: Path):
    make_run(tmp_path, spec("flats-1", all_rows=True))
    make_run(tmp_path, spec("flats-2", split=0))
    make_run(tmp_path, spec("flats-2", split=1))
    with pytest.raises(UserError, match="'flats' could be flats-1 or flats-2: write more of the name"):
        tables.model_meant(tmp_path, "flats", print)
    with pytest.raises(UserError, match="flats-2 has no model of all rows yet"):
        tables.model_meant(tmp_path, "flats-2", print)
    with pytest.raises(UserError, match="could be 3 runs"):
        find_run(tmp_path, "flats")


@pytest.mark.parametrize("same", ["as it is", "by a link"])
def test_the_input_is_not_overwritten(dgpexp: Any, tmp_path: Path, same: str):
    make_run(tmp_path, spec("flats-1", split=0))
    rows, output = tmp_path / "new.csv", tmp_path / "other.csv"
    rows.write_text("a\n1\n")
    if same == "by a link":
        output.symlink_to(rows)
    to = output if same == "by a link" else rows
    code, out, err = dgpexp("predict", "flats-1", "--input", str(rows), "--output", str(to), "--results", str(tmp_path))
    assert code == 2 and "is the file that is read" in err and out == "" and rows.read_text() == "a\n1\n"

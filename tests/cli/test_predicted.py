"""The columns of predictions, and which run a name means."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from dgpexp.cli import predicted
from dgpexp.errors import UserError
from dgpexp.predictive.classes import Classes
from dgpexp.predictive.mixture import Mixture
from dgpexp.store.stored_run import find_run
from tests.store.folders import make_run, spec


def test_numbers_have_quantiles_and_a_region_as_many_columns_as_the_row_with_most():
    two = Mixture(np.array([[0.0, 5.0], [6.0, 5.0]]), np.ones((2, 2)))
    central = predicted.of_numbers(two, [0.5], 0.9, "central")
    assert list(central) == ["mean", "std", "q0.5", "low", "high"]
    assert list(predicted.of_numbers(two, [], None, "hdr")) == ["mean", "std"]
    region = pd.DataFrame(predicted.of_numbers(two, [], 0.9, "hdr"))
    assert list(region) == ["mean", "std", "low_1", "high_1", "low_2", "high_2"]
    assert region.iloc[1].isna().tolist() == [False] * 4 + [True, True], "one mode, one interval"


def test_classes_have_probabilities():
    found = predicted.of_classes(Classes(np.log([[0.2, 0.8]]), ("no", "yes")))
    assert found["class"] == ["yes"] and found["p(no)"] == pytest.approx([0.2])


def test_the_columns_of_a_row_are_kept_and_never_overwritten():
    kept, found = pd.DataFrame({"id": ["a"], "mean": ["7"]}), pd.DataFrame({"mean": [1.0], "std": [2.0]})
    assert predicted.beside(kept, found).to_dict("records") == [
        {"id": "a", "mean": "7", "predicted_mean": 1.0, "std": 2.0}
    ]


def test_the_name_of_a_table_means_its_final_model(tmp_path: Path):
    for run in (spec("flats-1", split=0), spec("flats-1", split=1)):
        make_run(tmp_path, run)
    with pytest.raises(UserError, match="could be 2 runs"):
        find_run(tmp_path, "flats")
    final = make_run(tmp_path, spec("flats-1", split=0, all_rows=True))
    assert find_run(tmp_path, "flats").path == final and find_run(tmp_path, "flats").final
    assert find_run(tmp_path, spec("flats-1", split=1).run_id).run_id == spec("flats-1", split=1).run_id

"""What decides the data of a run is one object: what loading is told, and the key under which data are kept."""

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

from dgpexp.config import Data, Settings
from dgpexp.datasets import DataChoice, loading
from dgpexp.runs.sessions import Sessions
from tests.store.folders import spec

IN_SETTINGS = {f.name for f in fields(DataChoice)} - {"dataset", "split"}
# of the settings that are not true or false
OTHERWISE: dict[str, Any] = {"rows": 60, "split_list": "random", "likelihood": "poisson"}


def test_every_setting_about_data_is_in_the_choice() -> None:
    """With the name and the default that it has among the settings; and whether y is scaled."""
    choice = DataChoice("boston")
    assert {f.name for f in fields(Data)} | {"likelihood"} == IN_SETTINGS
    assert {name: getattr(choice, name) for name in IN_SETTINGS} == {n: getattr(Settings(), n) for n in IN_SETTINGS}


@pytest.mark.parametrize("name", sorted(IN_SETTINGS | {"dataset", "split"}))
def test_data_that_are_kept_are_never_taken_for_another_choice(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that has just trained on the usual data loads anew whatever is chosen otherwise."""
    usual = spec("sincos", rows=50)
    settings = {"rows": 50, name: OTHERWISE.get(name, True)} if name in IN_SETTINGS else {"rows": 50}
    other = spec("step" if name == "dataset" else "sincos", split=int(name == "split"), **settings)
    asked: list[DataChoice] = []
    generated = DataChoice("sincos", rows=50).load()

    def load(choice: DataChoice) -> Any:
        asked.append(choice)
        return replace(generated, x_train=generated.x_train + len(asked))

    monkeypatch.setattr(loading.DataChoice, "load", load)
    sessions = Sessions()
    first = sessions.load(usual)
    assert sessions.load(usual) is first and len(asked) == 1
    assert sessions.load(other) is not first and asked[1] == DataChoice.of(other) != asked[0]
    assert sessions.identity(other) != sessions.identity(usual), "nor does a checkpoint of one fit the other"


def test_a_choice_loads_what_it_names() -> None:
    whole, part = DataChoice("sincos", 1, rows=50).load(), DataChoice("sincos", 1, rows=50, all_rows=True).load()
    assert (len(whole.x_train), len(part.x_train)) == (45, 50)
    np.testing.assert_array_equal(whole.y_test, loading.load_split("sincos", 1, rows=50).y_test)

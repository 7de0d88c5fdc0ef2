"""The end of `dgpexp run csv`: the same splits for every model, baselines computed once, final models not counted."""

from pathlib import Path

import numpy as np
import pytest

from dgpexp.config import RunSpec, Settings
from dgpexp.reference import baselines as models
from dgpexp.tables.closing import closing_table
from dgpexp.tables.own_table import OwnTable, read_own
from tests.store.folders import make_run


@pytest.fixture
def own(tmp_path: Path, data_folder: Path) -> OwnTable:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    rows = [f"{a},{b},{100 + 10 * a + rng.normal()}" for a, b in x]
    (tmp_path / "flats.csv").write_text("area,floor,rent\n" + "\n".join(rows))
    table = read_own(tmp_path / "flats.csv", "rent")
    table.keep()
    return table


def spec(own: OwnTable, split: int, **settings: object) -> RunSpec:
    chosen = Settings(max_steps=10).change(settings)
    return RunSpec(dataset=own.dataset.name, method="aepmcm", layers=2, split=split, settings=chosen)


def test_results_stand_beside_baselines_with_their_splits_and_the_next_command(own, tmp_path, monkeypatch):
    specs = [spec(own, 0), spec(own, 1), spec(own, 0, all_rows=True), spec(own, 2)]
    for run, rmse in zip(specs[:3], (1.0, 3.0, 0.001), strict=True):
        make_run(tmp_path, run, profile="quick", metrics={"rmse": rmse, "ll": -1.5, "coverage90": 0.9})
    said: list[str] = []
    lines = closing_table(own.dataset, specs, tmp_path, "quick", said.append)
    text = "\n".join(lines)
    assert "predicts best" in lines[0]
    assert lines[2] == f"rent of {own.dataset.name}, 60 rows, 2 inputs: mean (standard error) over 2 splits"
    (ours,) = (line for line in lines if line.lstrip().startswith("AEPMCM 2"))
    assert "2.00 (1.00)" in ours, "the two splits that are complete, and not the model of all rows"
    (linear,) = (line.split() for line in lines[2:] if "a linear model" in line)
    assert 0.5 < float(linear[3]) < 1.5, "the noise has a deviation of 1"
    assert "exact GP" in text and f"dgpexp predict {own.dataset.name} --input NEW.csv" in text
    assert max(map(len, lines[2:9])) <= 80
    assert said == ["Comparing with a linear model, boosted trees, an exact GP and a Matérn GP on 2 splits ..."]
    monkeypatch.setattr(models, "learnt", None)  # what is kept is not computed again
    assert closing_table(own.dataset, specs, tmp_path, "quick", said.append) == lines and len(said) == 1


def test_runs_with_another_s_are_another_line(own, tmp_path):
    specs = [spec(own, 0, train_samples=5), spec(own, 0, train_samples=10)]
    for run, rmse in zip(specs, (1.0, 3.0), strict=True):
        make_run(tmp_path, run, profile="quick", metrics={"rmse": rmse})
    lines = closing_table(own.dataset, specs, tmp_path, "quick", print)
    assert [line.split()[4] for line in lines if "AEPMCM 2" in line] == ["5", "10"]
    assert not any("--input NEW.csv" in line for line in lines) and "without --splits" in lines[-1]


@pytest.mark.parametrize("kept", [b"", b"PK", None])
def test_baselines_that_were_damaged_are_computed_again(own, tmp_path, kept):
    make_run(tmp_path, spec(own, 0), profile="quick", metrics={"rmse": 1.0, "ll": -1.5, "coverage90": 0.9})
    whole = closing_table(own.dataset, [spec(own, 0)], tmp_path, "quick", print)
    path = tmp_path / "baselines" / own.dataset.name / "s00.npz"
    if kept is None:  # arrays of something else
        np.savez(path, other=np.zeros(3))
    else:
        path.write_bytes(kept)
    assert closing_table(own.dataset, [spec(own, 0)], tmp_path, "quick", print) == whole


def test_nothing_is_said_of_nothing(own, tmp_path):
    assert closing_table(own.dataset, [spec(own, 0)], tmp_path, "quick", print) == []


@pytest.mark.parametrize(("rows", "name"), [(500, "an exact GP"), (501, "a sparse GP")])
def test_a_gp_is_named_for_what_it_is(own, rows, name):
    assert name in models.candidates(rows, own.dataset.inputs, 0)

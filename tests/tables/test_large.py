"""A Parquet file of very many rows is read part by part, and is then the table that it would be in memory."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from dgpexp.datasets import DataChoice, load_split
from dgpexp.datasets.sources.folder import data_dir
from dgpexp.datasets.streaming import Rows, in_memory
from dgpexp.errors import UserError
from dgpexp.plan.protocol import Select
from dgpexp.tables.large import Parts
from dgpexp.tables.own_table import read_own
from dgpexp.tables.protocol import table_run

N = 237


def _file(path: Path, **more: np.ndarray) -> Path:
    rng = np.random.default_rng(0)
    columns = {"a": rng.normal(size=N), "b": rng.integers(0, 99, N), "same": np.full(N, 7), "id": np.arange(1, N + 1)}
    columns |= {"y": rng.normal(size=N)} | more
    pyarrow.parquet.write_table(pa.table(columns), path, row_group_size=50)
    return path


@pytest.fixture
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dgpexp.datasets.large.MANY", 100)
    monkeypatch.setattr("dgpexp.blocks.BLOCK", 40)


@pytest.mark.parametrize(
    "target", [{}, {"y": np.arange(N) % 3}, {"y": np.arange(N) % 3 - 1.0}], ids=["number", "classes", "floats"]
)
def test_it_is_the_table_that_it_would_be_in_memory(tmp_path, monkeypatch, target):
    path = _file(tmp_path / "flats.parquet", **target)
    small = read_own(path, "y")
    monkeypatch.setattr("dgpexp.datasets.large.MANY", 100)
    monkeypatch.setattr("dgpexp.blocks.BLOCK", 40)
    large = read_own(path, "y")
    assert isinstance(large.values, Parts)
    np.testing.assert_array_equal(np.concatenate(list(large.values)), small.values)
    assert large.dataset == small.dataset  # its name too, which is made of every number
    assert large.notes[:-1] == small.notes
    assert "237 rows are not read into memory" in large.notes[-1] and str(data_dir()) in large.notes[-1]
    large.keep()
    np.testing.assert_array_equal(np.load(data_dir() / f"{small.dataset.name}.npy"), small.values)


def test_numbers_of_single_precision_are_kept_so(tmp_path, many):
    narrow = {name: np.zeros(N, "f4") + np.arange(N) % 50 * 0.1 for name in ("a", "b", "same", "id", "y")}
    own = read_own(_file(tmp_path / "t.parquet", **{k: v.astype("f4") for k, v in narrow.items()}), "y")
    assert own.values.dtype == np.float32 and own.values.nbytes == N * 5 * 4


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"b": np.array(["x", *["y"] * (N - 1)])}, "turn 'b' .string. into numbers, or leave inputs out by --drop"),
        ({"b": pa.array(np.arange(N) % 3).dictionary_encode()}, "turn 'b' .levels. into numbers"),
        ({"a": np.array([*[1.0] * 200, np.nan, *[2.0] * 36])}, "row 201, column 'a' is missing"),
        ({"a": np.array([*[1.0] * 200, np.inf, *[2.0] * 36])}, "row 201, column 'a' is not a finite number"),
        ({"y": np.full(N, 3.0)}, "the target 'y' is 3 in every row"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_with_its_place(tmp_path, many, more, sentence):
    with pytest.raises(UserError, match=sentence):
        read_own(_file(tmp_path / "t.parquet", **more), "y")
    assert not list(data_dir().glob("t-*"))


def test_a_full_disk_is_refused_before_anything_is_written(tmp_path, many, monkeypatch):
    own = read_own(_file(tmp_path / "t.parquet"), "y")
    data_dir().mkdir(exist_ok=True)
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("", (), {"free": 100}))
    with pytest.raises(UserError, match="GiB left, and the numbers of"):
        own.keep()


def test_its_rows_stay_in_its_file_and_a_tenth_of_them_is_tested(tmp_path, many):
    own = read_own(_file(tmp_path / "t.parquet"), "y")
    own.keep()
    split = load_split(own.dataset.name, 1)
    assert isinstance(split.x_train, Rows) and isinstance(split.y_test, Rows)
    values = np.concatenate(list(own.values))
    rows = {
        row.tobytes() for row in np.column_stack([split.x_scaler.inverse(split.x_test[:]), split.y_test[:]]).round(9)
    }
    assert rows < {row.tobytes() for row in values.round(9)} and len(rows) == N // 10
    np.testing.assert_allclose(split.x_train[:].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(split.y_train[:].std(), 1)
    assert isinstance(in_memory(split).x_train, np.ndarray)
    others = [DataChoice(own.dataset.name, 2), DataChoice(own.dataset.name, 1, all_rows=True)]
    assert len({split.digest, *(choice.load().digest for choice in others)}) == 3
    with pytest.raises(UserError, match="no robust_scaling is possible"):
        load_split(own.dataset.name, 0, robust_scaling=True)


def test_its_runs_are_one_split_tested_on_ten_thousand_rows_and_a_model_of_all(tmp_path, many):
    path = _file(tmp_path / "t.parquet")
    subject = table_run(path, "y", (), None, None, False, None, (), (), (), Select(), "quick")
    first, final = subject.selections(Select(changes={"max_steps": 7}))
    assert first.splits == (0,) and first.changes == {"evaluate_rows": 10_000, "whole_test": False, "max_steps": 7}
    assert final.changes == {**first.changes, "all_rows": True}
    (asked,) = subject.selections(Select(splits=(3,), changes={"evaluate_rows": 5}))
    assert asked.splits == (3,) and asked.changes["evaluate_rows"] == 5

"""Missing cells and dates as a person may have them dealt with, in the training file and in new rows."""

from pathlib import Path

import numpy as np
import pytest

from dgpexp.datasets import load_split, split_indices
from dgpexp.errors import UserError
from dgpexp.tables.new_rows import read_inputs
from dgpexp.tables.own_table import read_own
from tests.tables.test_own_table import ROWS, WORDS, table, with_cell


def holes(path: Path) -> Path:
    """A number is missing in row 3 (1.5 i elsewhere), a word in row 1, the target in row 5."""
    words = [WORDS[0], "NA", *WORDS[2:]]
    return table(path, c=with_cell(""), colour=words, y=[("" if i == 5 else float(i)) for i in range(ROWS)])


def test_rows_with_missing_cells_are_left_out(tmp_path: Path) -> None:
    own = read_own(holes(tmp_path / "t.csv"), "y", missing="drop")
    assert len(own.values) == ROWS - 3
    assert own.values[:, -1].tolist() == [i for i in range(ROWS) if i not in (1, 3, 5)]
    assert "3 of 24 rows are left out, since cells of them are missing." in own.notes


def test_leaving_out_most_of_the_rows_is_shouted_and_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    lines = [f"P{i},{i % 7},{'' if i % 10 else i},2024-01-{1 + i % 28:02d},{i / 7}" for i in range(344)]
    (tmp_path / "t.csv").write_text("name,size,mass,day,y\n" + "\n".join([*lines, ",1,2,2024-02-01,3"]))
    with pytest.raises(UserError) as refusal:
        read_own(tmp_path / "t.csv", "y")
    for option in ("--missing drop", "--missing mean", "--dates", "--drop 'name'"):
        assert option in str(refusal.value)
    own = read_own(tmp_path / "t.csv", "y", ("name",), missing="drop", dates=True)
    assert "WARNING: ONLY 36 OF 345 ROWS ARE LEFT, since 309 lack a cell; 'mass' lacks 309" in own.notes[0]


def test_or_means_of_training_rows_stand_in_and_of_words_a_level_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "data"))
    own = read_own(holes(tmp_path / "t.csv"), "y", missing="mean")
    assert len(own.values) == ROWS - 1, "a row without a target teaches nothing"
    c = own.dataset.features.index("c")
    assert np.argwhere(np.isnan(own.values)).tolist() == [[3, c]]
    own.keep()
    tested = next(number for number in range(99) if 3 in split_indices(ROWS - 1, number)[1])
    assert tested > 0
    for number in (0, tested):
        split, (train, test) = load_split(own.dataset.name, number), split_indices(ROWS - 1, number)
        mean = np.nanmean(own.values[train, c])
        there, x = (train, split.x_train) if 3 in train else (test, split.x_test)
        filled = split.x_scaler.inverse(x)[list(there).index(3), c]
        assert filled == pytest.approx(mean), "not the mean of the test rows too"
        with pytest.raises(UserError, match="leave stream out"):
            load_split(own.dataset.name, number, stream=True)
    assert own.dataset.levels == {"colour": ("blue", "green", "missing", "red")}
    assert own.values[1, own.dataset.features.index("colour=missing")] == 1
    assert "column 'c': 1 missing cell, taken as the mean of the training rows." in own.notes
    assert "column 'colour': 1 missing cell, taken as the level 'missing'." in own.notes


def test_a_hole_in_a_column_of_decimal_commas_leaves_it_a_column_of_numbers(tmp_path: Path) -> None:
    commas = ["" if i == 2 else f"{i},5" for i in range(ROWS)]
    own = read_own(table(tmp_path / "t.csv", ";", c=commas), "y", missing="mean")
    column = own.values[:, own.dataset.features.index("c")]
    assert np.isnan(column[2]) and column[3] == 3.5
    with pytest.raises(UserError, match=r"column 'c' of .* has no value at all"):
        read_own(table(tmp_path / "t.csv", c=""), "y", missing="mean")


def test_a_column_that_is_dropped_may_miss_anything(tmp_path: Path) -> None:
    own = read_own(table(tmp_path / "t.csv", c=with_cell("")), "y", drop=["c"])
    assert len(own.values) == ROWS


def test_new_rows_keep_their_cells_and_may_miss_numbers(tmp_path: Path) -> None:
    path = tmp_path / "new.csv"
    path.write_text("id,a,colour\nr1,1,red\nr2,,red\nr3,3,\n")
    features, levels = ("a", "colour=blue", "colour=missing", "colour=red"), {"colour": ("blue", "missing", "red")}
    with pytest.raises(UserError, match=r"2 missing cells in 2 of 3 rows: 'a' 1 \(line 3\); 'colour' 1 \(line 4\)"):
        read_inputs(path, features, levels)
    x, cells, notes = read_inputs(path, features, levels, "mean")
    np.testing.assert_array_equal(x, [[1, 0, 0, 1], [np.nan, 0, 0, 1], [3, 0, 1, 0]])
    assert cells.columns["id"].to_pylist() == ["r1", "r2", "r3"] and notes[0] == "Not used by the model: id."
    x, cells, notes = read_inputs(path, features, levels, "drop")
    assert x.tolist() == [[1, 0, 0, 1]] and cells.columns["id"].to_pylist() == ["r1"]
    with pytest.raises(UserError, match="'missing' is a level that the training rows do not have"):
        read_inputs(path, ("a", "colour=red"), {"colour": ("blue", "red")}, "mean")


def test_dates_become_numbers_that_mean_something(tmp_path: Path) -> None:
    days = [f"2026-{1 + i % 12:02d}-05 {i:02d}:30" for i in range(ROWS)]
    own = read_own(table(tmp_path / "t.csv", sold=days), "y", dates=True)
    assert own.dataset.features == ("a", "b", "sold.year", "sold.month", "sold.weekday", "sold.hour")
    first = own.values[0, 2:6]
    np.testing.assert_allclose(first, [2026 + 4 / 365.25, 1, 0, 0.5])  # a Monday, half past midnight
    path = tmp_path / "new.csv"
    path.write_text("sold,a,b\n2027-04-01 12:00,1,2\n")
    x, cells, notes = read_inputs(path, own.dataset.features, own.dataset.levels, None, own.dataset.reading)
    np.testing.assert_allclose(x[0], [1, 2, 2027 + 90 / 365.25, 4, 3, 12])
    assert list(cells.columns) == ["sold", "a", "b"] and notes == [], "the cells as they were written"


@pytest.mark.parametrize(
    ("cell", "month"),
    [("{d}/3/2026", 3), ("3/{d}/2026", 3), ("{d}.3.2026", 3), ("{d} March 2026", 3), ("2026/03/{d}", 3)],
)
def test_the_order_of_day_and_month_is_the_columns(tmp_path: Path, cell: str, month: int) -> None:
    days = [cell.format(d=1 + i) for i in range(ROWS)]
    own = read_own(table(tmp_path / "t.csv", sold=days), "y", dates=True)
    assert own.dataset.features[2:] == ("sold.year", "sold.weekday"), "the month is the same in every row"
    assert own.values[0, 2] == pytest.approx(2026 + 59 / 365.25)


def test_an_order_that_cannot_be_known_is_not_guessed(tmp_path: Path) -> None:
    days = [f"{1 + i % 12}/3/2026" for i in range(ROWS)]
    with pytest.raises(
        UserError,
        match=r"'sold' of .*: 1/3/2026 may be written as %d/%m/%Y .2026-03-01. or %m/%d/%Y .2026-01-03.; write",
    ):
        read_own(table(tmp_path / "t.csv", sold=days), "y", dates=True)


def test_times_alone_are_hours_and_missing_dates_are_missing(tmp_path: Path) -> None:
    own = read_own(table(tmp_path / "t.csv", at=[f"{i}:15" for i in range(ROWS)]), "y", dates=True)
    assert own.dataset.features == ("a", "b", "at.hour") and own.values[2, 2] == 2.25
    days = [f"2026-03-{1 + i}" for i in range(ROWS - 1)]
    with pytest.raises(UserError, match=r"'sold' 1 \(line 2\)"):
        read_own(table(tmp_path / "t.csv", sold=["", *days]), "y", dates=True)
    own = read_own(tmp_path / "t.csv", "y", dates=True, missing="drop")
    assert len(own.values) == ROWS - 1

"""The target of a table of one's own: what is taken for classes, what for a quantity, and what is refused."""

from pathlib import Path

import numpy as np
import pytest

from dgpexp.datasets import load_split
from dgpexp.datasets.catalog import find
from dgpexp.errors import UserError
from dgpexp.tables.own_table import read_own
from tests.tables.test_own_table import ROWS, WORDS, table


def test_words_are_classes_in_alphabetical_order(tmp_path: Path) -> None:
    found = read_own(table(tmp_path / "t.csv", y=WORDS), "y")
    assert found.dataset.classes == ("blue", "green", "red") and found.dataset.task.name == "classification"
    np.testing.assert_array_equal(found.values[:4, -1], [2, 1, 0, 2])
    assert "the target 'y' is one of 3 classes (blue, green, red)." in found.notes


def test_a_few_whole_numbers_are_classes_unless_one_says_otherwise(tmp_path: Path) -> None:
    stars = tmp_path / "t.csv"
    stars.write_text("a,y\n" + "".join(f"{i},{(i % 3) * 5 - 5}\n" for i in range(60)))
    found = read_own(stars, "y")
    assert found.dataset.classes == ("-5", "0", "5"), "in the order of the numbers"
    assert any("say --task regression" in note for note in found.notes)
    assert read_own(stars, "y", task="regression").dataset.classes == ()
    many = table(tmp_path / "u.csv", y=[i % 11 for i in range(ROWS)])
    assert read_own(many, "y").dataset.classes == ()
    assert len(read_own(many, "y", task="classification").dataset.classes) == 11
    halves = table(tmp_path / "v.csv", y=[i % 2 / 2 for i in range(ROWS)])
    assert read_own(halves, "y").dataset.classes == (), "0 and 0.5 may be quantities"
    assert read_own(halves, "y", task="classification").dataset.classes == ("0", "0.5")


@pytest.mark.parametrize(
    ("y", "task", "sentence"),
    [
        ("red", None, "the target 'y' is red in every row, so there is nothing to predict"),
        (["violet", *WORDS[1:]], None, "line 2, column 'y': the class 'violet' has this row only"),
        (["", *WORDS[1:]], None, r"has 1 missing cell in 1 of 24 rows: 'y' 1 .line 2."),
        (WORDS, "regression", "line 2, column 'y': 'red' is not a number, which --task regression needs"),
        (
            [*map(str, range(ROWS - 1)), "many"],
            None,
            "'many' is not a number, as most of the target are: correct it, or",
        ),
    ],
    ids=("one class", "one row", "missing", "overruled", "mistyped"),
)
def test_what_cannot_be_told_apart_is_refused(tmp_path: Path, y: object, task: str | None, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        read_own(table(tmp_path / "t.csv", y=y), "y", task=task)


def test_a_few_rows_of_whole_numbers_are_not_taken_for_classes_without_saying_so(tmp_path: Path) -> None:
    few = table(tmp_path / "t.csv", y=[i % 3 for i in range(ROWS)])
    with pytest.raises(UserError, match=r"3 different whole numbers in 24 rows, .* say --task classification or"):
        read_own(few, "y")
    assert read_own(few, "y", task="classification").dataset.classes == ("0", "1", "2")


def test_more_than_fifty_classes_are_too_many(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("a,y\n" + "".join(f"{i % 7},town {i // 2}\n" for i in range(102)))
    with pytest.raises(UserError, match=r"51 different values .* more than the 50 classes"):
        read_own(tmp_path / "t.csv", "y")


def test_splits_keep_the_shares_and_numbers_of_classes_are_not_scaled(tmp_path: Path) -> None:
    found = read_own(table(tmp_path / "t.csv", y=WORDS), "y")
    found.keep()
    assert find(found.dataset.name) == found.dataset
    split = load_split(found.dataset.name, 0)
    assert split.classes == ("blue", "green", "red") and split.task.name == "classification"
    assert np.unique(split.y_train, return_counts=True)[1].min() >= 7
    assert set(split.y_train[:, 0]) == {0.0, 1.0, 2.0} and set(split.y_test) <= {0.0, 1.0, 2.0}


def test_a_test_file_has_the_classes_of_the_training_file(tmp_path: Path) -> None:
    train, test = table(tmp_path / "t.csv", y=WORDS), tmp_path / "new.csv"
    test.write_text("a,b,y\n1,2,green\n3,4,red\n")
    found = read_own(train, "y", (), test)
    np.testing.assert_array_equal(found.values[-2:, -1], [1, 2])
    test.write_text("a,b,y\n1,2,green\n3,4,pink\n")
    with pytest.raises(UserError, match="line 3, column 'y': 'pink' is a class that the training rows do not have"):
        read_own(train, "y", (), test)


def test_other_labels_are_another_data_set(tmp_path: Path) -> None:
    names = [["no", "yes"], ["off", "on"]]
    first, second = (read_own(table(tmp_path / "t.csv", y=[n[i % 2] for i in range(ROWS)]), "y") for n in names)
    assert first.dataset.name != second.dataset.name

"""A table of one's own: what becomes of its columns, what is refused and in which words, and what its name proves."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from dgpexp.datasets import load_split
from dgpexp.datasets.catalog import find
from dgpexp.datasets.kept import kept_tables
from dgpexp.errors import UserError
from dgpexp.tables.own_table import read_own

ROWS = 24


def table(path: Path, separator: str = ",", **columns: object) -> Path:
    """A CSV with inputs a and b, a target y, and `columns` (one value for all rows, or a list of values)."""
    content: dict[str, object] = {"a": [i % 7 for i in range(ROWS)], "b": [i * i / 4 for i in range(ROWS)]}
    content |= {"y": [float(i) for i in range(ROWS)]} | columns
    lists = [v if isinstance(v, list) else [v] * ROWS for v in content.values()]
    lines = [separator.join(content), *(separator.join(map(str, row)) for row in zip(*lists, strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def with_cell(value: object, row: int = 3) -> list[object]:
    """A column of numbers but for one row."""
    return [value if i == row else i * 1.5 for i in range(ROWS)]


WORDS = ["red", "green", "blue"] * (ROWS // 3)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"c": with_cell("")}, r"has 1 missing cell in 1 of 24 rows: 'c' 1 \(line 5\). Fill them in, leave those rows"),
        ({"c": with_cell("NA")}, r"'c' 1 \(line 5\)"),
        ({"c": with_cell("nan")}, r"'c' 1 \(line 5\)"),
        ({"c": ["", *WORDS[1:]]}, r"'c' 1 \(line 2\)"),
        (
            {"c": with_cell(""), "d": ["?"] * 7 + WORDS[7:]},
            r"has 8 missing cells in 7 of 24 rows: 'c' 1 \(line 5\); 'd' 7 \(lines 2, 3, 4, 5, 6, \.\.\.\)",
        ),
        ({"c": with_cell("-inf")}, r"line 5, column 'c' is not a finite number \(-inf\)"),
        ({"c": with_cell("1e999")}, "is not a finite number"),
        ({"c": with_cell("12 kg")}, "line 5, column 'c': '12 kg' is not a number, but most of the column are"),
        ({"c": [f"2026-03-{i + 1:02d}" for i in range(ROWS)]}, r"'c' of .* has dates \(2026-03-01\): turn them into"),
        ({"c": "31.12.2025 23:59"}, "has dates"),
        ({"c": "3/31/26"}, "has dates"),
        ({"c": "2026-01-02T03:04:05Z"}, "has dates"),
        ({"c": "7 March 2026"}, "mean something, by --dates"),
        ({"c": "12:30"}, "has dates"),
        ({"c": [f"customer {i}" for i in range(ROWS)]}, "24 different words .* leave the column out by --drop 'c'"),
        ({"y": with_cell("high")}, "line 5, column 'y': 'high' is not a number, as most of the target are"),
        ({"y": with_cell("?")}, r"'y' 1 \(line 5\)"),
        ({"y": 5}, "the target 'y' is 5 in every row, so there is nothing to predict"),
        ({"a": 1, "b": 2}, "no column left to predict 'y' from"),
        ({" a ": 1}, "two columns named 'a'"),
        ({"": WORDS}, "column 4 has no name in the header line"),
        ({"c": WORDS, "c=red": list(range(ROWS))}, "a column 'c=red' and a level of that name"),
    ],
    ids=lambda value: "" if isinstance(value, str) else "-".join(f"{k}:{str(v)[:12]}" for k, v in value.items()),
)
def test_what_no_model_should_be_trained_on_is_refused(tmp_path: Path, columns: dict, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        read_own(table(tmp_path / "t.csv", **columns), "y")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is empty: it needs a header line"),
        (b"\n\n", "is empty"),
        (b"a,y\n", "has 0 rows: at least 20"),
        (b"a,y\n" + b"1,2\n" * 19, "has 19 rows: at least 20 are needed"),
        (b"a,y\n1,2\n1,2,3\n", "line 3 has 3 cells, the header line 2 .separated by commas."),
        (b"stra\xdfe,y\n1,2\n", "is not UTF-8 text"),
        ("a,y\n1,2\n".encode("utf-16"), "has 1 rows: at least 20"),
        ("a,y\n1,2\n".encode("utf-16-le"), "has NUL characters in it: it is no text, or UTF-16 without its mark"),
        (b"1,2\n3,4\n", r"begins with numbers \(1, 2\): it needs a header line"),
        (b"\x1f\x8b broken", "cannot be read as CSV"),
    ],
    ids=("empty", "blank", "header", "short", "ragged", "latin", "utf16", "utf16-unmarked", "headless", "gzip"),
)
def test_what_is_not_such_a_file_is_refused(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    with pytest.raises(UserError, match=sentence):
        read_own(tmp_path / "t.csv", "y")


def test_no_file_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no file"):
        read_own(tmp_path / "absent.csv", "y")


@pytest.mark.parametrize(
    ("target", "drop", "sentence"),
    [
        (None, (), "say with --target which column to predict; the columns of .* are: a, b, y, Price"),
        ("pricee", (), r"--target pricee: .* has no such column \(did you mean 'Price'\?\); its columns are: a, b"),
        ("y", ("bb",), r"--drop bb: .* \(did you mean 'b'\?\)"),
        ("y", ("y",), "cannot be the target and be dropped"),
    ],
)
def test_columns_are_named_as_they_are(tmp_path: Path, target: str | None, drop: tuple, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        read_own(table(tmp_path / "t.csv", Price=list(range(ROWS))), target, drop)


def test_words_become_one_input_a_level_and_constants_none(tmp_path: Path) -> None:
    yes = ["True", "False"] * (ROWS // 2)
    path = table(tmp_path / "t.csv", **{" colour ": WORDS, "sold": yes, "unit": "kg", "one": 1, "n": list(range(ROWS))})
    found = read_own(path, " y ")
    assert found.dataset.features == ("a", "b", "colour=blue", "colour=green", "colour=red", "sold=True", "n")
    assert found.dataset.levels == {"colour": ("blue", "green", "red"), "sold": ("False", "True")}
    assert found.values[:3, 2:6].tolist() == [[0, 0, 1, 1], [0, 1, 0, 0], [1, 0, 0, 1]]
    assert found.values[:, -1].tolist() == list(range(ROWS)), "the target stands last"
    assert found.notes == (
        "column 'colour' has words, 3 levels (blue, green, red): one-hot, 3 inputs.",
        "column 'sold' has words, 2 levels (False, True): one-hot, 1 input.",
        "column 'unit' is kg in every row: it is left out.",
        "column 'one' is 1 in every row: it is left out.",
        "column 'n' counts the rows: if it means nothing, leave it out by --drop 'n'.",
    )
    assert read_own(path, "y", ["n", "colour"]).dataset.features == ("a", "b", "sold=True")


def test_the_same_table_is_the_same_data_set_however_it_was_saved(tmp_path: Path) -> None:
    usual = read_own(table(tmp_path / "t.csv", c=with_cell(0.5)), "y")
    text = (tmp_path / "t.csv").read_text()
    for content in (
        text.replace(",", ";"),
        text.replace(",", "\t"),
        "\ufeff" + text.replace("\n", "\r\n\r\n"),
        "\n\n" + text.replace(",", " ; "),
        "".join(f"{line},\n" for line in text.splitlines()),
        "".join(f"{i or ''},{line}\n" for i, line in enumerate(text.splitlines())),
        '"' + text.replace(",", '","').replace("\n", '"\n"')[:-1],
        text.replace(",", ";").replace(".", ","),
    ):
        (tmp_path / "t.csv").write_bytes(content.encode())
        again = read_own(tmp_path / "t.csv", "y")
        assert again.dataset == usual.dataset and np.array_equal(again.values, usual.values)
    assert again.notes[0] == "column 'b': decimal comma, 0,0 read as 0."
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(text.encode()))
    assert read_own(tmp_path / "t.csv.gz", "y").dataset == usual.dataset


def test_other_numbers_columns_target_or_test_rows_are_another_data_set(tmp_path: Path) -> None:
    path = table(tmp_path / "My Prïces (2026).csv")
    names = [
        read_own(path, "y").dataset.name,
        read_own(path, "b").dataset.name,
        read_own(path, "y", ["b"]).dataset.name,
    ]
    names.append(read_own(path, "y", (), table(tmp_path / "new.csv")).dataset.name)
    names.append(read_own(table(path, a=[i % 7 + (i == 9) for i in range(ROWS)]), "y").dataset.name)
    names.append(read_own(table(path, b=WORDS), "y").dataset.name)
    names.append(read_own(table(path, b=["rot" if w == "red" else w for w in WORDS]), "y").dataset.name)
    assert len(set(names)) == len(names)
    assert all(name.startswith("my_prices_2026-") for name in names)


def test_a_kept_table_is_found_and_split_by_any_process(tmp_path: Path, data_folder: Path) -> None:
    found = read_own(table(tmp_path / "t.csv", c=WORDS), "y")
    assert not data_folder.exists(), "nothing is written until runs need it"
    found.keep()
    (tmp_path / "t.csv").unlink()
    name = found.dataset.name
    assert find(name) == found.dataset and kept_tables() == [found.dataset]
    split = load_split(name, 1)
    assert (len(split.x_train), len(split.y_test)) == (22, 2) and split.levels == {"c": ("blue", "green", "red")}
    assert not np.array_equal(split.y_test, load_split(name, 2).y_test)
    values = np.load(data_folder / f"{name}.npy")
    values[0, 0] += 1
    np.save(data_folder / f"{name}.npy", values)
    with pytest.raises(UserError, match="`dgpexp run csv FILE --target COLUMN` with the file it was made from"):
        load_split(name, 0)
    found.keep()
    assert len(load_split(name, 0).x_train) == 22


def test_the_rows_of_a_test_file_are_the_test(tmp_path: Path) -> None:
    train, test = table(tmp_path / "t.csv", c=WORDS), tmp_path / "new.csv"
    test.write_text("c;y;a;b;more\ngreen;1.5;2;3;x\nblue;-1;0;1;\n")
    found = read_own(train, "y", (), test)
    found.keep()
    split = load_split(found.dataset.name, 0)
    assert len(split.x_train) == ROWS and split.y_test.tolist() == [1.5, -1.0]
    assert np.allclose(split.x_scaler.inverse(split.x_test), [[2, 3, 0, 1, 0], [0, 1, 1, 0, 0]])
    with pytest.raises(UserError, match="has one split, 0"):
        load_split(found.dataset.name, 1)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a,c,y\n1,red,2\n", "lacks the columns b: it needs the columns of the training file"),
        ("a,b,c\n1,2,red\n", "lacks the columns y"),
        ("a,b,c,y\n", "no rows to test on"),
        ("a,b,c,y\n1,2,pink,3\n", "line 2, column 'c': 'pink' is a level that the training rows do not have"),
        ("a,b,c,y\n1,2,,3\n", r"'c' 1 \(line 2\)"),
        ("a,b,c,y\n1,2,red,high\n", "line 2, column 'y': 'high' is not a number"),
        ("a,b,c,y\n1,many,red,1\n", "line 2, column 'b': 'many' is not a number"),
    ],
    ids=("input", "target", "empty", "level", "missing", "text-target", "text-input"),
)
def test_a_test_file_must_fit_its_training_file(tmp_path: Path, content: str, sentence: str) -> None:
    (tmp_path / "new.csv").write_text(content)
    with pytest.raises(UserError, match=sentence):
        read_own(table(tmp_path / "t.csv", c=WORDS), "y", (), tmp_path / "new.csv")

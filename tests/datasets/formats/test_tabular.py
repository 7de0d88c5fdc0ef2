"""Files as they come: what they are is seen in their first bytes."""

import bz2
import gzip
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from dgpexp.datasets.formats.tabular import read_table
from dgpexp.errors import UserError

NUMBERS = np.array([[1.5, -2.0, 3.0], [4.0, 5e-3, 6.0]])

TEXTS = {
    "comma.csv": '"a","b","c"\n1.5,-2,3\n4,5e-3,6\n',
    "semicolon.csv": '"a b";"b";"c"\n1.5;-2;3\n4;0.005;6\n',
    "bare.txt": "1.5,-2,3\n4,5e-3,6",
    "spaces.data": "   1.5000000e+00  -2.0  3\n   4  5e-3   6\n\n",
    "windows.csv": "\ufeffa,b,c\r\n1.5,-2,3\r\n4,5e-3,6\r\n",
    "x.arff": "% made by hand\n@RELATION t\n\n@ATTRIBUTE a REAL\n@attribute b real\n@DATA\n1.5,-2,3\n4,5e-3,6\n",
    "misnamed.arff": '"a","b","c"\n1.5,-2,3\n4,5e-3,6\n',
}


@pytest.mark.parametrize("name", TEXTS)
def test_text(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(TEXTS[name], encoding="utf-8", newline="")
    np.testing.assert_array_equal(read_table(tmp_path / name), NUMBERS)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress])
def test_packed_text(pack, tmp_path: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(pack(TEXTS["comma.csv"].encode()))
    np.testing.assert_array_equal(read_table(path), NUMBERS)


def test_workbook(tmp_path: Path) -> None:
    """The named sheet; emptied cells at the edges are no numbers."""
    book = openpyxl.Workbook()
    book.active.append(["another sheet"])
    sheet = book.create_sheet("Sheet5")
    for row in (["a", "b", "c"], *NUMBERS.tolist()):
        sheet.append([*row, None])
    sheet.append([None, None, None])
    book.save(tmp_path / "w.xlsx")
    np.testing.assert_array_equal(read_table(tmp_path / "w.xlsx", "Sheet5"), NUMBERS)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"a,b\n1,2\n3,four\n", "not a table of numbers.*'four'.*row 1, column 2"),
        (b"a,b\n1,2\n3\n", "not a table of numbers.*columns"),
        (b"a,b\n1,\n3,4\n", "not a table of numbers"),
        (b"a,b\n1,nan\n3,4\n", "NaN or infinity in data row 1, column 2"),
        (b"a,b\n1,2\n-inf,4\n", "NaN or infinity in data row 2, column 1"),
        (gzip.compress(b"a,b\n" + b"1,2\n" * 10_000, mtime=0)[:-20], "is damaged"),
        (b"\xd0\xcf\x11\xe0 not really a workbook", "cannot be read"),
        (b"\xff\xfe\x00binary", "cannot be read"),
    ],
)
def test_what_is_no_table_of_numbers_is_one_sentence(content: bytes, sentence: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(UserError, match=sentence) as stop:
        read_table(path)
    assert "\n" not in str(stop.value)
    assert str(path) in str(stop.value)

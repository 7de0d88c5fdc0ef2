"""One table, whatever it is kept in, is one data set; what cannot hold a table is refused by its name."""

import bz2
import csv
import io
import json
import lzma
import os
import zipfile
from datetime import datetime, timedelta
from pathlib import Path

import openpyxl
import pytest

from dgpexp.errors import UserError
from dgpexp.tables.own_table import read_own

FIRST = datetime(2024, 3, 1)
ROWS = [
    {"area": 20.5 + k, "city": "Bern, Oslo"[k % 2 :], "let": FIRST + timedelta(k), "rent": 7 * k} for k in range(24)
]
TEXTS = [{name: str(v.date() if name == "let" else v) for name, v in row.items()} for row in ROWS]


def as_text() -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(ROWS[0]))
    writer.writeheader()
    writer.writerows(TEXTS)
    return text.getvalue().encode()


def spreadsheet() -> bytes:
    book, file = openpyxl.Workbook(), io.BytesIO()
    book.active.append(list(ROWS[0]))
    for row in ROWS:
        book.active.append(list(row.values()))
    book.create_sheet("empty")
    book.save(file)
    return file.getvalue()


def zipped(**files: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return file.getvalue()


KEPT_IN = {
    "utf-16": as_text().decode().encode("utf-16"),
    "xlsx": spreadsheet(),
    "json lines": "\n".join(json.dumps(row) for row in TEXTS).encode(),
    "json": json.dumps(TEXTS, indent=1).encode(),
    "zip": zipped(rents=as_text()),
    "bzip2": bz2.compress(as_text()),
    "xz": lzma.compress(as_text()),
}


@pytest.mark.parametrize("kind", KEPT_IN)
def test_the_same_table_in_another_format_is_the_same_data_set(tmp_path: Path, kind: str) -> None:
    def name_of(data: bytes) -> str:
        (tmp_path / "rents").write_bytes(data)
        return read_own(tmp_path / "rents", "rent", dates=True).dataset.name

    assert name_of(KEPT_IN[kind]) == name_of(as_text())


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, as_text())
    os.close(writing)
    assert len(read_own(Path(f"/dev/fd/{reading}"), "rent", dates=True).values) == len(ROWS)
    os.close(reading)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (zipped(a=b"x", b=b"y"), "is a zip archive of 2 files .a, b.: unpack the one that is meant"),
        (zipped(**{"word/document.xml": b""}), "is a Word document: save its table as CSV"),
        (b"\xd0\xcf\x11\xe0....", "is a spreadsheet .\\.xls.: save its table as CSV"),
        (b"<!DOCTYPE html>", "is a web page"),
        (b"\x89HDF....", "is an HDF5 file"),
        (b'{"a": 1}\n{"a": ', "cannot be read as JSON lines, an object a line"),
        (b"[1, 2]", "is JSON, but no list of objects"),
        (b'{"a": [1, 2]}', "'a' holds lists or objects"),
    ],
)
def test_what_is_no_table_is_refused_by_its_name(tmp_path: Path, data: bytes, sentence: str) -> None:
    (tmp_path / "t.csv").write_bytes(data)
    with pytest.raises(UserError, match=sentence):
        read_own(tmp_path / "t.csv", "a")

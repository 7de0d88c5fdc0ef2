"""Files that are no CSV, as CSV: what is packed is unpacked, the rows of a spreadsheet or of JSON are written down.

Every cell becomes text as a person would type it, so that one reader decides what a column means (reading.py).
"""

import bz2
import csv
import gzip
import io
import json
import lzma
import zipfile
import zlib
from collections.abc import Iterable
from datetime import datetime, time
from functools import cache
from pathlib import Path
from typing import Any

from dgpexp.errors import UserError

_PACKED: dict[bytes, Any] = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ": lzma.decompress}
_OTHERS = {
    b"\xd0\xcf\x11\xe0": "a spreadsheet (.xls)", b"ARROW1": "an Arrow file", b"Obj\x01": "an Avro file",
    b"\x89HDF": "an HDF5 file", b"SQLite f": "an SQLite database", b"%PDF": "a PDF", b"\x93NUMPY": "a NumPy array",
    b"7z\xbc\xaf": "a 7-zip archive", b"\x28\xb5\x2f\xfd": "a zstd archive", b"ORC": "an ORC file",
    b"\x80\x04\x95": "a pickle", b"<!DOCTYPE": "a web page", b"<html": "a web page", b"<?xml": "XML",
}  # fmt: skip
_INSIDE = {"word/document.xml": "a Word document", "mimetype": "an OpenDocument file (.ods)"}


def data_of(path: Path) -> bytes:
    """All of a file; of a pipe, which can be read once, what it had."""
    return path.read_bytes() if path.is_file() else _piped(path)


@cache
def _piped(path: Path) -> bytes:
    return path.read_bytes()


def as_csv(path: Path, data: bytes) -> bytes:
    """The text of a table; a format that cannot be one is refused by its name."""
    try:
        for magic, unpack in _PACKED.items():
            if data.startswith(magic):
                return as_csv(path, unpack(data))
        if data.startswith(b"PK") and zipfile.is_zipfile(io.BytesIO(data)):
            return _of_archive(path, zipfile.ZipFile(io.BytesIO(data)), data)
    except (OSError, EOFError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, RuntimeError) as error:
        raise UserError(f"{path} cannot be read as CSV: {error}.") from error
    for magic, kind in _OTHERS.items():
        if data.startswith(magic):
            raise _refused(path, kind)
    if data.lstrip()[:1] in (b"{", b"["):
        return _of_json(path, data)
    return data


def _refused(path: Path, kind: str) -> UserError:
    return UserError(f"{path} is {kind}: save its table as CSV (UTF-8), .xlsx, JSON lines or Parquet first.")


def _of_archive(path: Path, archive: zipfile.ZipFile, data: bytes) -> bytes:
    names = archive.namelist()
    if "xl/workbook.xml" in names:
        return _of_spreadsheet(path, data)
    for inside, kind in _INSIDE.items():
        if inside in names:
            raise _refused(path, kind)
    files = [name for name in names if not name.endswith("/") and not name.startswith("__MACOSX")]
    if len(files) != 1:
        some = ", ".join(files[:3]) + (", ..." if len(files) > 3 else "")
        raise UserError(f"{path} is a zip archive of {len(files)} files ({some}): unpack the one that is meant.")
    return as_csv(path, archive.read(files[0]))


def _of_spreadsheet(path: Path, data: bytes) -> bytes:
    """The only sheet that has rows."""
    import openpyxl

    book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
    sheets = {sheet.title: [row for row in sheet.iter_rows(values_only=True) if any(v is not None for v in row)]
              for sheet in book.worksheets}  # fmt: skip
    filled = {title: rows for title, rows in sheets.items() if rows}
    if len(filled) > 1:
        raise UserError(f"{path} has {len(filled)} sheets ({', '.join(filled)}): save the one that is meant as CSV.")
    return _written(next(iter(filled.values()), []))


def _of_json(path: Path, data: bytes) -> bytes:
    """JSON lines, or one list of objects; numbers as they are written."""
    try:
        text = data.decode("utf-8")
        as_written: dict[str, Any] = {"parse_float": str, "parse_int": str}
        if text.lstrip().startswith("["):
            rows = json.loads(text, **as_written)
        else:
            rows = [json.loads(line, **as_written) for line in text.splitlines() if line.strip()]
    except ValueError as error:
        raise UserError(f"{path} cannot be read as JSON lines, an object a line: {error}.") from error
    if not all(isinstance(row, dict) for row in rows):
        raise UserError(f"{path} is JSON, but no list of objects: it needs one for each row.")
    names = list(dict.fromkeys(name for row in rows for name in row))
    for name in names:
        if any(isinstance(row.get(name), dict | list) for row in rows):
            raise UserError(f"{path}: '{name}' holds lists or objects: give each of their values a name of its own.")
    return _written([names, *([row.get(name) for name in names] for row in rows)])


def _written(rows: Iterable[Iterable[Any]]) -> bytes:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows([_cell(v) for v in row] for row in rows)
    return text.getvalue().encode()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ")
    return str(value)

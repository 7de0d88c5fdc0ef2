"""Whatever file a set is read from, its array is the same."""

import csv
import gzip
from pathlib import Path

import numpy as np
import openpyxl
import pytest

from dgpexp.datasets import CATALOG, checksum, fingerprint, load
from dgpexp.datasets.catalog import find
from dgpexp.datasets.formats.canonical import arrange, read, round_half_up
from dgpexp.errors import UserError
from tests.shared import SHARED, needs_shared

CANONICAL = [name for name, d in CATALOG.items() if d.canonical]


@needs_shared
@pytest.mark.parametrize("name", CANONICAL)
def test_canonical_files_have_their_fingerprint(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGPEXP_DATA", str(SHARED))
    assert checksum(name) == CATALOG[name].fingerprint
    table = load(name)
    assert table.x.shape == (CATALOG[name].rows, CATALOG[name].inputs)
    assert table.y.shape == (CATALOG[name].rows,)
    assert table.x.dtype == table.y.dtype == np.float64


@needs_shared
def test_target_statistics_are_those_of_the_manifest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGPEXP_DATA", str(SHARED))
    for name, mean, std in [("boston", 22.5328, 9.18801), ("energy", 22.3072, 10.0836), ("naval", 0.975, 0.0147196)]:
        y = load(name).y
        np.testing.assert_allclose([y.mean(), y.std()], [mean, std], rtol=1e-5)


def original(name: str, folder: Path) -> Path:
    """A file laid out as UCI's original, made from the canonical one."""
    values = read(find(name), [SHARED / f"{name}.csv.gz"])
    path = folder / find(name).originals[0].name
    if name == "protein":
        np.savetxt(path, np.roll(values, 1, axis=1), fmt="%.17g", delimiter=",", header='"RMSD","F1"', comments="")
    elif name == "naval":  # the turbine's decay stands last
        np.savetxt(path, np.column_stack([values, np.full(len(values), 0.975)]), fmt="%.16e")
    elif name == "wine":
        np.savetxt(path, values, fmt="%.17g", delimiter=";", header='"fixed acidity";"quality"', comments="")
    elif name == "boston":
        np.savetxt(path, values, fmt="%.17g")
    elif name == "kin8nm":
        header = ",".join(f'"{c}"' for c in (*find(name).features, find(name).target))
        np.savetxt(path, values, fmt="%.17g", delimiter=",", header=header, comments="")
    else:
        book = openpyxl.Workbook(write_only=True)
        sheets = [book.create_sheet(f"Sheet{i}") for i in range(1, 6)]
        rows = values.tolist()
        if name == "energy":  # the cooling load stands last; one heating load has three decimals
            rows = [[*row, 20.0] for row in rows]
            rows[30][8] = 6.366
        for row in [["header"] * len(rows[0]), *rows]:
            sheets[4 if name == "power" else 0].append(row)
        book.save(path)
    return path


@needs_shared
@pytest.mark.parametrize("name", ["boston", "energy", "kin8nm", "naval", "power", "protein", "wine"])
def test_originals_give_the_canonical_array(name: str, tmp_path: Path) -> None:
    """`read` compares the fingerprint, so an array that comes back is the right one."""
    values = read(find(name), [original(name, tmp_path)])
    assert fingerprint(values) == CATALOG[name].fingerprint


def test_concrete_is_rounded_as_a_spreadsheet_rounds() -> None:
    """238.05 is 238.0500000000000113..., 98.05 is 98.0499999999999971...: both are halves to a person."""
    halves = np.array([238.05, 98.05, 124.25, 0.0, 540.0])
    np.testing.assert_array_equal(round_half_up(halves, 1), [238.1, 98.1, 124.3, 0, 540])
    np.testing.assert_array_equal(round_half_up(np.array([79.986110756, 6.366]), 2), [79.99, 6.37])


def test_year_keeps_the_order_of_its_file_and_moves_the_target_last() -> None:
    values = np.arange(182.0).reshape(2, 91)
    arranged = arrange(find("year"), values, "here")
    np.testing.assert_array_equal(arranged[:, -1], [0, 91])
    np.testing.assert_array_equal(arranged[:, :-1], values[:, 1:])


HEADER = "CRIM,ZN,INDUS,CHAS,NOX,RM,AGE,DIS,RAD,TAX,PTRATIO,B,LSTAT,MEDV"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEADER.replace(",RM", "") + "\n" + "1," * 12 + "1\n", "has no column RM"),
        (HEADER + "\n" + "1," * 13 + "many\n", "not a table of numbers.*'many'"),
        (HEADER + "\n" + "1," * 13 + "nan\n", "NaN or infinity in data row 1, column 14"),
        (HEADER + "\n" + "1," * 13 + "1\n", "1 rows of 14 columns instead of 506 of 14.*truncated"),
        (HEADER + "\n" + ("1," * 13 + "1\n") * 506, "altered.*checksum"),
        ("", "has no column CRIM"),
    ],
)
@pytest.mark.parametrize("name", ["boston.csv", "boston.csv.gz"])
def test_a_bad_file_in_the_data_folder_is_one_sentence(name: str, text: str, sentence: str, data_folder: Path) -> None:
    data_folder.mkdir()
    (data_folder / name).write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    with pytest.raises(UserError, match=sentence) as stop:
        load("boston")
    assert "\n" not in str(stop.value)
    assert [p.name for p in data_folder.iterdir()] == [name]  # nothing was kept


@needs_shared
def test_columns_are_found_by_name(data_folder: Path) -> None:
    """A canonical CSV may have its columns in another order, and more of them."""
    with gzip.open(SHARED / "boston.csv.gz", "rt") as f:
        rows = list(csv.reader(f))
    data_folder.mkdir()
    with (data_folder / "boston.csv").open("w") as f:
        csv.writer(f).writerows([*row[::-1], "0"] for row in rows)
    assert checksum("boston") == CATALOG["boston"].fingerprint

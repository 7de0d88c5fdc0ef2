"""year: one split, in the order of the file, read from UCI's format."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from dgpexp.datasets import load, load_split
from dgpexp.datasets.catalog import CATALOG, find
from dgpexp.datasets.formats.canonical import read
from dgpexp.datasets.sources.chain import keep, kept, original_in, verify
from dgpexp.datasets.sources.folder import write_cache
from dgpexp.errors import UserError
from tests.shared import SHARED, needs_shared


def uci_format(table: np.ndarray, path: Path) -> Path:
    """[N, 90 + 1] with the year last, written as UCI writes it: the year first, no header."""
    np.savetxt(path, np.roll(table, 1, axis=1), fmt=["%d"] + ["%.5f"] * 90, delimiter=",")
    return path


@needs_shared
def test_the_format_of_uci_gives_the_numbers_of_the_head(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first 1176 rows, written in UCI's format and read by year's way, are year_head to the last bit."""
    monkeypatch.setenv("DGPEXP_DATA", str(SHARED))
    head = load("year_head")
    path = uci_format(np.column_stack([head.x, head.y]), tmp_path / "YearPredictionMSD.txt")
    entry = {**vars(CATALOG["year"]), "rows": 1176, "fingerprint": CATALOG["year_head"].fingerprint}
    values = read(type(CATALOG["year"])(**entry), [path])
    np.testing.assert_array_equal(values[:, -1], head.y)


def test_a_shorter_file_is_refused(tmp_path: Path) -> None:
    path = uci_format(np.ones((10, 91)), tmp_path / "YearPredictionMSD.txt")
    with pytest.raises(UserError, match="10 rows of 91 columns instead of 515345 of 91"):
        read(find("year"), [path])


def test_a_zip_with_another_file_inside_is_refused(tmp_path: Path) -> None:
    text = uci_format(np.ones((10, 91)), tmp_path / "YearPredictionMSD.txt")
    with zipfile.ZipFile(tmp_path / "year.zip", "w") as z:
        z.write(text, "YearPredictionMSD.txt")
    with pytest.raises(UserError, match="another checksum"):
        original_in(find("year"), tmp_path / "year.zip", tmp_path)


def test_the_first_463715_rows_train() -> None:
    """With a table of the full length, but of one input, which is the row number, as is the target."""
    rows = np.arange(515345.0)
    keep(find("year"), np.column_stack([rows, rows]))
    s = load_split("year", 0)
    assert s.x_train.shape == (463715, 1)
    np.testing.assert_array_equal(s.y_test, rows[463715:])
    np.testing.assert_allclose(s.y_scaler.inverse(s.y_train[:, 0]), rows[:463715], atol=1e-6)
    np.testing.assert_allclose(s.x_scaler.mean[0], rows[:463715].mean())


def test_an_array_of_unknown_origin_is_not_taken_for_year() -> None:
    """Without the fingerprint that was written beside it, a cached array proves nothing."""
    write_cache("year", np.zeros((515345, 91), dtype=np.int8))
    assert kept(find("year")) is None
    assert verify(find("year"))[0] == "damaged"

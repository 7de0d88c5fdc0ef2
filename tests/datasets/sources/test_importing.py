"""`data import`: what it takes, what it refuses, what it leaves."""

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest

from dgpexp.datasets import CATALOG, checksum
from dgpexp.datasets.catalog import find
from dgpexp.datasets.sources.chain import verify
from dgpexp.datasets.sources.importing import Finding, import_folder
from dgpexp.errors import UserError
from tests.datasets.formats.test_canonical import original
from tests.datasets.small import zipped
from tests.shared import SHARED, needs_shared


def outcomes(folder: Path) -> dict[str, Finding]:
    return {f.file: f for f in import_folder(folder)}


@pytest.fixture
def incoming(tmp_path: Path) -> Path:
    folder = tmp_path / "incoming"
    folder.mkdir()
    return folder


@needs_shared
def test_all_sets_of_the_shared_folder_are_taken_and_good() -> None:
    found = outcomes(SHARED)
    taken = {f.dataset for f in found.values() if f.outcome == "taken"}
    assert taken == {d.name for d in CATALOG.values() if d.canonical}
    assert all(verify(find(name))[0] == "good" for name in taken)
    assert not [f for f in found.values() if f.outcome == "refused"]
    assert found["boston_splits.npz"].detail.startswith("equal to the 20 splits")
    assert found["rff_folds.npz"].outcome == "left"


@needs_shared
def test_an_original_is_known_by_its_name(incoming: Path) -> None:
    original("energy", incoming)
    assert outcomes(incoming)["ENB2012_data.xlsx"].outcome == "taken"
    assert checksum("energy") == CATALOG["energy"].fingerprint


@needs_shared
@pytest.mark.parametrize("name", ["boston", "protein", "naval"])
def test_a_table_of_any_name_is_known_by_its_numbers(name: str, incoming: Path) -> None:
    """Also a data.txt that is another set's: that is what the published splits call every set."""
    original(name, incoming).rename(incoming / "data.txt")
    (finding,) = outcomes(incoming).values()
    assert (finding.outcome, finding.dataset) == ("taken", name)
    assert checksum(name) == CATALOG[name].fingerprint


@needs_shared
def test_a_zip_and_folders_below(incoming: Path, tmp_path: Path) -> None:
    below = incoming / "UCI CBM Dataset"
    below.mkdir()
    original("naval", below)
    (incoming / "wine.zip").write_bytes(
        zipped(**{"winequality-red_csv": original("wine", tmp_path).read_bytes(), "names_txt": b"..."})
    )
    found = outcomes(incoming)
    assert found["UCI CBM Dataset/data.txt"].dataset == "naval"
    assert found["wine.zip: winequality-red.csv"].dataset == "wine"
    assert verify(find("wine"))[0] == verify(find("naval"))[0] == "good"


@needs_shared
def test_an_altered_and_a_truncated_file_are_refused(incoming: Path, data_folder: Path) -> None:
    text = gzip.decompress((SHARED / "wine.csv.gz").read_bytes())
    (incoming / "wine.csv.gz").write_bytes(gzip.compress(text.replace(b"0.9978", b"0.9979", 1)))
    (incoming / "boston.csv.gz").write_bytes((SHARED / "boston.csv.gz").read_bytes()[:5000])
    (incoming / "airline.npz").write_bytes((SHARED / "airline.npz").read_bytes()[:100_000])
    found = outcomes(incoming)
    assert {f.outcome for f in found.values()} == {"refused"}
    assert "checksum" in found["wine.csv.gz"].detail
    assert "damaged" in found["boston.csv.gz"].detail
    assert "not the airline data" in found["airline.npz"].detail
    assert not data_folder.exists()


@needs_shared
def test_other_splits_are_refused(incoming: Path) -> None:
    with np.load(SHARED / "boston_splits.npz") as z:
        np.savez(incoming / "boston_splits.npz", train=z["train"][::-1], test=z["test"][::-1])
    assert outcomes(incoming)["boston_splits.npz"].outcome == "refused"


def test_what_is_not_ours_is_left(incoming: Path, data_folder: Path) -> None:
    (incoming / "notes.md").write_text("hello")
    (incoming / "table.csv").write_text("a,b\n1,2\n")
    (incoming / "other.zip").write_bytes(zipped(x_csv=b"1,2"))
    assert {f.outcome for f in outcomes(incoming).values()} == {"left"}


def test_a_damaged_zip_is_refused_and_the_rest_goes_on(incoming: Path) -> None:
    body = bytearray(zipped(**{"winequality-red_csv": b"1;2\n" * 100}))
    body[100] ^= 255  # inside the member: its checksum no longer fits
    (incoming / "a.zip").write_bytes(body)
    (incoming / "b.csv").write_text("1,2\n")
    found = outcomes(incoming)
    assert (found["a.zip"].outcome, found["b.csv"].outcome) == ("refused", "left")
    assert "damaged zip" in found["a.zip"].detail


def test_there_must_be_a_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no folder"):
        list(import_folder(tmp_path / "nowhere"))


@needs_shared
def test_a_full_disk_stops_the_import(incoming: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(SHARED / "boston.csv.gz", incoming)
    monkeypatch.setenv("DGPEXP_DATA", "/dev/null/data")
    with pytest.raises(UserError, match="cannot write"):
        list(import_folder(incoming))

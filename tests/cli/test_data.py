"""`dgpexp data` as a person or a script uses it."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dgpexp.datasets import CATALOG
from dgpexp.datasets.kept import digest, own_dataset, write_description
from dgpexp.datasets.table import fingerprint
from tests.shared import SHARED, needs_shared


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DGPEXP_DATA", str(tmp_path / "data"))
    return tmp_path / "data"


def test_list_says_where_a_set_is_or_how_to_get_it(dgpexp: Any, data_folder: Path) -> None:
    code, out, err = dgpexp("data", "list")
    assert code == 0
    assert all(name in out for name in CATALOG)
    assert "506 x 13" in out
    assert "`dgpexp data fetch boston`" in out
    assert f"{data_folder} does not exist yet" in err
    assert not data_folder.exists()


def test_list_of_a_folder_that_is_not_there_is_helpful(dgpexp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGPEXP_DATA", "/nonexistent")
    code, out, err = dgpexp("data", "list")
    assert code == 0
    assert "boston" in out
    assert "/nonexistent does not exist yet: `dgpexp data fetch`" in err


def test_list_as_json(dgpexp: Any) -> None:
    code, out, _ = dgpexp("data", "list", "--json")
    entries = {e["name"]: e for e in json.loads(out)}
    assert code == 0
    assert entries["naval"]["inputs"] == 16
    assert entries["naval"]["here"] is False
    assert entries["wine"]["licence"] == "CC BY 4.0"


@needs_shared
def test_import_and_verify(dgpexp: Any, tmp_path: Path) -> None:
    incoming = tmp_path / "incoming"
    incoming.mkdir()
    for name in ("boston.csv.gz", "boston_splits.npz"):
        shutil.copy(SHARED / name, incoming)
    (incoming / "other.csv").write_text("a,b\n1,2\n")
    code, out, err = dgpexp("data", "import", str(incoming))
    assert code == 0
    assert "taken   boston.csv.gz -> boston (by its checksum)" in out
    assert "left    other.csv" in out
    assert "1 data sets taken" in err
    code, out, err = dgpexp("data", "verify")
    assert (code, err.split(" data sets")[0]) == (0, "1 of 1")
    code, out, _ = dgpexp("data", "verify", "--json", "boston", "wine")
    assert code == 1  # wine was asked for and is not here
    assert [r["status"] for r in json.loads(out)] == ["good", "absent"]


@needs_shared
def test_verify_notices_a_single_wrong_bit(dgpexp: Any, data_folder: Path, tmp_path: Path) -> None:
    (tmp_path / "incoming").mkdir()
    shutil.copy(SHARED / "boston.csv.gz", tmp_path / "incoming")
    dgpexp("data", "import", str(tmp_path / "incoming"))
    kept = bytearray((data_folder / "boston.npy").read_bytes())
    kept[-1] ^= 1
    (data_folder / "boston.npy").write_bytes(kept)
    code, out, _ = dgpexp("data", "verify")
    assert code == 1
    assert "altered or cut short" in out


def test_import_of_nothing_is_a_failure(dgpexp: Any, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    code, _, err = dgpexp("data", "import", str(tmp_path / "empty"))
    assert code == 1
    assert "0 data sets taken" in err


def test_fetch_without_network_goes_on_with_the_others(dgpexp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from dgpexp.datasets.sources.download import Unreachable

    def unreachable(url: str, *args: object) -> None:
        raise Unreachable(f"{url} cannot be reached")

    monkeypatch.setattr("dgpexp.datasets.sources.download.download", unreachable)
    code, out, err = dgpexp("data", "fetch", "--json", "kin8nm", "airline", "sincos")
    assert code == 1
    assert [r["status"] for r in json.loads(out)] == ["failed", "failed", "good"]
    assert "kin8nm could not be obtained" in err
    assert "use airline2008" in err
    assert "Traceback" not in err


@needs_shared
def test_fetch_takes_what_lies_in_the_folder(dgpexp: Any, data_folder: Path) -> None:
    data_folder.mkdir()
    shutil.copy(SHARED / "wine.csv.gz", data_folder)
    code, out, _ = dgpexp("data", "fetch", "wine")
    assert code == 0
    assert "1599" in out
    assert (data_folder / "wine.npy").is_file()


def test_a_folder_that_cannot_be_written_is_one_sentence(dgpexp: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGPEXP_DATA", "/dev/null/data")
    code, _, err = dgpexp("data", "fetch", "concrete")
    assert code == 2
    assert err.count("\n") == 1
    assert err.startswith("dgpexp: cannot write /dev/null/data")


@pytest.fixture
def own_table(data_folder: Path) -> Path:
    """A table of the user's own, as `run csv` keeps it."""
    data_folder.mkdir()
    values = np.arange(12.0).reshape(6, 2)
    about: tuple[Any, ...] = (fingerprint(values), ("area",), "rent", {}, 0)
    name = f"flats-{digest(*about)}"
    np.save(data_folder / f"{name}.npy", values)
    write_description(own_dataset(name, 6, *about[1:3], about[0], *about[3:]))
    return data_folder / f"{name}.npy"


def test_verify_reads_own_tables_too(dgpexp: Any, own_table: Path) -> None:
    code, out, err = dgpexp("data", "verify")
    assert code == 0 and "flats" in out and "1 of 1 data sets" in err


@pytest.mark.parametrize("damaged", [".npy", ".json"])
def test_verify_says_how_a_damaged_table_of_ones_own_comes_back(dgpexp: Any, own_table: Path, damaged: str) -> None:
    own_table.with_suffix(damaged).write_bytes(b"nothing of use")
    code, out, err = dgpexp("data", "verify")
    assert code == 1 and "0 of 1 data sets" in err
    advice = "`dgpexp run csv FILE --target COLUMN` with the file it was made from"
    assert advice in " ".join(out.split()) and "data fetch" not in out


def test_a_file_name_cannot_command_the_terminal(dgpexp: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "\x1b[2Jboston.csv").write_text("a,b\n1,2\n")
    monkeypatch.setattr(sys.stdout.__class__, "isatty", lambda stream: True)
    _, out, err = dgpexp("data", "import", str(tmp_path / "in"))
    assert "\\x1b[2Jboston.csv" in out and "\x1b" not in out + err


@pytest.mark.parametrize("words", [("status", "--profile"), ("run",), ("settings",), ("figures",), ("data", "verify")])
def test_no_word_that_is_refused_can_command_the_terminal(dgpexp: Any, words: tuple[str, ...]) -> None:
    code, out, err = dgpexp(*words, "\x1b]0;mine\x07\x1b[31m")
    assert code and "\x1b" not in out + err and "\x07" not in out + err

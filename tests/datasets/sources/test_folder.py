"""Writing into the data folder: whole or not at all, and one sentence when it cannot be."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dgpexp.datasets.sources.folder import data_dir, read_cache, workshop, write_cache, written_whole
from dgpexp.errors import UserError

VALUES = np.arange(6.0).reshape(2, 3)


def test_a_kept_array_reads_back(data_folder: Path) -> None:
    path = write_cache("t", VALUES)
    assert path == data_folder / "t.npy"
    np.testing.assert_array_equal(read_cache("t"), VALUES)
    assert [p.name for p in data_folder.iterdir()] == ["t.npy"]


def test_pickles_are_never_read(data_folder: Path) -> None:
    data_folder.mkdir()
    np.save(data_folder / "t.npy", np.array([[object()]]), allow_pickle=True)
    assert read_cache("t") is None


def test_a_truncated_array_is_not_read(data_folder: Path) -> None:
    path = write_cache("t", VALUES)
    path.write_bytes(path.read_bytes()[:-8])
    assert read_cache("t") is None


def test_an_error_while_writing_leaves_the_old_file(data_folder: Path) -> None:
    write_cache("t", VALUES)
    with pytest.raises(RuntimeError), written_whole(data_folder / "t.npy") as part:
        part.write_bytes(b"half")
        raise RuntimeError
    np.testing.assert_array_equal(read_cache("t"), VALUES)
    assert [p.name for p in data_folder.iterdir()] == ["t.npy"]


def test_a_full_disk(data_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(UserError, match="No space left on device") as stop:
        write_cache("t", VALUES)
    assert "\n" not in str(stop.value)
    assert list(data_folder.iterdir()) == []


def test_a_limit_on_the_size_of_files_like_a_full_disk(data_folder: Path) -> None:
    """The real thing, without a mock: the kernel refuses to let the file grow."""
    code = (
        "import resource, signal, numpy as np\n"
        "from dgpexp.datasets.sources.folder import write_cache\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
        "write_cache('t', np.zeros((1000, 9)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "UserError: cannot write" in done.stderr
    assert list(data_folder.iterdir()) == []


def test_a_read_only_folder(data_folder: Path) -> None:
    data_folder.mkdir()
    data_folder.chmod(0o555)
    with pytest.raises(UserError, match=r"read-only|denied"):
        write_cache("t", VALUES)
    data_folder.chmod(0o755)
    assert list(data_folder.iterdir()) == []


@pytest.mark.parametrize("where", ["/proc/dgpexp", "/dev/null/data"])
def test_a_folder_that_cannot_be(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGPEXP_DATA", where)
    with pytest.raises(UserError, match=r"cannot write.*DGPEXP_DATA"):
        write_cache("t", VALUES)


def test_the_workshop_keeps_only_what_can_be_continued(data_folder: Path) -> None:
    with workshop("t") as folder:
        (folder / "x.part").write_text("half")
        (folder / "x.xls").write_text("whole")
    assert [p.name for p in folder.iterdir()] == ["x.part"]
    with workshop("t") as folder:
        (folder / "x.part").unlink()
    assert list(data_dir().iterdir()) == []


def test_a_disk_that_fills_in_the_workshop_is_emptied_again() -> None:
    with pytest.raises(UserError, match="No space left"), workshop("t") as folder:
        (folder / "x.part").write_text("half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert list(data_dir().iterdir()) == []

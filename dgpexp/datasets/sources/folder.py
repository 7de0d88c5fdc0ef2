"""The data folder: find it, and write into it so that no file is ever half-written."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from dgpexp.errors import UserError
from dgpexp.files import replacing


def data_dir() -> Path:
    """The data folder: `DGPEXP_DATA`, or `data` in the current folder."""
    return Path(os.environ.get("DGPEXP_DATA") or "data")


def refused(path: Path, error: OSError) -> UserError:
    """The error for a full disk, a read-only folder or an impossible path."""
    return UserError(
        f"cannot write {path} ({error.strerror or error}): free some space or name another folder with DGPEXP_DATA; "
        "nothing was left half-written."
    )


def make_writable(folder: Path) -> Path:
    """Make the folder if need be, and check that it can be written to."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not folder.stat().st_mode & 0o222:  # root may write anyway, but somebody said not to
            raise PermissionError(errno.EROFS, "the folder is read-only")
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise refused(folder, error) from error


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """Use `files.replacing` in the data folder, with its error."""
    make_writable(path.parent)
    try:
        with replacing(path) as part:
            yield part
    except OSError as error:
        raise refused(path, error) from error


def cache_path(name: str) -> Path:
    """Where the parsed array [N, D+1] of a set is kept: plain .npy, which cannot carry code."""
    return data_dir() / f"{name}.npy"


def digest_path(name: str) -> Path:
    """Where the fingerprint of a set is kept if the catalog does not know it."""
    return data_dir() / f"{name}.npy.sha256"


def write_cache(name: str, values: np.ndarray) -> Path:
    """Keep the parsed array; returns where."""
    path = cache_path(name)
    with written_whole(path) as part, part.open("wb") as f:
        np.save(f, values, allow_pickle=False)
    return path


def read_cache(name: str) -> np.ndarray | None:
    """Map the kept array into memory; None if it is absent or not a whole .npy file."""
    try:
        values: np.ndarray = np.load(cache_path(name), mmap_mode="r", allow_pickle=False)
        return values if values.ndim == 2 else None
    except (OSError, ValueError, EOFError):
        return None


@contextmanager
def workshop(name: str) -> Iterator[Path]:
    """A folder for fetching `name`; a second process that wants to fetch waits here until the first is done.

    What is in it goes when the block ends, but for `.part` files, from which a broken download continues.
    """
    import fcntl

    folder = make_writable(data_dir()) / ".downloads" / name
    lock = os.open(data_dir(), os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems cannot lock a folder
            fcntl.flock(lock, fcntl.LOCK_EX)
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    except OSError as error:
        for part in folder.glob("*.part"):
            part.unlink()
        raise refused(data_dir(), error) from error
    finally:
        for path in folder.glob("*"):
            if path.suffix != ".part":
                path.unlink()
        with suppress(OSError):  # not empty: there is something to continue
            folder.rmdir()
            folder.parent.rmdir()
        os.close(lock)

"""The data folder: where it is, and writing into it so that nothing is ever half-written."""

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from dgpexp.errors import UserError


def data_dir() -> Path:
    """`DGPEXP_DATA`, or `data` where you are."""
    return Path(os.environ.get("DGPEXP_DATA") or "data")


@contextmanager
def written_whole(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; it becomes `path` in one step when the block ends well."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.parent.stat().st_mode & 0o222:  # root may write anyway, but somebody said not to
            raise PermissionError(errno.EROFS, "the folder is read-only")
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
        os.close(handle)
    except OSError as error:
        raise UserError(_refused(path, error)) from error
    part = Path(name)
    try:
        yield part
        part.chmod(0o644)  # mkstemp gives 0600: a shared data folder is meant to be read by others
        os.replace(part, path)
    except OSError as error:
        raise UserError(_refused(path, error)) from error
    finally:
        part.unlink(missing_ok=True)


def _refused(path: Path, error: OSError) -> str:
    return (
        f"cannot write {path} ({error.strerror or error}); free some space or name another folder with DGPEXP_DATA, "
        "nothing was left half-written."
    )


def cache_path(name: str) -> Path:
    """Where the parsed array [N, D+1] of a set is kept: plain .npy, which cannot carry code."""
    return data_dir() / f"{name}.npy"


def write_cache(name: str, values: np.ndarray) -> Path:
    """Keep the parsed array; returns where."""
    path = cache_path(name)
    with written_whole(path) as part, part.open("wb") as f:
        np.save(f, values, allow_pickle=False)
        f.flush()
        os.fsync(f.fileno())  # a full disk must be noticed before the rename
    return path


def read_cache(name: str) -> np.ndarray | None:
    """The kept array, mapped rather than read; None if there is none or it is not a whole .npy file."""
    try:
        return np.load(cache_path(name), mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError):
        return None

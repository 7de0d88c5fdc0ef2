"""Writing so that a reader sees the old file or the new one and never a torn one; reading what others may have torn."""

import errno
import json
import math
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from dgpexp.errors import RunFailed


class StoreError(RunFailed):
    """The results folder cannot be written: no later run could be kept either, so the sweep stops."""


@contextmanager
def writable(folder: Path) -> Iterator[None]:
    """Turns the operating system's refusal to write under `folder` into one sentence."""
    try:
        yield
    except OSError as error:
        what = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else error.strerror
        raise StoreError(
            f"cannot write results in {folder} ({what or error}); nothing that was kept is lost: make room or choose "
            "another folder with --results, and run the same command again."
        ) from error


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A temporary path beside `path` to write to; when the block ends well it becomes `path` in one step.

    What `path` links to is replaced, and not the link. A device or a pipe is written to as it is.
    """
    path = path.resolve() if path.is_symlink() else path
    if path.exists() and not path.is_file():
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        yield path
        return
    part = path.with_name(f".{uuid.uuid4().hex[:12]}{path.suffix[:16]}")  # short: the name itself may be of any length
    try:
        yield part
        put_in_place(part, path)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def scratch_folder(parent: Path, prefix: str = ".draft-") -> Iterator[Path]:
    """A new folder in `parent` that is removed however the block ends, even by a Ctrl-C while it is being made."""
    folder = parent / f"{prefix}{uuid.uuid4().hex[:12]}"  # known before it exists, unlike tempfile's
    try:
        folder.mkdir(mode=0o700)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def put_in_place(part: Path, path: Path) -> None:
    """fsync, rename: after a crash `path` holds all of the old bytes or all of the new ones; a full disk shows here."""
    with open(part, "rb+") as f:
        os.fsync(f.fileno())
    os.replace(part, path)


def write_atomically(path: Path, write: Callable[[BinaryIO], object]) -> None:
    with replacing(path) as part, open(part, "wb") as f:
        write(f)


def write_json(path: Path, value: Any) -> None:
    text = json.dumps(plain(value), sort_keys=True, indent=1, allow_nan=False)
    write_atomically(path, lambda f: f.write(text.encode()))


def read_json(path: Path) -> Any:
    """What the file holds, or None if it is missing, torn or not JSON."""
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def plain(value: Any) -> Any:
    """`value` as strict JSON: numpy's scalars become Python's, and what is not finite becomes null."""
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return str(value)

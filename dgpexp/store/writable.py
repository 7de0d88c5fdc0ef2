"""A results folder that cannot be written, in one sentence."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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

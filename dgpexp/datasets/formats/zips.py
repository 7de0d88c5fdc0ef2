"""Small things done to files: their sha256, and the originals inside a zip."""

import hashlib
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import IO

from dgpexp.errors import UserError

MOST_BYTES = 8 << 30  # of all files that are taken from one archive; airline's are 1 GiB


def sha256_of(path: Path) -> str:
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def is_archive(path: Path) -> bool:
    """A zip that is not a workbook or an .npz, which are zips too; of a damaged one, `unpack` says that it is."""
    if not zipfile.is_zipfile(path):
        return False
    try:
        with zipfile.ZipFile(path) as z:
            names = z.namelist()
    except Exception:  # damaged zips fail in many ways
        return True
    return "[Content_Types].xml" not in names and not all(n.endswith(".npy") for n in names)


def unpack(archive: Path, wanted: Iterable[str], folder: Path, left: int = MOST_BYTES) -> list[Path]:
    """The members called one of `wanted`, wherever in the archive (or in zips inside it), copied into `folder`.

    Only the last part of a member's name is used, so no archive can write outside `folder`; and no more than `left`
    bytes are unpacked, whatever it says of its size and whatever is packed in what is packed in it.
    """
    return _unpack(archive, set(wanted), folder, left, deep=3)[0]


def _unpack(archive: Path, wanted: set[str], folder: Path, left: int, deep: int) -> tuple[list[Path], int]:
    """What it found, and how many bytes are left."""
    found: list[Path] = []
    try:
        with zipfile.ZipFile(archive) as z:
            for member in z.namelist():
                name = PurePosixPath(member).name
                if name not in wanted and not (deep and name.lower().endswith(".zip")):
                    continue
                path = folder / name
                with z.open(member) as source, path.open("wb") as target:
                    left -= _copy(source, target, left)
                if name in wanted:
                    found.append(path)
                else:
                    inner, left = _unpack(path, wanted, folder, left, deep - 1)
                    found += inner
                    path.unlink()
    except (UserError, OSError):  # of the disk
        raise
    except Exception as error:
        raise UserError(f"{archive} is a damaged zip ({error or type(error).__name__}); get it again.") from error
    return found, left


def _copy(source: IO[bytes], target: IO[bytes], most: int) -> int:
    """Copy all of it; how many bytes it was."""
    copied = 0
    while block := source.read(1 << 20):
        copied += len(block)
        if copied > most:
            raise UserError(
                f"an archive that unpacks to more than {MOST_BYTES >> 30} GiB is not a data set of the thesis."
            )
        target.write(block)
    return copied

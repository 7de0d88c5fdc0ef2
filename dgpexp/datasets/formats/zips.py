"""Small things done to files: their sha256, and the originals inside a zip."""

import hashlib
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import IO

from dgpexp.errors import UserError

MOST_BYTES = 8 << 30  # of all files that are taken from one archive; airline's are 1 GiB


def sha256_of(path: Path) -> str:
    with path.open("rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()


def is_archive(path: Path) -> bool:
    """A zip that is not a workbook or an .npz, which are zips too."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as z:
        names = z.namelist()
    return "[Content_Types].xml" not in names and not all(n.endswith(".npy") for n in names)


def unpack(archive: Path, wanted: Iterable[str], folder: Path, left: int = MOST_BYTES, deep: int = 3) -> list[Path]:
    """The members called one of `wanted`, wherever in the archive (or in zips inside it), copied into `folder`.

    Only the last part of a member's name is used, so no archive can write outside `folder`; and no more than `left`
    bytes are unpacked, whatever it says of its size.
    """
    wanted = set(wanted)
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
                    found += unpack(path, wanted, folder, left, deep - 1)
                    path.unlink()
    except (zipfile.BadZipFile, EOFError, RuntimeError, zlib.error) as error:  # NotImplementedError is a RuntimeError
        raise UserError(f"{archive} is a damaged zip ({error}); get it again.") from error
    return found


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

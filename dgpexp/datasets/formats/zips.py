"""Small things done to files: their sha256, and the originals inside a zip."""

import hashlib
import shutil
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from dgpexp.errors import UserError


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


def unpack(archive: Path, wanted: Iterable[str], folder: Path) -> list[Path]:
    """The members called one of `wanted`, wherever in the archive (or in a zip inside it), copied into `folder`.

    Only the last part of a member's name is used, so no archive can write outside `folder`.
    """
    wanted = set(wanted)
    found: list[Path] = []
    try:
        with zipfile.ZipFile(archive) as z:
            for member in z.namelist():
                name = PurePosixPath(member).name
                if name not in wanted and not name.lower().endswith(".zip"):
                    continue
                path = folder / name
                with z.open(member) as source, path.open("wb") as target:
                    shutil.copyfileobj(source, target)
                if name in wanted:
                    found.append(path)
                else:
                    found += unpack(path, wanted, folder)
                    path.unlink()
    except (zipfile.BadZipFile, EOFError, RuntimeError) as error:
        raise UserError(f"{archive} is a damaged zip ({error}); get it again.") from error
    return found

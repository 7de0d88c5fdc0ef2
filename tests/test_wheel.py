"""What is installed finds its protocols and published numbers without the repository."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_the_wheel_carries_the_protocols(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", tmp_path, ROOT], check=True)
    (wheel,) = tmp_path.glob("dgpexp-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "installed")
        assert "dgpexp/py.typed" in archive.namelist()
    script = """
from dgpexp import __file__ as where
from dgpexp.resources import published_dir
from dgpexp.plan.protocol import read_protocol, shipped_protocols
print(where, shipped_protocols(), len(read_protocol("uci").runs("thesis")), len(list(published_dir().glob("*.csv"))))
"""
    env = {**os.environ, "PYTHONPATH": str(tmp_path / "installed")}
    done = subprocess.run([sys.executable, "-c", script], env=env, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(str(tmp_path / "installed"))
    assert done.stdout.endswith("['airline', 'classification', 'synthetic', 'uci', 'year'] 1920 6\n")

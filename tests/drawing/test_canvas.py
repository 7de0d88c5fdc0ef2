"""The same drawing gives the same files, whatever the user's matplotlib is set to."""

from pathlib import Path

import matplotlib
import numpy as np

from dgpexp.drawing import canvas


def _draw_and_save(folder: Path) -> dict[str, bytes]:
    with canvas.applied():
        figure, axes = canvas.panels(1, 2, 2.0)
        canvas.band(axes[0, 0], np.arange(3.0), np.arange(3.0), np.ones(3), canvas.BLUE, "mean")
        canvas.note(axes[0, 1], "note")
        canvas.save(figure, folder / "f")
    return {kind: (folder / f"f.{kind}").read_bytes() for kind in ("svg", "pdf", "png")}


def test_files_are_the_same_to_the_last_byte(tmp_path: Path) -> None:
    first = _draw_and_save(tmp_path / "a")
    with matplotlib.rc_context({"font.size": 20, "axes.grid": True, "svg.hashsalt": "another"}):
        second = _draw_and_save(tmp_path / "b")
    assert first == second
    assert b"<dc:date>" not in first["svg"] and b"CreationDate" not in first["pdf"]


def test_the_users_settings_are_left_as_they_were() -> None:
    before = dict(matplotlib.rcParams)
    with canvas.applied():
        assert matplotlib.rcParams["svg.hashsalt"] == "dgpexp"
    assert dict(matplotlib.rcParams) == before


def test_pyplot_is_never_loaded() -> None:
    """It would keep every figure alive and choose a backend for the whole process."""
    import subprocess
    import sys

    names = ("theory.gaussian_processes", "theory.mauna_loa", "deep.priors")  # TensorFlow loads it for itself
    code = (
        f"import importlib, sys; [importlib.import_module('dgpexp.figures.' + n) for n in {names}]; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert "dgpexp.figures.deep.priors" in loaded
    assert "matplotlib.pyplot" not in loaded
    assert "tensorflow" not in loaded  # `dgpexp figures --list` is quick

"""The figures of the documents are made by one command, and show what it draws now."""

import matplotlib.image
import numpy as np
import pytest

from tools import figures


def test_each_figure_of_the_documents_is_made_by_the_command():
    assert {path.stem for path in figures.FOLDER.glob("*.png")} == set(figures.FIGURES)
    assert {path.suffix for path in figures.FOLDER.iterdir()} == {".png"}


@pytest.mark.parametrize("name", ["airline", "power", "ranks", "workers"])
def test_the_figures_of_committed_runs_are_what_these_give(name, tmp_path):
    figures.FIGURES[name](tmp_path / "new.png")
    drawn, shown = map(matplotlib.image.imread, (tmp_path / "new.png", figures.FOLDER / f"{name}.png"))
    assert drawn.shape == shown.shape and np.mean(np.abs(drawn - shown)) < 0.01

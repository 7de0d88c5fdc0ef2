"""The figures of the documents are made by one command, and show what it draws now."""

import matplotlib.image
import numpy as np

from tools import figures


def test_each_figure_of_the_documents_is_made_by_the_command():
    assert {path.stem for path in figures.FOLDER.glob("*.png")} == set(figures.FIGURES)
    assert {path.suffix for path in figures.FOLDER.iterdir()} == {".png"}


def test_the_figure_of_airline_is_that_of_the_committed_runs(tmp_path):
    figures.FIGURES["airline"](tmp_path / "airline.png")
    drawn, shown = (matplotlib.image.imread(folder / "airline.png") for folder in (tmp_path, figures.FOLDER))
    assert drawn.shape == shown.shape and np.mean(np.abs(drawn - shown)) < 0.01

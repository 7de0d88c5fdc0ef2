"""The picture of a user's own table, from predictions whose faults are known."""

import numpy as np
import pandas as pd
import pytest

from dgpexp.drawing import canvas
from dgpexp.figures.diagnostics import SplitPredictions, draw
from dgpexp.predictive.mixture import Mixture

TITLES = ["predicted and actual", "calibration", "residuals", "densities of three rows", "learning"]


def predicted(seed: int, claimed: float = 1.0, lengthscales: int = 3) -> SplitPredictions:
    """Rows with a noise of deviation 1, predicted with a deviation of `claimed`."""
    rng = np.random.default_rng(seed)
    mean = 10 * rng.normal(size=200)
    mixture = Mixture(np.stack([mean, mean]), np.full((2, 200), claimed**2))
    curves = pd.DataFrame({"step": [10, 20], "ll": [-3.0, -2.0]})
    return SplitPredictions(mixture, mean + rng.normal(size=200), curves, np.arange(1.0, 1 + lengthscales))


def test_six_panels_say_what_they_show_over_all_splits():
    with canvas.applied():
        figure = draw([predicted(0), predicted(1)], ["area", "floor", "city=Oslo"], "rent", canvas.BLUE)
    assert [ax.get_title() for ax in figure.axes] == [*TITLES, "relevance of inputs"]
    first, bars = figure.axes[0], figure.axes[5]
    (inside,) = (text.get_text() for text in first.texts)
    assert inside.startswith("400 rows, ") and 86 <= int(inside.split()[2]) <= 94
    assert [label.get_text() for label in bars.get_yticklabels()] == ["area", "floor", "city=Oslo"]
    assert [bar.get_width() for bar in bars.patches] == [1, 2, 3]


@pytest.mark.parametrize(("claimed", "right"), [(1.0, True), (0.4, False)])
def test_the_calibration_leaves_its_band_where_a_model_is_too_sure(claimed, right):
    with canvas.applied():
        ax = draw([predicted(0, claimed)], ["a", "b", "c"], "y", canvas.BLUE).axes[1]
    curve = ax.lines[0].get_ydata()
    level = np.linspace(0, 1, 101)
    band = 2.5 * np.sqrt(level * (1 - level) / 200) + 0.02
    assert np.all(np.abs(curve - level) <= band) == right


def test_a_method_without_lengthscales_says_so():
    with canvas.applied():
        ax = draw([predicted(0, lengthscales=0)], ["a"], "y", canvas.BLUE).axes[5]
    assert [text.get_text() for text in ax.texts] == ["this method has no lengthscales"]

"""The panels of a user's own table, from predictions whose faults are known."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes

from dgpexp.drawing import canvas
from dgpexp.figures.diagnostics.number_panels import NUMBER_PANELS
from dgpexp.figures.diagnostics.panel import Predicted, picture
from tests.figures.diagnostics.made import numbers


def drawn(name: str, tested: Predicted) -> Axes:
    with canvas.applied():
        _, axes = canvas.panels(1, 1, 3)
        (panel,) = (p for p in NUMBER_PANELS if p.name == name)
        panel.draw(axes[0, 0], tested)
    return axes[0, 0]


def texts(ax: Axes) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_one_picture_has_all_panels_under_their_titles():
    with canvas.applied():
        figure = picture(NUMBER_PANELS, numbers())
    shown = [ax.get_title(loc="left") for ax in figure.axes if ax.get_visible()]
    assert shown == [panel.title for panel in NUMBER_PANELS] and len(shown) == 7


def test_nine_in_ten_intervals_of_an_honest_model_hold_their_row():
    (note,) = texts(drawn("actual", numbers()))
    assert note.startswith("400 rows, ") and 86 <= float(note.split()[2]) <= 94


def test_of_very_many_rows_a_part_is_drawn_and_all_are_counted():
    ax = drawn("actual", numbers(n=3000))
    assert texts(ax)[0].startswith("3000 rows, 1000 drawn, ") and len(ax.lines[0].get_xdata()) == 1000


@pytest.mark.parametrize(("claimed", "right"), [(1.0, True), (0.4, False), (3.0, False)])
def test_the_calibration_leaves_its_band_where_a_model_is_too_sure_or_too_modest(claimed, right):
    curve = drawn("calibration", numbers(claimed)).lines[0].get_ydata()
    level = np.linspace(0, 1, 101)
    band = 2.5 * np.sqrt(level * (1 - level) / 400) + 0.02
    assert np.all(np.abs(curve - level) <= band) == right
    if not right:  # as the caption says: steep in its middle where intervals are too wide
        assert (curve[60] - curve[40] > 0.2) == (claimed > 1)


@pytest.mark.parametrize(("apart", "several"), [(0.0, 0), (6.0, 400)])
def test_rows_with_several_modes_are_counted_and_one_is_shown(apart, several):
    legend = drawn("densities", numbers(apart=apart)).get_legend()
    assert legend.get_title().get_text() == f"{several} of 400 rows have several modes"
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["sure", "usual", "unsure"] + ["several modes"] * bool(several)


def test_bars_are_means_over_splits_the_largest_on_top():
    bars = drawn("worth", numbers())
    assert [label.get_text() for label in bars.get_yticklabels()] == ["city", "area"]
    assert [bar.get_width() for bar in bars.patches] == [0.0, 1.0]
    bars = drawn("lengthscales", numbers())
    assert [label.get_text() for label in bars.get_yticklabels()] == ["city=Oslo", "city=Bern", "area"]
    assert [bar.get_width() for bar in bars.patches] == [0.25, 0.5, 1.0]


def test_a_method_without_lengthscales_says_so():
    assert texts(drawn("lengthscales", numbers(lengthscales=np.zeros((2, 0))))) == ["this method has no lengthscales"]


def test_a_dollar_in_a_name_is_a_dollar(tmp_path):
    with canvas.applied(formulas=False):
        named = replace(numbers(), target="price in $, $\\sum", features=("a$b$", "$\\frac$", "c"))
        canvas.save(picture(NUMBER_PANELS, named), tmp_path / "dollars")
    assert "price in $, $\\sum" in (tmp_path / "dollars.svg").read_text()
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".pdf", ".png", ".svg"]

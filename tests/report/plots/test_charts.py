"""Figures: in the thesis's form, one colour and marker a method, fit to stand inside a page."""

import itertools
import re

import matplotlib
import numpy as np
import pandas as pd
import pytest

from dgpexp.drawing import canvas, palette
from dgpexp.predictive.tally import BINS, Tally
from dgpexp.report.plots import charts, class_counts, curves
from dgpexp.report.published import UCI
from dgpexp.report.statistics.comparisons import Ranking
from dgpexp.report.tables import big, regression
from tests.report import sample


def saved(figure, stem, earlier=None):
    with canvas.for_page():
        return canvas.save(figure, stem, earlier)


@pytest.fixture(scope="module")
def dots():
    return charts.dots(regression.grid("rmse", sample.material(sample.uci(2, depths=(2,)))))


def test_a_panel_a_data_set(dots):
    assert tuple(ax.get_title(loc="left") for ax in dots.axes if ax.get_visible()) == UCI


def test_aepmcm_has_brown_diamonds_ours_filled_and_the_thesis_s_hollow(dots):
    lines = [line for line in dots.axes[0].lines if line.get_marker() == "D"]
    assert {line.get_color() for line in lines} == {palette.COLOURS["aepmcm"]}
    assert {line.get_fillstyle() for line in lines} == {"full", "none"}


def test_a_single_split_is_drawn_as_uncertain():
    single = charts.dots(regression.grid("rmse", sample.material(sample.uci(1, depths=(2,)))))
    fills = {line.get_fillstyle() for ax in single.axes for line in ax.lines if line.get_marker() in "osD"}
    assert fills == {"left", "none"}
    keys = [text.get_text() for legend in single.legends for text in legend.get_texts()]
    assert "half filled: ours, of one split (error unknown)" in keys


def test_what_is_far_from_all_others_is_an_arrow_with_its_value_and_does_not_flatten_the_panel():
    rows = sample.uci(20, datasets=("energy",), depths=(2,))
    rows = [r | {"ll": -40.0} if r["method"] == "aep" else r for r in rows]
    energy = charts.dots(regression.grid("ll", sample.material(rows))).axes[2]
    low, high = energy.get_xlim()
    assert high - low < 4
    assert [text.get_text() for text in energy.texts] == ["−40.00"]
    assert "<" in {line.get_marker() for line in energy.lines}


def test_naval_printed_as_zero_is_said_and_not_drawn(dots):
    naval = dots.axes[4]
    assert naval.get_title(loc="right") == "thesis: 0.00"
    assert all(line.get_fillstyle() != "none" for line in naval.lines if line.get_marker() != "None")


def test_the_number_at_the_right_edge_of_a_panel_is_not_cut_off(dots):
    dots.axes[2].set_xlim(0.0585, 0.096)
    dots.canvas.draw()
    last = dots.axes[2].get_xticklabels()[-1]
    assert last.get_text() and last.get_window_extent().x1 < dots.bbox.x1


def test_methods_differ_in_grey():
    def grey(colour):
        return float(np.dot(matplotlib.colors.to_rgb(colour), (0.299, 0.587, 0.114)))

    shades = sorted(grey(c) for c in palette.COLOURS.values())
    assert min(np.diff(shades)) > 0.08
    assert len(set(palette.MARKERS.values())) == len(palette.MARKERS)


def test_curves_have_a_log_axis_and_the_remark():
    curve = pd.DataFrame({"step": [1, 10, 100], "train_seconds": [0.1, 1.0, 10.0], "rmse": [3.0, 2.0, 1.0], "ll": -1.0})
    figure = curves.curves("airline", {("vi", 10): curve, ("aep", None): curve}, None, "means nothing")
    assert [ax.get_xscale() for ax in figure.axes] == ["log", "log"]
    assert "means nothing" in figure.get_suptitle()


def test_late_evaluations_are_drawn_by_their_median_and_the_thesis_inside_the_axes():
    seconds = np.arange(1.0, 1001.0)
    noise = 0.4 * np.random.default_rng(0).standard_normal(1000)
    curve = pd.DataFrame({"train_seconds": seconds, "rmse": 9.0 + noise, "ll": -3.4 + noise})
    grid = big.grid("year", sample.material([]))
    figure = curves.curves("year", {("vi", 10): curve}, grid, "")
    for ax in figure.axes:
        (line,) = (line for line in ax.lines if line.get_label() == "VI-10")
        assert len(line.get_xdata()) <= curves.INTERVALS
        (left, right), (low, high) = ax.get_xlim(), ax.get_ylim()
        hollow = [line for line in ax.lines if line.get_markerfacecolor() == "none"]
        assert len(hollow) == 5
        assert all(left < m.get_xdata()[0] < right and low < m.get_ydata()[0] < high for m in hollow)
    assert max(abs(figure.axes[0].lines[0].get_ydata()[-5:] - 9.0)) < 0.15, "the noise of single evaluations is gone"


def test_published_values_far_from_ours_are_said_and_not_drawn():
    curve = pd.DataFrame({"train_seconds": [1.0, 10.0, 100.0], "rmse": [55.0, 54.0, 53.0], "ll": -4.6})
    rmse = curves.curves("airline", {("vi", 10): curve}, big.grid("airline", sample.material([])), "").axes[0]
    assert [t.get_text() for t in rmse.texts] == ["thesis: 23.22 to 23.55, far below"]
    assert len(rmse.lines) == 1


def test_the_published_values_are_those_of_the_data_set_and_whose_they_are_is_said():
    curve = pd.DataFrame({"train_seconds": [1.0, 10.0], "rmse": [9.0, 8.9], "ll": -3.4})
    figure = curves.curves("airline", {("vi", 10): curve}, big.grid("year", sample.material([])), "", "paper")
    assert all(len(ax.lines) == 1 for ax in figure.axes), "the values of year stand beside airline's curves"
    assert any("value of the paper" in text.get_text() for legend in figure.legends for text in legend.get_texts())


def test_names_are_not_formulas(tmp_path):
    curve = pd.DataFrame({"step": [1], "train_seconds": [1.0], "rmse": [3.0], "ll": [-1.0], "objective": [0.0]})
    for figure in (
        curves.curves("$\\frac$", {("$\\frac$", 10): curve}, None, ""),
        curves.learning("$\\frac$", "vi", curve),
    ):
        assert "$\\frac$" in saved(figure, tmp_path / "figure")


def test_saving_again_reuses_what_has_not_changed(tmp_path):
    ranking = Ranking("ll", ("AEPMCM 2", "VI 2"), (1.2, 1.8), ("boston", "wine"), (5, 5), 1.4, None)
    saved(charts.ranks(ranking), tmp_path / "a" / "f")
    (tmp_path / "a" / "f.png").write_bytes(b"kept")
    saved(charts.ranks(ranking), tmp_path / "b" / "f", tmp_path / "a")
    assert (tmp_path / "b" / "f.png").read_bytes() == b"kept"
    other = Ranking("ll", ("AEPMCM 2", "VI 2"), (1.1, 1.9), ("boston", "wine"), (5, 5), 1.4, None)
    saved(charts.ranks(other), tmp_path / "b" / "f", tmp_path / "a")
    assert (tmp_path / "b" / "f.png").read_bytes() != b"kept"


def test_inline_svg_follows_the_scheme_and_has_a_text(tmp_path):
    ranking = Ranking("ll", ("AEPMCM 2", "VI 2"), (1.2, 1.8), ("boston", "wine"), (5, 5), 1.4, None)
    svg = canvas.inline(saved(charts.ranks(ranking), tmp_path / "f"), "fig", 'ranks "of" <all>')
    assert svg.startswith('<svg role="img" aria-label="ranks &quot;of&quot; &lt;all&gt;"')
    assert (
        '[style*="fill: #6b3108"] { fill: #cf9468 !important }' in svg
        and "fill: #ffffff" not in svg.split("</style>")[1]
    )
    assert all(name.startswith("fig-") for name in re.findall(r'\bid="([^"]+)"', svg))
    assert all(name.startswith("fig-") for name in re.findall(r'href="#([^"]+)"', svg))


def test_a_confusion_matrix_has_room_for_the_names_of_its_classes():
    tally = Tally(("a rather long name of a class", "b"), np.ones((2, 2), int), np.ones((BINS, 3)))
    figure = class_counts.confusion({("vi", 2): tally, ("aep", 2): tally, ("aepmcm", 2): tally})
    renderer = figure.canvas.get_renderer()
    boxes = [ax.get_tightbbox(renderer) for ax in figure.axes if ax.get_visible()]
    assert all(figure.bbox.x0 <= b.x0 and b.x1 <= figure.bbox.x1 and figure.bbox.y0 <= b.y0 for b in boxes)
    assert not any(a.overlaps(b) for a, b in itertools.combinations(boxes, 2))

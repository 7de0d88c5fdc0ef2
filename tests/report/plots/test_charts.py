"""Figures: in the thesis's form, one colour and marker a method, fit to stand inside a page."""

import re

import matplotlib
import numpy as np
import pandas as pd
import pytest

from dgpexp.drawing import style
from dgpexp.report import tables
from dgpexp.report.cells import group
from dgpexp.report.plots import charts
from dgpexp.report.published import UCI, load
from dgpexp.report.statistics.comparisons import Ranking
from tests.report import sample


@pytest.fixture(scope="module")
def dots():
    return charts.dots(tables.regression("rmse", group(sample.frame(sample.uci(2, depths=(2,)))), load()))


def test_a_panel_a_data_set(dots):
    assert tuple(ax.get_title(loc="left") for ax in dots.axes) == UCI


def test_aepmcm_has_brown_diamonds_ours_filled_and_the_thesis_s_hollow(dots):
    lines = [line for line in dots.axes[0].lines if line.get_marker() == "D"]
    assert {line.get_color() for line in lines} == {style.COLOURS["aepmcm"]}
    assert {line.get_markerfacecolor() for line in lines} == {style.COLOURS["aepmcm"], "none"}


def test_naval_printed_as_zero_is_said_and_not_drawn(dots):
    naval = dots.axes[4]
    assert naval.get_title(loc="right") == "thesis: 0.00 everywhere"
    assert all(line.get_markerfacecolor() != "none" for line in naval.lines if line.get_marker() != "None")


def test_methods_differ_in_grey():
    def grey(colour):
        return float(np.dot(matplotlib.colors.to_rgb(colour), (0.299, 0.587, 0.114)))

    shades = sorted(grey(c) for c in style.COLOURS.values())
    assert min(np.diff(shades)) > 0.08
    assert len(set(style.MARKERS.values())) == len(style.MARKERS)


def test_curves_have_a_log_axis_and_the_remark():
    curve = pd.DataFrame({"step": [1, 10, 100], "train_seconds": [0.1, 1.0, 10.0], "rmse": [3.0, 2.0, 1.0], "ll": -1.0})
    figure = charts.curves("airline", {("vi", 10): curve, ("aep", None): curve}, None, "means nothing")
    assert [ax.get_xscale() for ax in figure.axes] == ["log", "log"]
    assert "means nothing" in figure.get_suptitle()


def test_saving_again_reuses_what_has_not_changed(tmp_path):
    ranking = Ranking("ll", ("AEPMCM 2", "VI 2"), (1.2, 1.8), ("boston", "wine"), 1.4, None)
    style.save(charts.ranks(ranking), tmp_path / "a" / "f")
    (tmp_path / "a" / "f.png").write_bytes(b"kept")
    style.save(charts.ranks(ranking), tmp_path / "b" / "f", tmp_path / "a")
    assert (tmp_path / "b" / "f.png").read_bytes() == b"kept"
    other = Ranking("ll", ("AEPMCM 2", "VI 2"), (1.1, 1.9), ("boston", "wine"), 1.4, None)
    style.save(charts.ranks(other), tmp_path / "b" / "f", tmp_path / "a")
    assert (tmp_path / "b" / "f.png").read_bytes() != b"kept"


def test_inline_svg_takes_the_page_s_colours_and_has_a_text(tmp_path):
    ranking = Ranking("ll", ("AEPMCM 2", "VI 2"), (1.2, 1.8), ("boston", "wine"), 1.4, None)
    svg = style.inline(style.save(charts.ranks(ranking), tmp_path / "f"), "fig", 'ranks "of" <all>')
    assert svg.startswith('<svg role="img" aria-label="ranks &quot;of&quot; &lt;all&gt;"')
    assert "var(--aepmcm, #6b3108)" in svg and "var(--ink, " in svg
    assert all(name.startswith("fig-") for name in re.findall(r'\bid="([^"]+)"', svg))
    assert all(name.startswith("fig-") for name in re.findall(r'href="#([^"]+)"', svg))

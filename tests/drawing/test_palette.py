"""An SVG is legible by day and in the dark, and the same file for both."""

import re
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from dgpexp.drawing import canvas
from dgpexp.drawing.palette import IN_THE_DARK, PAPER, follow_scheme


def _contrast(colour: str, paper: str) -> float:
    """The ratio of the accessibility guidelines (WCAG 2): from 1 to 21."""

    def luminance(name: str) -> float:
        rgb = np.array(matplotlib.colors.to_rgb(name))
        return float(np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4) @ (0.2126, 0.7152, 0.0722))

    low, high = sorted((luminance(colour), luminance(paper)))
    return (high + 0.05) / (low + 0.05)


def test_every_line_colour_is_seen_on_dark_paper() -> None:
    colours = {*canvas.LINES, *canvas.METHODS.values(), canvas.RED, canvas.GREY, canvas.BLACK}
    night = {c: _contrast(IN_THE_DARK.get(c, c), IN_THE_DARK[PAPER]) for c in colours}
    assert min(night.values()) > 3, night


@pytest.fixture
def svg(tmp_path: Path) -> str:
    with canvas.applied():
        figure, axes = canvas.panels(1, 1, 2.0)
        axes[0, 0].plot([0, 1], color=canvas.METHODS["aepmcm"], label="aepmcm")
        axes[0, 0].set(title="title", xlabel="x")
        axes[0, 0].legend()
        return canvas.save(figure, tmp_path / "f")


def test_paper_ink_and_lines_have_a_rule_that_print_does_not_see(svg: str) -> None:
    rules = svg[svg.index("@media screen and (prefers-color-scheme: dark)") : svg.index("</style>")]
    assert f'[style*="fill: {PAPER}"]' in rules and f'[style*="fill: {canvas.BLACK}"]' in rules
    assert '[style*="stroke: #6b3108"] { stroke: #cf9468 !important }' in rules
    assert "image {" not in rules and "image {" in follow_scheme(svg.replace("<defs>", "<image/><defs>", 1))


def test_no_text_is_left_to_the_default_black(svg: str) -> None:
    """Letters without a colour of their own could not be exchanged."""
    letters = re.findall(r"<!-- [^>]*-->\s*<g ([^>]*)>", svg)
    assert len(letters) > 5 and all("fill: " in letter for letter in letters)

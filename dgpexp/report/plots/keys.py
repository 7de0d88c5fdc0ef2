"""Keys of the report's figures: what colours, markers and fillings mean."""

from collections.abc import Sequence
from typing import Literal

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dgpexp.drawing.palette import MUTED, colour, marker
from dgpexp.methods import method_name

ROW = 0.2  # inches


def of_methods(methods: Sequence[str]) -> list[Line2D]:
    return [Line2D([], [], ls="none", marker=marker(m), color=colour(m), ms=6, label=method_name(m)) for m in methods]


def sign(label: str, fill: Literal["left", "none"]) -> Line2D:
    """A grey dot, filled as `fill` of matplotlib says, that stands for all methods."""
    return Line2D(
        [], [], ls="none", marker="o", fillstyle=fill, color=MUTED, markerfacecoloralt="none", ms=6, label=label
    )


def write(figure: Figure, rows: Sequence[Sequence[Line2D]], left: float, top: float = 0.1) -> None:
    """Rows of keys, `left` and `top` inches from the corner: a phone shows the left part of a figure first."""
    width, height = figure.get_size_inches()
    for k, row in enumerate(rows):
        figure.legend(
            handles=list(row), loc="upper left", bbox_to_anchor=(left / width, 1 - (top + ROW * k) / height),
            ncols=len(row), frameon=False, borderpad=0, borderaxespad=0, handletextpad=0.4, columnspacing=1.2,
        )  # fmt: skip

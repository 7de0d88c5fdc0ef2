"""One look for all figures: readable in print, told apart by colour-blind people, the same bytes every time."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dgpexp.drawing.dark import follow_scheme
from dgpexp.drawing.palette import COLOURS, INK
from dgpexp.drawing.style import new_figure
from dgpexp.files import replacing

# The palette of Okabe and Ito, in the order in which lines take it.
BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"
RED, GREY, BLACK = "#d55e00", "#7f7f7f", INK
LINES = (BLUE, ORANGE, GREEN, PURPLE, SKY)
METHODS = COLOURS  # a method has the same colour in all figures of a report

_RC: Any = {
    **dict.fromkeys(("axes.edgecolor", "axes.labelcolor", "text.color", "xtick.color", "ytick.color"), INK),
    "axes.labelsize": 9,
    "axes.prop_cycle": cycler(color=LINES),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": 9.5,
    "figure.dpi": 100,
    "font.family": "DejaVu Sans",  # comes with matplotlib: no other machine has another one
    "font.size": 9,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "savefig.dpi": 160,
    "svg.hashsalt": "dgpexp",  # names inside an SVG are otherwise random
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
}
# Without the date and the program's version the same drawing is the same file.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


@contextmanager
def applied(formulas: bool = True) -> Iterator[None]:
    """Draw and save inside this: matplotlib reads some settings when an artist is made, others when it is saved.

    Without `formulas`, a dollar is a dollar: names of somebody's columns may have some.
    """
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a matplotlibrc of the user's must not change our figures
        matplotlib.rcParams.update(_RC | {"text.parse_math": formulas})
        yield


def panels(rows: int, columns: int, height: float, width: float = 7.2, **kwargs: Any) -> tuple[Figure, np.ndarray]:
    """A figure of `width` x `height` inches and its axes [rows, columns]; no pyplot, so nothing global is touched."""
    figure = new_figure(width, height)
    return figure, figure.subplots(rows, columns, squeeze=False, **kwargs)


def save(figure: Figure, folder: Path, stem: str) -> dict[str, str]:
    """Write SVG, PDF and PNG into `folder`; gives their file names by kind."""
    folder.mkdir(parents=True, exist_ok=True)
    names = {kind: f"{stem}.{kind}" for kind in _METADATA}
    figure.draw_without_rendering()  # lays out the panels: once, not once a format
    figure.set_layout_engine("none")
    for kind, name in names.items():
        with replacing(folder / name) as part:
            figure.savefig(part, format=kind, metadata=_METADATA[kind])
            if kind == "svg":
                part.write_text(follow_scheme(part.read_text(encoding="utf-8")), encoding="utf-8")
    return names


def band(axes: Axes, x: np.ndarray, mean: np.ndarray, deviation: np.ndarray, colour: str, label: str | None) -> None:
    """A mean and the central 95 % of a Gaussian around it."""
    axes.fill_between(x, mean - 1.96 * deviation, mean + 1.96 * deviation, color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, mean, color=colour, label=label)


def note(axes: Axes, text: str, x: float = 0.98, y: float = 0.97) -> None:
    """A line of text in the panel's corner (right or left by x, top or bottom by y)."""
    ha, va = "right" if x > 0.5 else "left", "top" if y > 0.5 else "bottom"
    axes.text(x, y, text, transform=axes.transAxes, fontsize=8, ha=ha, va=va)

"""One look for all figures: readable in print, safe for colour-blind readers, the same bytes every time."""

import io
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

from dgpexp.drawing.palette import COLOURS, FAINT, INK, MUTED, PAPER, follow_scheme
from dgpexp.files import replacing

# The palette of Okabe and Ito, in the order in which lines take it.
BLUE, ORANGE, GREEN, PURPLE, SKY = "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9"
RED, GREY, BLACK = "#d55e00", "#7f7f7f", INK
LINES = (BLUE, ORANGE, GREEN, PURPLE, SKY)
METHODS = COLOURS  # a method has the same colour in all figures of a report
KINDS = ("svg", "pdf", "png")

_RC: Any = {
    **dict.fromkeys(("axes.labelcolor", "axes.titlecolor", "text.color", "xtick.labelcolor", "ytick.labelcolor"), INK),
    **dict.fromkeys(("axes.edgecolor", "xtick.color", "ytick.color"), MUTED),
    "axes.axisbelow": True,
    "axes.facecolor": "none",
    "axes.labelsize": 9,
    "axes.prop_cycle": cycler(color=LINES),
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "figure.dpi": 100,
    "figure.facecolor": PAPER,
    "font.family": "DejaVu Sans",  # comes with matplotlib, so every machine has it
    "font.size": 9,
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "pdf.fonttype": 42,
    "savefig.dpi": 160,
    "svg.hashsalt": "dgpexp",  # names inside an SVG are otherwise random
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
}
# Without the date and the program's version the same drawing is the same file.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "ModDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


@contextmanager
def applied(formulas: bool = True, text: bool = False) -> Iterator[None]:
    """Draw and save inside this: matplotlib reads some settings when an artist is made, others when it is saved.

    Without `formulas`, a dollar is a dollar: users name columns with dollars. With `text`, letters of an SVG stay text,
    which a page shows in its own font; otherwise they are outlines, which look the same everywhere.
    """
    with matplotlib.rc_context():
        matplotlib.rcdefaults()  # a matplotlibrc of the user's must not change our figures
        matplotlib.rcParams.update(_RC | {"text.parse_math": formulas, "svg.fonttype": "none" if text else "path"})
        yield


@contextmanager
def for_page() -> Iterator[None]:
    """The look of a figure inside a page, as a context or a decorator of the function that draws it."""
    with applied(formulas=False, text=True):
        yield


def new_figure(width: float, height: float) -> Figure:
    """A figure laid out by matplotlib, without pyplot and its global state."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def panels(rows: int, columns: int, height: float, width: float = 7.2, **kwargs: Any) -> tuple[Figure, np.ndarray]:
    """A figure of `width` x `height` inches and its axes [rows, columns]."""
    figure = new_figure(width, height)
    return figure, figure.subplots(rows, columns, squeeze=False, **kwargs)


def framed(
    size: tuple[float, float],
    shape: tuple[int, int],
    margins: tuple[float, float, float, float],
    gaps: tuple[float, float] = (0.0, 0.0),
) -> tuple[Figure, np.ndarray]:
    """A figure with known margins and its axes [rows, columns]: searching for margins costs as much as drawing.

    All in inches; margins are left, right, bottom, top.
    """
    (width, height), (rows, columns), (left, right, bottom, top) = size, shape, margins
    figure = Figure(figsize=size)
    FigureCanvasAgg(figure)
    inner = (width - left - right - gaps[0] * (columns - 1)) / columns
    tall = (height - bottom - top - gaps[1] * (rows - 1)) / rows
    frame = {"left": left / width, "right": 1 - right / width, "bottom": bottom / height, "top": 1 - top / height}
    spaces = {"wspace": gaps[0] / inner, "hspace": gaps[1] / tall}
    return figure, figure.subplots(rows, columns, squeeze=False, gridspec_kw={**frame, **spaces})


def save(figure: Figure, stem: Path, earlier: Path | None = None) -> str:
    """Write `stem`.svg, .pdf and .png, the same bytes every time; returns the SVG's text.

    If the folder `earlier` has the same SVG, its PDF and PNG are copied instead of drawn.
    """
    figure.draw_without_rendering()  # lays out the panels once, not once per format
    figure.set_layout_engine("none")
    stem.parent.mkdir(parents=True, exist_ok=True)
    files = {kind: stem.with_name(f"{stem.name}.{kind}") for kind in KINDS}
    drawn = io.StringIO()
    figure.savefig(drawn, format="svg", metadata=_METADATA["svg"])
    svg = follow_scheme(drawn.getvalue())
    with replacing(files["svg"]) as part:
        part.write_text(svg, encoding="utf-8")
    if earlier is None or not _copied(files, earlier):
        for kind in ("pdf", "png"):
            with replacing(files[kind]) as part:
                figure.savefig(part, format=kind, metadata=_METADATA[kind])
    return svg


def _copied(files: dict[str, Path], earlier: Path) -> bool:
    try:
        if (earlier / files["svg"].name).read_bytes() != files["svg"].read_bytes():
            return False
        for kind in ("pdf", "png"):
            shutil.copyfile(earlier / files[kind].name, files[kind])
    except OSError:
        return False
    return True


def inline(svg: str, name: str, alt: str) -> str:
    """The SVG as part of a page: ids of its own, a text for those who cannot see it, and no paper."""
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{name}-\1"', svg)
    svg = re.sub(r'(xlink:href|href)="#([^"]+)"', rf'\1="#{name}-\2"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{name}-\1)", svg)
    svg = svg.replace(f'style="fill: {PAPER}"', 'style="fill: none"')  # the page has a sheet of its own
    width, height = (float(re.search(rf'<svg[^>]* {side}="([\d.]+)pt"', svg)[1]) for side in ("width", "height"))  # type: ignore[index]
    head = f'<svg role="img" aria-label="{_attribute(alt)}" viewBox="0 0 {width:g} {height:g}" '
    body = svg[svg.index(">", svg.index("<svg")) + 1 :]
    return head + f'style="--width:{width:g}pt" xmlns:xlink="http://www.w3.org/1999/xlink">' + body


def _attribute(text: str) -> str:
    return text.replace("&", "&amp;").replace('"', "&quot;").replace("<", "&lt;").replace(">", "&gt;")


def band(axes: Axes, x: np.ndarray, mean: np.ndarray, deviation: np.ndarray, colour: str, label: str | None) -> None:
    """A mean and the central 95 % of a Gaussian around it."""
    axes.fill_between(x, mean - 1.96 * deviation, mean + 1.96 * deviation, color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, mean, color=colour, label=label)


def dots(axes: Axes, x: np.ndarray, y: np.ndarray, colour: str) -> None:
    """Very many small dots, as one line of short dashes: it follows a page's scheme, which an image could not."""
    ends = np.stack([x, x + 1e-3 * np.ptp(x), np.full_like(x, np.nan)], axis=-1)
    axes.plot(ends.ravel(), np.repeat(y, 3), color=colour, linewidth=1.5, solid_capstyle="round")


def note(axes: Axes, text: str, x: float = 0.98, y: float = 0.97) -> None:
    """A line of text in the panel's corner (right or left by x, top or bottom by y)."""
    ha, va = "right" if x > 0.5 else "left", "top" if y > 0.5 else "bottom"
    axes.text(x, y, text, transform=axes.transAxes, ha=ha, va=va)


def note_below(axes: Axes, text: str) -> None:
    """A remark in room of its own, below everything drawn so far."""
    low, high = axes.get_ylim()
    axes.set_ylim(low - 0.12 * (high - low), high)
    few_ticks(axes)
    note(axes, text, y=0.03)


def few_ticks(axes: Axes) -> None:
    """So few ticks along x that the names of large numbers do not meet."""
    axes.xaxis.set_major_locator(MaxNLocator(5))


def plain_decades(axis: Axis) -> None:
    """0.1, 1, 10, ... on a logarithmic axis; where it has few of them, 1, 2, 5 as well."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1.0,) if high > 200 * low else (1.0, 2.0, 5.0)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())

"""How the report's figures look, are laid out and saved, and stand inside a page."""

import io
import re
import shutil
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dgpexp.drawing.dark import follow_scheme
from dgpexp.drawing.palette import FAINT, INK, MUTED, PAPER

RC: Any = {
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "text.color": INK,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11.0,
    "axes.titleweight": "normal",  # one font in a PDF: embedding it costs more than drawing
    "axes.titlelocation": "left",
    "grid.color": FAINT,
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "figure.facecolor": PAPER,
    "axes.facecolor": "none",
    "svg.fonttype": "none",
    "svg.hashsalt": "dgpexp",
    "pdf.fonttype": 42,
    "axes.unicode_minus": True,
    "text.parse_math": False,  # a dollar in the name of somebody's data set or method is a dollar
}


def new_figure(width: float, height: float) -> Figure:
    """A figure that belongs to nobody else (no pyplot, no global state), laid out by matplotlib."""
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def panels(
    size: tuple[float, float],
    shape: tuple[int, int],
    margins: tuple[float, float, float, float],
    gaps: tuple[float, float] = (0.0, 0.0),
) -> tuple[Figure, np.ndarray]:
    """A figure with known margins and its axes [rows, columns]: searching for margins would cost as much as drawing.

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
    """`stem`.svg, .pdf and .png, the same bytes every time; returns the SVG's text.

    Where the folder `earlier` has the same SVG, its PDF and PNG are the same too and are not made again.
    """
    with mpl.rc_context(RC):
        drawn = io.StringIO()
        figure.savefig(drawn, format="svg", metadata={"Date": None, "Creator": "dgpexp"})
        svg = follow_scheme(drawn.getvalue())
        stem.parent.mkdir(parents=True, exist_ok=True)
        files = {kind: stem.with_name(f"{stem.name}.{kind}") for kind in ("svg", "pdf", "png")}
        files["svg"].write_text(svg, encoding="utf-8")
        if earlier is None or not _reused(files, earlier):
            plain = {"CreationDate": None, "Creator": "dgpexp", "Producer": None}
            figure.savefig(files["pdf"], format="pdf", metadata=plain)
            figure.savefig(files["png"], format="png", dpi=160, metadata={"Software": "dgpexp"})
    return svg


def _reused(files: dict[str, Path], earlier: Path) -> bool:
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

"""The colours of all figures, by day and in the dark, a marker for each method, and the keys that explain them.

The colours differ in lightness, so that they survive a greyscale printer, and are safe for the common kinds of colour
blindness; the markers differ as well, so colour is never the only cue.
"""

from collections.abc import Sequence
from typing import Literal

from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dgpexp.methods import METHODS, method_name

COLOURS = {name: method.colour for name, method in METHODS.items()}
MARKERS = {name: method.marker for name, method in METHODS.items()}
ROW = 0.2  # inches of a row of keys
_SHAPES = {"o": "border-radius: 50%;", "D": "transform: rotate(45deg) scale(0.9);"}  # of the dot beside a name
PAPER, BLACK = "#ffffff", "#000000"  # as matplotlib writes them
INK = "#1a1b1e"
MUTED = "#6b7079"
FAINT = "#d5d8dd"
# What is not named here is bright enough on dark paper, and dark enough on white.
IN_THE_DARK = {
    PAPER: "#1c1f24", BLACK: "#e9e7e2", INK: "#e9e7e2", MUTED: "#a3a9b3", FAINT: "#353a42",
    **{method.colour: method.dark for method in METHODS.values()},
}  # fmt: skip


def colour(method: str) -> str:
    return COLOURS.get(method, "#999999")  # of a method that is registered no more


def marker(method: str) -> str:
    return MARKERS.get(method, "P")


def follow_scheme(svg: str) -> str:
    """The SVG of matplotlib with its colours exchanged where the reader prefers a dark scheme, but not on paper.

    The SVG carries the rules itself: opened as a file, as an image of a page, or inside one. Programs that know no
    media queries show the colours by day.
    """
    rules = [
        f'[style*="{part}: {day}"] {{ {part}: {night} !important }}'  # stronger than the element's own style
        for day, night in IN_THE_DARK.items()
        for part in ("fill", "stroke")
        if f"{part}: {day}" in svg
    ]
    if "<image" in svg:  # rasterised: lightness turned around, hues kept
        rules.append("image { filter: invert(0.9) hue-rotate(180deg) }")
    start = svg.index(">", svg.index("<svg")) + 1
    media = "screen and (prefers-color-scheme: dark)"
    style = f'\n <style type="text/css">@media {media} {{\n  ' + "\n  ".join(rules) + "\n }</style>"
    return svg[:start] + style + svg[start:]


def style_sheet() -> str:
    """For a page: a variable per method, its dark twin, and the dot that stands beside its name."""
    light = " ".join(f"--{name}: {method.colour};" for name, method in METHODS.items())
    dark = " ".join(f"--{name}: {method.dark};" for name, method in METHODS.items())
    dots = "\n".join(
        f".dot.{name} {{ background: var(--{name}); {_SHAPES.get(method.marker, '')} }}"
        for name, method in METHODS.items()
    )
    return f":root {{ {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n{dots}\n"


def keys_of(methods: Sequence[str]) -> list[Line2D]:
    return [Line2D([], [], ls="none", marker=marker(m), color=colour(m), ms=6, label=method_name(m)) for m in methods]


def sign(label: str, fill: Literal["left", "none"]) -> Line2D:
    """A grey dot, filled as `fill` of matplotlib says, that stands for all methods."""
    return Line2D(
        [], [], ls="none", marker="o", fillstyle=fill, color=MUTED, markerfacecoloralt="none", ms=6, label=label
    )


def write_keys(figure: Figure, rows: Sequence[Sequence[Line2D]], left: float, top: float = 0.1) -> None:
    """Rows of keys, `left` and `top` inches from the corner: a phone shows the left part of a figure first."""
    width, height = figure.get_size_inches()
    for k, row in enumerate(rows):
        figure.legend(
            handles=list(row), loc="upper left", bbox_to_anchor=(left / width, 1 - (top + ROW * k) / height),
            ncols=len(row), frameon=False, borderpad=0, borderaxespad=0, handletextpad=0.4, columnspacing=1.2,
        )  # fmt: skip

"""The colours of all figures, by day and in the dark, and a marker for each method.

The colours differ in lightness, so that they survive a greyscale printer, and are safe for the common kinds of colour
blindness; the markers differ as well, so colour is never the only cue.
"""

from dgpexp.methods import METHODS

COLOURS = {name: method.colour for name, method in METHODS.items()}
MARKERS = {name: method.marker for name, method in METHODS.items()}
_OTHERS = ("#cc79a7", "#009e73", "#56b4e9", "#999999")  # methods that the thesis does not know
_OTHER_MARKERS = ("^", "v", "P", "X")
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
    return COLOURS.get(method) or _OTHERS[sum(map(ord, method)) % len(_OTHERS)]


def marker(method: str) -> str:
    return MARKERS.get(method) or _OTHER_MARKERS[sum(map(ord, method)) % len(_OTHER_MARKERS)]


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

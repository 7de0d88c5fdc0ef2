"""The colours of all figures, by day and in the dark, and a marker per method.

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

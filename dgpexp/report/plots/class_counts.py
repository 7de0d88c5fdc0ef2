"""Reliability diagrams and confusion matrices of the cells of classification, from the counts that runs recorded."""

import json
from collections.abc import Callable, Iterable
from functools import reduce
from operator import add
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.drawing.palette import colour
from dgpexp.figures.diagnostics import class_panels
from dgpexp.methods import METHODS, method_name
from dgpexp.predictive.tally import Tally
from dgpexp.report.cells import Group

Cells = dict[tuple[str, int], Tally]  # by method and depth
_WIDTH, _MARGIN = 11.5, 0.65  # inches
_LETTER = 0.08  # inches, of a label on an axis


def tallies(groups: Iterable[Group]) -> dict[str, Cells]:
    """By data set: the counts of each of its cells, over splits. Runs that recorded none are left out."""
    found: dict[str, Cells] = {}
    known = list(METHODS)
    for g in sorted(
        groups, key=lambda g: (g.dataset, known.index(g.method) if g.method in known else len(known), g.layers)
    ):
        counted = [t for text in g.runs["tally"] if (t := _read(text))]
        if counted and len({t.labels for t in counted}) == 1:
            found.setdefault(g.dataset, {})[g.method, g.layers] = reduce(add, counted)
    return found


def _read(text: Any) -> Tally | None:
    try:
        return Tally.from_dict(json.loads(text))
    except (TypeError, ValueError):
        return None


def reliability(cells: Cells) -> Figure:
    """A diagram for each cell of one data set."""
    return _panels(cells, 2.2, lambda ax, tally, method: class_panels.reliability(ax, tally, colour(method)))


def confusion(cells: Cells) -> Figure:
    """A matrix for each cell of one data set, with room for the names of its classes at the left and below."""
    names = _LETTER * max(len(name) for tally in cells.values() for name in tally.labels)
    return _panels(
        cells, 3.3, lambda ax, tally, method: class_panels.confusion(ax, tally, "class", colour(method)), names
    )


@canvas.for_page()
def _panels(cells: Cells, side: float, draw: Callable[[Axes, Tally, str], None], names: float = 0.0) -> Figure:
    """Squares of `side` inches, as many in a line as there is room for; `names` are inches beside the usual margins."""
    margins = left, right, bottom, top = _MARGIN + names, 0.15, _MARGIN + names, 0.35
    across = max(1, min(len(cells), int(_WIDTH // (side + left))))
    down = -(-len(cells) // across)
    gaps = left, bottom + top
    size = left + right + across * side + (across - 1) * gaps[0], bottom + top + down * side + (down - 1) * gaps[1]
    figure, axes = canvas.framed(size, (down, across), margins, gaps)
    for ax, ((method, layers), tally) in zip(axes.flat, cells.items(), strict=False):
        draw(ax, tally, method)
        ax.set_title(f"{method_name(method)} {layers}")
    for ax in axes.flat[len(cells) :]:
        ax.set_visible(False)
    return figure

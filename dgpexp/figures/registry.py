"""The list of the figures, and how to draw some of them into a folder.

A figure is a module with a docstring and a function `draw() -> Figure`. The docstring's first line is the title, the
rest the caption: what to see. A module that needs something which is not installed raises `Unavailable` from `draw`.
"""

import difflib
import importlib
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from dgpexp.errors import UserError
from dgpexp.figures import index

# name -> number in the thesis; dgpexp/figures/<folder of its chapter>/<name with _>.py draws it. Its chapter 6, future
# work, has no figures: those numbers are ours.
FIGURES = {
    "prior-samples": "2.2.1",
    "polynomial-kernels": "2.2.2",
    "gp-posterior": "2.2.3",
    "fitc": "2.3.1",
    "mauna-loa": "2.4.1",
    "forward-reverse-kl": "3.3.1",
    "two-layer-prior": "4.0.2",
    "logz-aep": "4.2.2",
    "hidden-histograms": "4.3.1",
    "logz-paths": "4.3.2",
    "logz-samples": "4.3.3",
    "step-function": "4.3.4",
    "deep-pathology": "4.3.5",
    "two-moons": "6.0.1",
    "two-layer-posterior": "6.0.2",
}
SCHEMATICS = ("3.1.1", "4.0.1", "4.1.1", "4.1.2", "4.2.1")  # of the thesis, which show no numbers: not drawn
_FOLDERS = {"2": "theory", "3": "theory", "4": "deep", "6": "deep"}  # of the chapters


class Unavailable(Exception):
    """The figure needs something that is not here; the message says how to get it."""


@dataclass(frozen=True)
class Description:
    """What is known of a figure before it is drawn."""

    name: str
    id: str
    title: str
    caption: str


def describe(name: str) -> Description:
    """Title and caption of a figure, from its module's docstring."""
    doc = inspect.cleandoc(_module(name).__doc__ or name)
    title, _, caption = doc.partition("\n")
    return Description(name, FIGURES[name], title.strip().rstrip("."), " ".join(caption.split()))


def find(wanted: Iterable[str]) -> list[str]:
    """Names of the figures asked for by name or by number, all of them if none is, in the order of the thesis."""
    by_any = {name: name for name in FIGURES} | {number: name for name, number in FIGURES.items()}
    chosen = set()
    for word in wanted:
        if word not in by_any:
            near = difflib.get_close_matches(word, by_any, n=1)
            hint = f" (did you mean '{near[0]}'?)" if near else ""
            raise UserError(f"unknown figure '{word}'{hint}; `dgpexp figures --list` names them all.")
        chosen.add(by_any[word])
    return [name for name in FIGURES if name in chosen or not chosen]


def draw(names: Iterable[str], output: Path) -> Iterator[tuple[str, str | None]]:
    """Draw figures into `output` and enter them in its index; yields each name, with the reason if it was skipped."""
    from dgpexp.drawing import canvas

    for name in names:
        about = describe(name)
        try:
            with canvas.applied():
                canvas.save(_module(name).draw(), output / f"{about.id}-{name}")
        except Unavailable as reason:
            yield name, str(reason)
            continue
        files = (f"{about.id}-{name}.svg", f"{about.id}-{name}.png")
        index.add(output, [index.Entry(about.id, about.title, about.caption, f"dgpexp figures {name}", *files)])
        yield name, None


def _module(name: str) -> ModuleType:
    folder = _FOLDERS[FIGURES[name][0]]
    return importlib.import_module(f"dgpexp.figures.{folder}.{name.replace('-', '_')}")

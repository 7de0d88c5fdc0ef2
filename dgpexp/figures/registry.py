"""The list of the figures, and how to draw some of them into a folder.

A figure is a function `name_of_it() -> Figure`. Its docstring's first line is the title, the rest the caption: what to
see. It raises `Unavailable` if something that it needs is not installed.
"""

import ast
import difflib
import importlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from dgpexp.errors import UserError
from dgpexp.figures import index

# Number in the thesis, name, and the module below this package whose function draws it. Chapter 6 of the thesis, future
# work, has no figures: those numbers are ours.
_ALL = (
    ("2.2.1", "prior-samples", "theory.gaussian_processes"),
    ("2.2.2", "polynomial-kernels", "theory.gaussian_processes"),
    ("2.2.3", "gp-posterior", "theory.gaussian_processes"),
    ("2.3.1", "fitc", "theory.fitc"),
    ("2.4.1", "mauna-loa", "theory.mauna_loa"),
    ("3.3.1", "forward-reverse-kl", "theory.forward_reverse_kl"),
    ("4.0.2", "two-layer-prior", "deep.priors"),
    ("4.2.2", "logz-aep", "deep.log_z"),
    ("4.3.1", "hidden-histograms", "deep.trained"),
    ("4.3.2", "logz-paths", "deep.log_z"),
    ("4.3.3", "logz-samples", "deep.log_z"),
    ("4.3.4", "step-function", "deep.trained"),
    ("4.3.5", "deep-pathology", "deep.priors"),
    ("6.0.1", "two-moons", "deep.trained"),
    ("6.0.2", "two-layer-posterior", "deep.two_layer_posterior"),
    ("6.0.3", "virtual-workers", "deep.virtual_workers"),
)
FIGURES = {name: number for number, name, _ in _ALL}
MODULES = {name: module for _, name, module in _ALL}
SCHEMATICS = ("3.1.1", "4.0.1", "4.1.1", "4.1.2", "4.2.1")  # of the thesis, which show no numbers: not drawn


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
    """Title and caption of a figure, read without importing what draws it."""
    file = Path(__file__).parent.joinpath(*MODULES[name].split(".")).with_suffix(".py")
    functions = (node for node in ast.parse(file.read_text(encoding="utf-8")).body if isinstance(node, ast.FunctionDef))
    doc = next(ast.get_docstring(function) for function in functions if function.name == _function(name)) or name
    title, _, caption = doc.partition("\n")
    return Description(name, FIGURES[name], title.rstrip("."), " ".join(caption.split()))


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
        module = importlib.import_module(f"dgpexp.figures.{MODULES[name]}")
        try:
            with canvas.applied():
                canvas.save(getattr(module, _function(name))(), output / f"{about.id}-{name}")
        except Unavailable as reason:
            yield name, str(reason)
            continue
        files = (f"{about.id}-{name}.svg", f"{about.id}-{name}.png")
        index.add(output, [index.Entry(about.id, about.title, about.caption, f"dgpexp figures {name}", *files)])
        yield name, None


def _function(name: str) -> str:
    return name.replace("-", "_")

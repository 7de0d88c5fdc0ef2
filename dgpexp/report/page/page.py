"""index.html: one file with everything inside it, from the template beside this module."""

import platform
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dgpexp import __version__
from dgpexp.figures.predictive import multimodality_table
from dgpexp.report.cells import FULL, MINIATURE, RECIPE
from dgpexp.report.grid import Grid
from dgpexp.report.model import Report
from dgpexp.report.page import gallery, summary, views
from dgpexp.report.page.colours import style_sheet
from dgpexp.report.plots.draw import Drawing
from dgpexp.report.statistics.claims import HELD, NOT_HELD
from dgpexp.tasks import CLASSIFICATION

_TEMPLATES = Path(__file__).parent / "templates"
_BANNER = (
    "Quick profile: a miniature. Every experiment of the thesis appears, but trained for far fewer steps on far fewer "
    "splits, so that it takes minutes. It shows that the runs give the same numbers again; the printed values beside "
    "them carry no verdict here: the comparison is that of the thesis profile."
)
_ORDER = (*FULL, MINIATURE)


def render(
    report: Report, results: Path, drawings: dict[str, Drawing], figures: Path, others: Iterable[Report] = ()
) -> str:
    """The page's text; everything that comes from a run is escaped. `figures` is where those of section 5.2 are.

    `others` are the profiles whose pages stand in folders beside this one's.
    """
    return (
        environment("dgpexp.report.page")
        .get_template("page.html")
        .render(**_context(report, results, drawings, figures), **_among(report, others))
    )


def environment(*packages: str) -> Environment:
    """Of the templates in these packages; everything is escaped, and nothing may be missing."""
    return Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip


def _among(report: Report, others: Iterable[Report]) -> dict[str, Any]:
    """The page among those of other profiles: a card of each, and on the thesis's page the tables of our own recipe."""
    every = sorted((report, *others), key=lambda r: _ORDER.index(r.profile) if r.profile in _ORDER else len(_ORDER))
    ours = next((r for r in every if r.profile == RECIPE and report.profile != RECIPE), None)
    return {
        "cards": [summary.card(r, report.profile) for r in every] if len(every) > 1 else [],
        "recipe": views.linked_grids(ours) if ours else [],
        "check": report.check,
    }


def _context(report: Report, results: Path, drawings: dict[str, Drawing], figures: Path) -> dict[str, Any]:
    grids = {g.id: _grid(g) for g in report.grids}
    shown = {name: _trusted(d) for name, d in drawings.items()}
    pictures = gallery.find(results / "figures", figures)
    theory = [p for p in pictures if not p.id.startswith("5.2")]
    every = pd.concat([report.source.runs, report.source.random])
    runs, configs = views.run_views(every, [*report.groups.values(), *report.timed.values()])
    watched = {f"{CLASSIFICATION.name}-{metric}" for metric in CLASSIFICATION.headline}
    own, classes = ([v for k, v in grids.items() if k.startswith(word)] for word in ("own", CLASSIFICATION.name))
    more = [
        v for k, v in grids.items() if not k[0].isdigit() and not report.grid(k).empty and v not in [*own, *classes]
    ]
    of_synthetic = {g.id for g in report.grids if g.corner == "method" and not g.id.startswith("5.3")}
    more = [v for v in more if v["slug"] not in {views.slug(i) for i in of_synthetic}]
    rankings = [d for name, d in shown.items() if name.startswith("ranks-")]
    return {
        "profile": report.profile,
        "version": __version__,
        "origin": report.source.sentence,
        "banner": _BANNER if report.profile == MINIATURE else "",
        "tiles": summary.tiles(report),
        "contents": _contents(
            report.profile == MINIATURE, bool(theory), bool(classes), bool(report.relatives), bool(own)
        ),
        "claims": sorted(report.claims, key=lambda claim: claim.status not in (HELD, NOT_HELD)),
        "regression": {
            "figures": [shown["5.1.1"], shown["5.1.2"]],
            "grids": [grids["5.1.1"], grids["5.1.2"]],
            "more": more,
        },
        "rankings": rankings,
        "no_ranking": "not yet: they need two methods that share splits on at least two data sets.",
        "wtl": views.wtl_views(report.wins),
        "tests": views.test_views(report.tests),
        "synthetic": {
            "grids": [v for k, v in grids.items() if k in of_synthetic],
            "pictures": [p for p in pictures if p not in theory],
            "multimodality": multimodality_table.read(figures),
            "measures": multimodality_table.HEADINGS,
        },
        "big": {
            "figures": [shown[k] for k in ("5.3.1", "5.3.2") if k in shown],
            "grids": [grids["5.3.1"], grids["5.3.2"]],
        },
        "classification": {
            "watched": [v for k, v in grids.items() if k in watched],
            "figures": [d for name, d in shown.items() if name.startswith(("reliability-", "confusion-"))],
            "more": [v for v in classes if v["slug"] not in {views.slug(i) for i in watched}],
        },
        "own": own,
        "relatives": {
            "grids": [_grid(g) for g in report.relatives],
            "figures": [d for name, d in shown.items() if name == "power" or name.startswith("clock-")],
        },
        "gallery": theory,
        "numbers": views.number_views(report.grids),
        "runs": runs,
        "configs": configs,
        "no_runs": f"There are none yet: {report.source.sentence}",
        "machines": views.machine_views(every),
        "command": f"dgpexp report --profile {report.profile}",
        "versions": versions(),
        "css": Markup(style()),
        "js": Markup(script()),
    }


def style() -> str:
    """Of every page of ours."""
    return style_sheet() + (_TEMPLATES / "style.css").read_text(encoding="utf-8")


def script() -> str:
    return (_TEMPLATES / "page.js").read_text(encoding="utf-8")


def _grid(grid: Grid) -> dict[str, Any]:
    return views.grid_view(grid, [f"tables/table-{grid.id}.{kind}" for kind in ("csv", "md", "tex")])


def _trusted(drawing: Drawing) -> dict[str, Any]:
    """Our own SVG goes into the page as it is; matplotlib has escaped every text in it."""
    return {**drawing.__dict__, "svg": Markup(drawing.svg)}


def _contents(miniature: bool, theory: bool, classes: bool, relatives: bool, own: bool) -> list[tuple[str, str]]:
    parts = [("check", "Reproducibility") if miniature else ("claims", "Claims")]
    parts += [("regression", "5.1 Regression"), ("statistics", "Statistics")]
    parts += [("synthetic", "5.2 Predictive distribution"), ("big", "5.3 Big data")]
    parts += [("classification", "Classification")] if classes else []
    parts += [("relatives", "Relatives")] if relatives else []
    parts += [("own", "Your data")] if own else []
    parts += [("gallery", "Gallery")] if theory else []
    return [*parts, ("numbers", "Every number"), ("runs", "Runs"), ("provenance", "Provenance")]


def versions() -> str:
    names = ("numpy", "scipy", "pandas", "matplotlib", "jinja2")
    return f"Python {platform.python_version()}, " + ", ".join(f"{n} {metadata.version(n)}" for n in names)

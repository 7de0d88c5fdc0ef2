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
from dgpexp.figures import index
from dgpexp.figures.predictive import multimodality
from dgpexp.figures.registry import SCHEMATICS
from dgpexp.report import comparable
from dgpexp.report.cells import FULL, MINIATURE, RECIPE
from dgpexp.report.grid import Grid, Section
from dgpexp.report.model import Report
from dgpexp.report.page import summary, views
from dgpexp.report.page.colours import style_sheet
from dgpexp.report.plots.draw import STATISTICS, Drawing
from dgpexp.report.published import BIG, UCI
from dgpexp.report.verdicts import splits_done

_TEMPLATES = Path(__file__).parent / "templates"
_BANNER = (
    "Quick profile: a miniature. Every experiment of the thesis appears, but trained for far fewer steps on far fewer "
    "splits, so that it takes minutes. It shows that the runs give the same numbers again; the printed values beside "
    "them carry no verdict here: the comparison is that of the thesis profile."
)
_ORDER = (*FULL, MINIATURE)


def render(report: Report, results: Path, drawings: list[Drawing], figures: Path, others: Iterable[Report] = ()) -> str:
    """The page's text; everything that comes from a run is escaped. `figures` is where those of section 5.2 are.

    `others` are the profiles whose pages stand in folders beside this one's.
    """
    return (
        environment("dgpexp.report.page")
        .get_template("page.html")
        .render(**_context(report, results, drawings, figures), **_among(report, others))
    )


def environment(*packages: str) -> Environment:
    """The environment of the templates in these packages: everything is escaped, and nothing may be missing."""
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
        "recipe_name": RECIPE,
        "repetition": report.repetition,
    }


def _context(report: Report, results: Path, drawings: list[Drawing], figures: Path) -> dict[str, Any]:
    theory = index.pictures(results / "figures")
    every = pd.concat([report.source.runs, report.source.random])
    runs, configs = views.run_views(every, [*report.groups.values(), *report.timed.values()])
    year = any(g.dataset == "year" and len(g.runs) for g in report.groups.values())
    return {
        "profile": report.profile,
        "version": __version__,
        "origin": report.source.sentence,
        "banner": _BANNER if report.profile == MINIATURE else "",
        "tiles": summary.tiles(report),
        "contents": _contents(report, bool(theory)),
        "verdicts": [*report.verdicts, *report.claims],
        "progress": splits_done(report) if report.verdicts and report.profile != MINIATURE else [],
        "sections": [_section(section, report, drawings) for section in report.sections],
        "rankings": [_trusted(d) for d in drawings if d.section is STATISTICS],
        "no_ranking": "none; they need two methods that share splits on two data sets, and more than a miniature.",
        "wtl": views.wtl_views(report.wins),
        "tests": views.test_views(report.tests),
        "synthetic": {
            "pictures": index.pictures(figures),
            "multimodality": multimodality.read(figures),
            "measures": multimodality.HEADINGS,
        },
        "gallery": theory,
        "left_out": f"Left out: {', '.join(SCHEMATICS)}, schematic drawings of models and of messages.",
        "year_absent": "" if year or not report.verdicts else f"Left out: {comparable.why_empty('year')}.",
        "datasets": views.dataset_views((*UCI, *BIG)) if report.verdicts else [],
        "numbers": views.number_views(report.thesis_grids),
        "runs": runs,
        "configs": configs,
        "no_runs": f"There are none yet: {report.source.sentence}",
        "machines": views.machine_views(every),
        "command": f"dgpexp report --profile {report.profile}",
        "versions": versions(),
        "css": Markup(style()),
        "js": Markup(script()),
    }


def _section(section: Section, report: Report, drawings: list[Drawing]) -> dict[str, Any]:
    """A section with its tables, those that are folded at first, and its figures."""
    grids = [g for g in report.grids if g.section is section]
    return {
        "id": section.id, "title": section.title, "intro": section.intro, "folded": section.more,
        "grids": [_grid(g) for g in grids if g.main],
        "more": [_grid(g) for g in grids if not g.main and not g.empty],
        "figures": [_trusted(d) for d in drawings if d.section is section],
        "narrow": all(len(g.columns) <= 3 for g in grids),
    }  # fmt: skip


def style() -> str:
    """The style of every page of ours."""
    return style_sheet() + (_TEMPLATES / "style.css").read_text(encoding="utf-8")


def script() -> str:
    return (_TEMPLATES / "page.js").read_text(encoding="utf-8")


def _grid(grid: Grid) -> dict[str, Any]:
    return views.grid_view(grid, [f"tables/table-{grid.id}.{kind}" for kind in ("csv", "md", "tex")])


def _trusted(drawing: Drawing) -> dict[str, Any]:
    """Our own SVG goes into the page as it is; matplotlib has escaped every text in it."""
    return {**drawing.__dict__, "svg": Markup(drawing.svg)}


def _contents(report: Report, theory: bool) -> list[tuple[str, str]]:
    parts = [("verdicts", "Verdicts")] if report.verdicts else []
    parts += [("check", "Reproducibility")] if report.profile == MINIATURE else []
    for section in report.sections:
        parts.append((section.id, section.title))
        if section.id == "uci":
            parts.append((STATISTICS.id, STATISTICS.title))
    parts += [("gallery", "Gallery")] if theory else []
    return [*parts, ("numbers", "Every number"), ("runs", "Runs"), ("provenance", "Provenance")]


def versions() -> str:
    names = ("numpy", "scipy", "pandas", "matplotlib", "jinja2")
    return f"Python {platform.python_version()}, " + ", ".join(f"{n} {metadata.version(n)}" for n in names)

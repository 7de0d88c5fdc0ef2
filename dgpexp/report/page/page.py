"""index.html: one file with everything inside it, from the template beside this module."""

import platform
import re
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from dgpexp import __version__
from dgpexp.datasets.catalog import CATALOG
from dgpexp.drawing.palette import style_sheet
from dgpexp.figures import index
from dgpexp.figures.predictive import multimodality
from dgpexp.figures.registry import SCHEMATICS
from dgpexp.predictive.metrics import METRICS
from dgpexp.report import comparable
from dgpexp.report.cells import FULL, MINIATURE, RECIPE, called
from dgpexp.report.grid import Section
from dgpexp.report.model import Report
from dgpexp.report.page import summary, views
from dgpexp.report.page.render import mark, ours, signed, theirs
from dgpexp.report.plots.draw import STATISTICS, Drawing
from dgpexp.report.published import BIG, UCI
from dgpexp.report.verdicts import splits_done

_TEMPLATES = Path(__file__).parent / "templates"
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
    made = Environment(
        loader=ChoiceLoader([PackageLoader(package) for package in packages]), autoescape=True,
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.globals |= {"ours": ours, "theirs": theirs, "mark": mark, "signed": signed, "called": called}
    made.filters |= {
        "brief": lambda metric: METRICS[metric].brief,
        "p": _p,
        "slug": lambda text: text.replace(".", "-"),
        "code": _code,
        "method_at": lambda place, grid: grid.cells[place].method,
    }
    return made


def _code(text: str) -> Markup:
    """The text, with what stands between backticks as code."""
    return Markup(re.sub("`(.+?)`", r"<code>\1</code>", str(escape(text))))


def _p(p: float | None) -> str:
    return "" if p is None else f"{p:.3f}" if p >= 0.001 else f"{p:.1e}"


def _among(report: Report, others: Iterable[Report]) -> dict[str, Any]:
    """The page among those of other profiles: a card of each, and on the thesis's page the tables of our own recipe."""
    every = sorted((report, *others), key=lambda r: _ORDER.index(r.profile) if r.profile in _ORDER else len(_ORDER))
    recipe = next((r for r in every if r.profile == RECIPE and report.profile != RECIPE), None)
    return {
        "cards": [summary.card(r, report.profile) for r in every] if len(every) > 1 else [],
        "recipe": [g.trimmed() for g in recipe.thesis_grids if not g.empty] if recipe else [],
        "recipe_name": RECIPE,
    }


def _context(report: Report, results: Path, drawings: list[Drawing], figures: Path) -> dict[str, Any]:
    theory = index.pictures(results / "figures")
    every = pd.concat([report.source.runs, report.source.random])
    runs, configs = views.run_views(every, [*report.groups.values(), *report.timed.values()])
    year = any(g.dataset == "year" and len(g.runs) for g in report.groups.values())
    return {
        "report": report,
        "miniature": report.profile == MINIATURE,
        "version": __version__,
        "tiles": summary.tiles(report),
        "contents": _contents(report, bool(theory)),
        "progress": splits_done(report) if report.verdicts and report.profile != MINIATURE else [],
        "sections": [_section(section, report, drawings) for section in report.shown_sections],
        "rankings": [d for d in drawings if d.section is STATISTICS],
        "pictures": index.pictures(figures),
        "multimodality": multimodality.read(figures),
        "measures": multimodality.HEADINGS,
        "gallery": theory,
        "schematics": SCHEMATICS,
        "year_absent": "" if year or not report.verdicts else comparable.why_empty("year").removeprefix("no run: "),
        "datasets": [CATALOG[name] for name in (*UCI, *BIG)] if report.verdicts else [],
        "numbers": [(g, place, c) for g in report.thesis_grids for place, c in sorted(g.cells.items())],
        "runs": runs,
        "configs": configs,
        "machines": views.machine_views(every),
        "versions": versions(),
        "css": Markup(style()),
        "js": Markup(script()),
    }


def _section(section: Section, report: Report, drawings: list[Drawing]) -> dict[str, Any]:
    """A section with its tables, those that are folded at first, and its figures."""
    grids = [g for g in report.grids if g.section is section]
    return {
        "about": section,
        "grids": [g for g in grids if g.main],
        "more": [g for g in grids if not g.main and not g.empty],
        "figures": [d for d in drawings if d.section is section],
        "narrow": all(len(g.columns) <= 3 for g in grids),
    }


def style() -> str:
    """The style of every page of ours."""
    return style_sheet() + (_TEMPLATES / "style.css").read_text(encoding="utf-8")


def script() -> str:
    return (_TEMPLATES / "page.js").read_text(encoding="utf-8")


def _contents(report: Report, theory: bool) -> list[tuple[str, str]]:
    parts = [("verdicts", "Verdicts")] if report.verdicts else []
    parts += [("check", "Reproducibility")] if report.profile == MINIATURE else []
    for section in report.shown_sections:
        parts.append((section.id, section.title))
        if section.id == "uci":
            parts.append((STATISTICS.id, STATISTICS.title))
    parts += [("gallery", "Gallery")] if theory else []
    return [*parts, ("numbers", "Every number"), ("runs", "Runs"), ("provenance", "Provenance")]


def versions() -> str:
    names = ("numpy", "scipy", "pandas", "matplotlib", "jinja2")
    return f"Python {platform.python_version()}, " + ", ".join(f"{n} {metadata.version(n)}" for n in names)

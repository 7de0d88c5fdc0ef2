"""index.html: one file with everything inside it, from the template beside this module."""

import platform
from collections import Counter
from importlib import metadata
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from dgpexp import __version__
from dgpexp.figures.predictive import multimodality_table
from dgpexp.report.cells import MINIATURE
from dgpexp.report.model import Report
from dgpexp.report.page import gallery, views
from dgpexp.report.page.colours import style_sheet
from dgpexp.report.plots.draw import Drawing
from dgpexp.tasks import CLASSIFICATION

_TEMPLATES = Path(__file__).parent / "templates"
_BANNER = (
    "Quick profile: a miniature. Every experiment of the thesis appears, but trained for far fewer steps on far fewer "
    "splits, so that it takes minutes. Differences from the printed values are shown in grey and carry no verdict; "
    "the thesis profile is the comparison."
)


def render(report: Report, results: Path, drawings: dict[str, Drawing], figures: Path) -> str:
    """The page's text; everything that comes from a run is escaped. `figures` is where those of section 5.2 are."""
    environment = Environment(
        loader=PackageLoader("dgpexp.report.page"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("page.html").render(**_context(report, results, drawings, figures))


def _context(report: Report, results: Path, drawings: dict[str, Drawing], figures: Path) -> dict[str, Any]:
    grids = {g.id: views.grid_view(g, [f"tables/table-{g.id}.{k}" for k in ("csv", "md", "tex")]) for g in report.grids}
    shown = {name: _trusted(d) for name, d in drawings.items()}
    pictures = gallery.find(results / "figures", figures)
    theory = [p for p in pictures if not p.id.startswith("5.2")]
    every = pd.concat([report.source.runs, report.source.random])
    runs, configs = views.run_views(every, [*report.groups.values(), *report.timed.values()])
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
        "tiles": _tiles(report),
        "contents": _contents(bool(theory), bool(classes), bool(own)),
        "claims": report.claims,
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
        "classification": classes,
        "own": own,
        "gallery": theory,
        "numbers": views.number_views(report.grids),
        "runs": runs,
        "configs": configs,
        "no_runs": f"There are none yet: {report.source.sentence}",
        "machines": views.machine_views(every),
        "command": f"dgpexp report --profile {report.profile}",
        "versions": _versions(),
        "css": Markup(style_sheet() + (_TEMPLATES / "style.css").read_text(encoding="utf-8")),
        "js": Markup((_TEMPLATES / "page.js").read_text(encoding="utf-8")),
    }


def _trusted(drawing: Drawing) -> dict[str, Any]:
    """Our own SVG goes into the page as it is; matplotlib has escaped every text in it."""
    return {**drawing.__dict__, "svg": Markup(drawing.svg)}


def _contents(theory: bool, classes: bool, own: bool) -> list[tuple[str, str]]:
    parts = [("claims", "Claims"), ("regression", "5.1 Regression"), ("statistics", "Statistics")]
    parts += [("synthetic", "5.2 Predictive distribution"), ("big", "5.3 Big data")]
    parts += [("classification", "Classification")] if classes else []
    parts += [("own", "Your data")] if own else []
    parts += [("gallery", "Gallery")] if theory else []
    return [*parts, ("numbers", "Every number"), ("runs", "Runs"), ("provenance", "Provenance")]


def _tiles(report: Report) -> list[tuple[str, str]]:
    verdicts = Counter(c.verdict for g in report.thesis_grids for c in g.cells.values())
    runs = report.source.runs
    finished = int((runs["status"] == "COMPLETED").sum()) if len(runs) else 0
    hours = float(runs["train_seconds"].fillna(0).sum()) / 3600 if len(runs) else 0.0
    held = Counter(c.status for c in report.claims)
    return [
        (f"{finished:,}", f"finished runs of {len(runs):,}"),
        (str(verdicts["agree"]), "cells agree with the thesis"),
        (str(verdicts["differ"]), "cells differ"),
        (str(verdicts["partial"]), "cells partly run"),
        (str(verdicts["not comparable"]), "cells not comparable"),
        (f"{held['held']} of {len(report.claims)}", "claims held"),
        (f"{hours:,.1f} h" if hours < 1000 else f"{hours:,.0f} h", "of training"),
    ]


def _versions() -> str:
    names = ("numpy", "scipy", "pandas", "matplotlib", "jinja2")
    return f"Python {platform.python_version()}, " + ", ".join(f"{n} {metadata.version(n)}" for n in names)

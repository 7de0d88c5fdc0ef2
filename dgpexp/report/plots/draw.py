"""All figures of a report, as files and ready to stand inside the page."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from dgpexp.drawing import canvas
from dgpexp.predictive.metrics import METRICS
from dgpexp.report import tables
from dgpexp.report.grid import Section, Sketch
from dgpexp.report.model import Report
from dgpexp.report.plots import charts

STATISTICS = Section("statistics", "Statistics")


@dataclass(frozen=True)
class Drawing:
    """A figure on the page: its SVG ready to stand inline, and the files beside the page."""

    slug: str
    section: Section
    title: str
    caption: str
    svg: Markup  # ours, goes into the page as it is: matplotlib has escaped every text in it
    files: list[str]


def draw(report: Report, folder: Path, earlier: Path) -> list[Drawing]:
    """Into `folder`; `earlier` is where the last report's are: unchanged ones are copied."""
    drawings = []
    for sketch in (*tables.all_figures(report), *ranks(report)):
        file = f"figure-{sketch.name}"
        with canvas.for_page():
            svg = canvas.save(sketch.figure, folder / file, earlier)
        slug, files = file.replace(".", "-"), [f"figures/{file}.{kind}" for kind in canvas.KINDS]
        inside = Markup(canvas.inline(svg, slug, f"{sketch.title}. {sketch.caption}"))
        drawings.append(Drawing(slug, sketch.section, sketch.title, sketch.caption, inside, files))
    return drawings


def ranks(report: Report) -> Iterator[Sketch]:
    """The diagrams of average ranks."""
    for r in report.rankings:
        friedman = "" if r.friedman is None else f" Friedman's test that all rank alike: p = {r.friedman:.2g}."
        each = ", ".join(f"{name}: {splits}" for name, splits in zip(r.datasets, r.splits, strict=True))
        caption = (
            f"Methods with depth over {len(r.datasets)} data sets by their means over the splits that all have "
            f"({each}); 1 is best. Bars join what the Nemenyi test cannot separate at level 0.05.{friedman}"
        )
        title = f"Average ranks by {METRICS[r.metric].heading}"
        yield Sketch(f"ranks-{r.metric}", STATISTICS, title, caption, charts.ranks(r))

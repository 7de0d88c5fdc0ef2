"""All figures of a report, as files and ready to stand inside the page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dgpexp.drawing import style
from dgpexp.predictive.metrics import METRICS
from dgpexp.report import comparable, published
from dgpexp.report.model import Report
from dgpexp.report.plots import charts
from dgpexp.report.statistics.comparisons import Ranking


@dataclass(frozen=True)
class Drawing:
    """A figure on the page: its SVG ready to stand inline, and the files beside the page."""

    slug: str
    title: str
    caption: str
    svg: str
    files: list[str]


def draw(report: Report, folder: Path, earlier: Path) -> dict[str, Drawing]:
    """Into `folder`; `earlier` is where the last report's are, of which the unchanged ones are taken over."""
    drawings = {}

    def add(name: str, title: str, caption: str, figure: Any) -> None:
        file = f"figure-{name}"
        svg = style.save(figure, folder / file, earlier)
        alt = f"{title}. {caption}"
        files = [f"figures/{file}.{kind}" for kind in ("svg", "pdf", "png")]
        slug = file.replace(".", "-")
        drawings[name] = Drawing(slug, title, caption, style.inline(svg, slug, alt), files)

    for table in ("5.1.1", "5.1.2"):
        caption = (
            "A panel a data set; mean and standard error over splits of each method and depth, ours filled, "
            "the thesis's hollow below it. The numbers stand in the table."
        )
        grid = report.grid(table)
        add(table, f"Figure {table}. {grid.title}", caption, charts.dots(grid))
    for number, dataset in enumerate(published.BIG, 1):
        table = f"5.3.{number}"
        series = _series(report, dataset)
        if not series:
            continue
        remark = comparable.remark(dataset)
        caption = "RMSE and log-likelihood on the test set against seconds of training, evaluation not counted. "
        add(
            table, f"Figure {table}. {dataset}", caption + (f"Note: {remark}." if remark else ""),
            charts.curves(dataset, series, report.grid(table), remark),
        )  # fmt: skip
    for r in report.rankings:
        add(f"ranks-{r.metric}", *_rank_text(r), charts.ranks(r))
    return drawings


def _rank_text(r: Ranking) -> tuple[str, str]:
    friedman = "" if r.friedman is None else f" Friedman's test that all rank alike: p = {r.friedman:.2g}."
    caption = (
        f"Methods with depth over {len(r.datasets)} data sets ({', '.join(r.datasets)}), each by its mean over common "
        f"splits; 1 is best. Bars join what the Nemenyi test cannot tell apart at level 0.05.{friedman}"
    )
    return f"Average ranks by {METRICS[r.metric].heading}", caption


def _series(report: Report, dataset: str) -> dict[tuple[str, int | None], pd.DataFrame]:
    """The learning curves of the data set by method and S."""
    found = {}
    for g in report.groups.values():
        if g.dataset == dataset and len(g.runs) and g.layers == 3:
            curve = report.source.curve(str(g.runs["run_id"].iloc[0]))
            if len(curve):
                found[g.method, g.samples] = curve
    return found

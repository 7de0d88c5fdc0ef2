"""All figures of a report, as files and ready to stand inside the page."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from dgpexp.drawing import canvas
from dgpexp.predictive.metrics import METRICS
from dgpexp.report import comparable, paper_folds, powers, published
from dgpexp.report.model import Report
from dgpexp.report.plots import charts, class_counts, curves, relatives
from dgpexp.report.statistics.comparisons import Ranking
from dgpexp.tasks import CLASSIFICATION

_RELIABILITY = (
    "Test points of all splits by the confidence of their prediction: how often they were right, with a 95 % interval. "
    "Below the diagonal a model is too sure; the larger the dot, the more points."
)
_CONFUSION = "How many test points of each class (down) were taken for each class (across)."
_POWER = (
    "Difference from α = 1, which is AEPMCM, on the same splits, with its standard error: above 0 a log-likelihood is "
    "better, an RMSE worse. Coverage of 90 % intervals as it is. Towards α = 0 lies VI."
)
_CLOCK = (
    "One hidden layer, one fold of Cutajar et al. (2017), after its Figure 3: RMSE and log-likelihood of the "
    "standardised target on the test rows against seconds of training, evaluation not counted."
)


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
        with canvas.for_page():
            svg = canvas.save(figure, folder / file, earlier)
        alt = f"{title}. {caption}"
        files = [f"figures/{file}.{kind}" for kind in ("svg", "pdf", "png")]
        slug = file.replace(".", "-")
        drawings[name] = Drawing(slug, title, caption, canvas.inline(svg, slug, alt), files)

    for table in ("5.1.1", "5.1.2"):
        caption = (
            "A panel a data set; mean and standard error over splits of each method and depth, ours filled, "
            "half filled if of a single split, the thesis's hollow below it. The numbers stand in the table."
        )
        grid = report.grid(table)
        add(table, f"Figure {table}. {grid.title}", caption, charts.dots(grid))
    for number, dataset in enumerate(published.BIG, 1):
        table = f"5.3.{number}"
        series = _series(report, dataset)
        if not series:
            continue
        remark = comparable.remark(dataset)
        caption = (
            "RMSE and log-likelihood on the test set against seconds of training, evaluation not counted. A line joins "
            "medians over intervals of equal length on the axis; in its band lies half of the evaluations. "
        )
        add(
            table, f"Figure {table}. {dataset}", caption + (f"Note: {remark}." if remark else ""),
            curves.curves(dataset, series, report.grid(table), remark),
        )  # fmt: skip
    for r in report.rankings:
        add(f"ranks-{r.metric}", *_rank_text(r), charts.ranks(r))
    of_classes = [g for g in report.groups.values() if g.section == CLASSIFICATION.name]
    for dataset, cells in class_counts.tallies(of_classes).items():
        add(f"reliability-{dataset}", f"Reliability on {dataset}", _RELIABILITY, class_counts.reliability(cells))
        if len(next(iter(cells.values())).labels) > 2:
            add(f"confusion-{dataset}", f"Confusion on {dataset}", _CONFUSION, class_counts.confusion(cells))
    if found := powers.gather(report.source.runs):
        add("power", "Power EP against α", _POWER, relatives.against_power(found))
    folds = paper_folds.gather(report.source.runs)
    for dataset in (d for d in folds.datasets if not comparable.is_of_classes(d)):
        if series := relatives.on_one_clock(folds, dataset, report.source.curve):
            figure = curves.curves(dataset, series, report.grid(paper_folds.TABLE), "standardised target", "paper")
            add(f"clock-{dataset}", f"Error against training time: {dataset}", _CLOCK, figure)
    return drawings


def _rank_text(r: Ranking) -> tuple[str, str]:
    friedman = "" if r.friedman is None else f" Friedman's test that all rank alike: p = {r.friedman:.2g}."
    each = ", ".join(f"{name}: {splits}" for name, splits in zip(r.datasets, r.splits, strict=True))
    caption = (
        f"Methods with depth over {len(r.datasets)} data sets by their means over the splits that all have ({each}); 1 "
        f"is best. Bars join what the Nemenyi test cannot tell apart at level 0.05.{friedman}"
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

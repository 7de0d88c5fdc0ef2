"""The page of a user's own table: index.html with everything inside it, its figures and its numbers as files."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from dgpexp import __version__, quietly
from dgpexp.drawing import canvas
from dgpexp.errors import UserError
from dgpexp.figures.diagnostics import PANELS
from dgpexp.figures.diagnostics.from_runs import tested
from dgpexp.numerals import fixed
from dgpexp.predictive.metrics import METRICS, headline
from dgpexp.report.build import drafted
from dgpexp.report.page import page
from dgpexp.report.statistics.paired import Difference
from dgpexp.store.configurations import Configuration
from dgpexp.tables import Say
from dgpexp.tables.gathered import OwnReport, gather
from dgpexp.tables.results import Model, apart, cells, differences, heading, shown, verdict

_SIZE = (4.4, 3.3)  # inches of a panel: two or three stand side by side, one fits a phone
_TEMPLATES = Path(__file__).parent / "templates"


def write_page(results: Path, table: str, profile: str | None, output: Path | None, say: Say) -> tuple[OwnReport, Path]:
    """Write the page of a table; returns what is on it, and where it is."""
    found = gather(results, table, profile, say)
    quietly.import_tensorflow()
    from dgpexp.tables.embedded import embedded

    return found, write(found, output or results / "report" / table, embedded(results, table))


def write(report: OwnReport, output: Path, model: tuple[dict[str, Any] | None, str]) -> Path:
    """Draw everything and write it; gives the page. `model` is what it embeds, or why there is none (embedded.py)."""
    with drafted(output) as draft:
        sections = [
            _section(number, configuration, model, report, draft, output)
            for number, (configuration, model) in enumerate(zip(report.configurations, report.models, strict=True), 1)
        ]
        (draft / "tables").mkdir()
        (draft / "tables" / "results.csv").write_text(_csv(report), encoding="utf-8")
        (draft / "index.html").write_text(render(report, sections, *model), encoding="utf-8")
    return output / "index.html"


def _section(
    number: int, configuration: Configuration, model: Model, report: OwnReport, draft: Path, output: Path
) -> dict[str, Any]:
    """A model: its pictures, or why there are none; its settings and runs."""
    pictures, problem = [], ""
    try:
        pictures = _pictures(number, configuration, report, draft / "figures", output / "figures")
    except UserError as error:  # a model or the table is gone; the numbers are there all the same
        problem = str(error)
    metrics = shown(report.task)
    runs = [
        {
            "split": run.spec.split if run.spec else "",
            "numbers": [_number(run.info["metrics"].get(m.key), m.scale) for m in metrics],
            "steps": run.info.get("steps"),
            "seconds": fixed(run.info.get("train_seconds"), 0),
            "run_id": run.run_id,
            "command": run.info.get("command") or "",
        }
        for run in configuration.runs
    ]
    settings = {key: str(value) for key, value in configuration.spec.settings.changed().items()}
    return {
        "slug": f"model-{number}", "model": model, "pictures": pictures, "problem": problem, "runs": runs,
        "settings": settings,
        "against": _against(differences(model, report.simple, report.task)),
    }  # fmt: skip


def _against(found: Sequence[Difference]) -> list[tuple[str, list[tuple[str, str]]]]:
    """What a model is compared with, each with the differences as people read them, and who is better."""
    by_other: dict[str, list[tuple[str, str]]] = {}
    for d in found:
        word = "" if not d.better else "better" if d.better == d.first else "worse"
        by_other.setdefault(d.second, []).append((apart(d), word))
    return list(by_other.items())


def _pictures(
    number: int, configuration: Configuration, report: OwnReport, folder: Path, earlier: Path
) -> list[dict[str, Any]]:
    """Every panel as a figure of its own, as files and ready to stand inside the page."""
    rows, found = tested(configuration), []
    for panel in PANELS[report.task.name]:
        with canvas.for_page():
            figure = canvas.new_figure(*_SIZE)
            panel.draw(figure.subplots(), rows)
            name = (
                f"{configuration.spec.method}-{configuration.spec.layers}-{configuration.profile}-{number}-{panel.name}"
            )
            svg = canvas.inline(canvas.save(figure, folder / name, earlier), f"m{number}-{panel.name}", panel.title)
        files = [f"figures/{name}.{kind}" for kind in ("svg", "pdf", "png")]
        found.append({
            "slug": f"m{number}-{panel.name}", "title": panel.title, "caption": panel.caption, "svg": Markup(svg),
            "files": files,
        })  # fmt: skip
    return found


def _number(value: float | None, scale: float) -> str:
    return "" if value is None else f"{scale * value:.4g}".replace("-", "−")


def render(report: OwnReport, sections: Sequence[dict[str, Any]], embedded: dict[str, Any] | None, absent: str) -> str:
    metrics, models = shown(report.task), [*report.models, *report.simple]
    slugs = [*(section["slug"] for section in sections), *("" for _ in report.simple)]
    first = cells(report.models[:1], metrics)[0]
    environment = page.environment("dgpexp.tables", "dgpexp.report.page")
    return environment.get_template("own.html").render(
        report=report,
        table=[(m, slug, line) for m, slug, line in zip(models, slugs, cells(models, metrics), strict=True)],
        heads=[(heading(metric), metric.direction) for metric in metrics],
        tiles=[(number, metric.label) for number, metric in zip(first, metrics, strict=True)],
        sections=sections,
        compared=[METRICS[key].label for key in headline(report.task)],
        verdict=verdict(report.named, report.task),
        final=[run.run_id for run in report.final],
        embedded=embedded,
        absent=absent,
        accent=report.models[0].key,
        version=__version__,
        versions=page.versions(),
        css=Markup(page.style() + _template("own.css")),
        js=Markup(page.script() + "".join(map(_template, ("forward.js", "explore.js")))),
    )


def _template(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _csv(report: OwnReport) -> str:
    """Every number of every split."""
    metrics = shown(report.task)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["model", "configuration", "split", *(metric.key for metric in metrics)])
    for model in [*report.models, *report.simple]:
        for split, numbers in model.numbers.items():
            writer.writerow([model.name, model.note, split, *(numbers.get(metric.key, "") for metric in metrics)])
    return out.getvalue()

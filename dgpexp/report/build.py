"""`build_report`: everything at once, into a folder whose readers never see half a file."""

import csv
import io
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from dgpexp.errors import UserError
from dgpexp.figures.predictive import of_runs
from dgpexp.files import put_in_place
from dgpexp.report.grid import Grid
from dgpexp.report.model import Report, gather
from dgpexp.report.page import page
from dgpexp.report.page.latex import to_latex
from dgpexp.report.page.render import CSV_COLUMNS, records, to_csv, to_markdown
from dgpexp.report.plots.draw import draw


def build_report(results: Path, profile: str, output: Path | None = None) -> Path:
    """Write index.html, tables/ and figures/ of a profile; returns the folder (<results>/report/<profile>)."""
    return write(gather(Path(results), profile), Path(results), output)


def write(report: Report, results: Path, output: Path | None = None) -> Path:
    """Everything is made in a folder of its own; then each file takes the place of the old one, the page last."""
    output = Path(output) if output else results / "report" / report.profile
    try:
        output.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".draft-", dir=output) as folder:
            draft = Path(folder)
            drawings = draw(report, draft / "figures", output / "figures")
            of_runs.draw(report.source.runs, results, draft / "figures")
            _write_tables(report, draft / "tables")
            text = page.render(report, results, drawings, draft / "figures")
            (draft / "index.html").write_text(text, encoding="utf-8")
            _publish(draft, output)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"the report cannot be written to {output}: {reason}; choose another --output.") from error
    return output


def _publish(draft: Path, output: Path) -> None:
    files = sorted(p.relative_to(draft) for p in draft.rglob("*") if p.is_file())
    for name in sorted(files, key=lambda p: p.name == "index.html"):
        (output / name).parent.mkdir(parents=True, exist_ok=True)
        put_in_place(draft / name, output / name)


def _write_tables(report: Report, folder: Path) -> None:
    folder.mkdir(parents=True)
    writers: dict[str, Callable[[Grid], str]] = {"csv": to_csv, "md": to_markdown, "tex": to_latex}
    for grid in report.grids:
        for kind, writer in writers.items():
            (folder / f"table-{grid.id}.{kind}").write_text(writer(grid), encoding="utf-8")
    every = [r for g in report.thesis_grids for r in records(g)]
    (folder / "every-number.csv").write_text(_csv(CSV_COLUMNS, every), encoding="utf-8")
    for name, rows in (("paired-tests", report.tests), ("win-tie-loss", report.wins)):
        if rows:
            flat = [asdict(r) for r in rows]
            (folder / f"{name}.csv").write_text(_csv(tuple(flat[0]), flat), encoding="utf-8")


def _csv(columns: tuple[str, ...], rows: list[dict[str, Any]]) -> str:
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: "" if v is None else v for k, v in row.items()} for row in rows)
    return out.getvalue()

"""The page, tables and figures of a report, written into a folder whose readers never see half a file."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

from dgpexp.errors import UserError
from dgpexp.figures.predictive import of_runs
from dgpexp.files import put_in_place, scratch_folder
from dgpexp.report.cells import FULL, MINIATURE
from dgpexp.report.grid import Grid
from dgpexp.report.model import Report, gather
from dgpexp.report.page import page
from dgpexp.report.page.latex import to_latex
from dgpexp.report.page.render import CSV_COLUMNS, csv_text, records, to_csv, to_markdown
from dgpexp.report.plots.draw import draw
from dgpexp.store.tidy_table import read_runs


def build_pages(results: Path, profile: str) -> Path:
    """Write the page of a profile and those that belong beside it; returns the one that leads."""
    reports = reports_beside(results, profile)
    write_pages(reports, results)
    return page_of(results, leading(reports, profile).profile)


def write_pages(reports: list[Report], results: Path) -> None:
    """Each names the others."""
    for report in reports:
        write(report, results, others=[r for r in reports if r is not report])


def reports_beside(results: Path, profile: str) -> list[Report]:
    """Gather reports of full profiles with runs, of the miniature if it was run here, and always of `profile`."""
    reports = [gather(results, name) for name in dict.fromkeys((*FULL, MINIATURE, profile))]
    return [
        r
        for r in reports
        if r.profile == profile or (len(r.source.runs) and (r.profile in FULL or not r.source.committed))
    ]


def page_of(results: Path, profile: str) -> Path:
    return results / "report" / profile / "index.html"


def leading(reports: list[Report], profile: str) -> Report:
    """The report that answers for the thesis: of a miniature, that of the first full profile with runs."""
    full = [r for r in reports if r.profile in FULL] if profile == MINIATURE else []
    return full[0] if full else next(r for r in reports if r.profile == profile)


def write(report: Report, results: Path, output: Path | None = None, others: Iterable[Report] | None = None) -> Path:
    """Everything is made in a folder of its own; then each file takes the place of the old one, the page last.

    `others` are profiles whose pages are written into folders beside this one; default: those that are there already.
    """
    if others is None:
        others = [] if output else _beside(results, report.profile)
    output = Path(output) if output else results / "report" / report.profile
    with drafted(output) as draft:
        drawings = draw(report, draft / "figures", output / "figures")
        if not of_runs.draw(report.source.runs, results, draft / "figures") and report.profile in FULL:
            of_runs.draw(read_runs(results, MINIATURE), results, draft / "figures")  # the models that there are
        _write_tables(report, draft / "tables")
        text = page.render(report, results, drawings, draft / "figures", others)
        (draft / "index.html").write_text(text, encoding="utf-8")
    return output


@contextmanager
def drafted(output: Path) -> Iterator[Path]:
    """A folder to make a report in; what is in it at the end takes the place of the files in `output`."""
    try:
        output.mkdir(parents=True, exist_ok=True)
        with scratch_folder(output) as folder:
            yield folder
            _publish(folder, output)
    except OSError as error:
        reason = error.strerror or error
        raise UserError(f"the report cannot be written to {output}: {reason}; choose another --output.") from error


def _beside(results: Path, profile: str) -> list[Report]:
    names = [name for name in (*FULL, MINIATURE) if name != profile]
    return [gather(results, name) for name in names if page_of(results, name).is_file()]


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
    (folder / "every-number.csv").write_text(csv_text(CSV_COLUMNS, every), encoding="utf-8")
    for name, rows in (("paired-tests", report.tests), ("win-tie-loss", report.wins)):
        if rows:
            flat = [asdict(r) for r in rows]
            (folder / f"{name}.csv").write_text(csv_text(tuple(flat[0]), flat), encoding="utf-8")

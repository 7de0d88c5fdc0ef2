"""`dgpexp report`: the thesis's tables and figures, ours beside theirs; or the page of your own table."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dgpexp.cli.options import JSON, RESULTS, TAG
from dgpexp.terminal.output import answer, say

if TYPE_CHECKING:
    from dgpexp.report.model import Report


@click.command()
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--profile", help="Show this profile alone (default: thesis, with the others beside it; for NAME: all).")
@TAG
@RESULTS
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where to write it (default: RESULTS/report/PROFILE, or NAME).",
)
@click.option("--run", "run_id", metavar="ID", help="Draw the learning curves of one run (id or folder) instead.")
@click.option("--check", is_flag=True, help="Exit 1 if a complete cell is worse than published by more than 3 s.e.")
@JSON
def report(
    name: str | None,
    profile: str | None,
    tags: tuple[str, ...],
    results: Path | None,
    output: Path | None,
    run_id: str | None,
    check: bool,
    as_json: bool,
) -> None:
    """Write the page, tables and figures of a profile, and show the main tables here.

    Without runs it shows those that were measured and committed; without these, the thesis's values alone.

    NAME is a table of your own, or the start of its name: a page of its results beside simple models, with pictures of
    how far to believe them. Where nothing but tables of your own was run, the newest is taken.
    """
    from dgpexp.errors import UserError
    from dgpexp.report.source import known_profiles, usual_profile
    from dgpexp.store.stored_run import results_dir

    folder = results_dir(results)
    if run_id:
        return _draw_run(folder, profile, run_id, output)
    from dgpexp import tables

    if name and name.endswith(".toml"):
        from dgpexp.plan.protocol import read_protocol

        profile, name = profile or read_protocol(name).default_profile, None
    elif table := tables.table_meant(folder, name, profile):
        if check:
            raise UserError(f"--check compares with the thesis's values, and {table} is not in the thesis.")
        return _own(folder, table, profile, output, as_json)
    together = profile is None and output is None and not tags
    profile = profile or usual_profile(folder)

    from dgpexp.report.build import leading, page_of, reports_beside, write, write_pages
    from dgpexp.report.model import as_json as json_of
    from dgpexp.report.model import gather

    if profile not in known_profiles(folder):
        raise UserError(f"there is no profile '{profile}'; the profiles are: {', '.join(known_profiles(folder))}.")
    reports = reports_beside(folder, profile) if together else [gather(folder, profile, tags)]
    found = next(report for report in reports if report.profile == profile)
    if together:
        write_pages(reports, folder)
        written = page_of(folder, leading(reports, profile).profile).parent
    else:
        written = write(found, folder, output)
    if as_json:
        click.echo(json_of(found, written))
    else:
        _show(found)
        for sentence in found.source.code:
            say(sentence)
        if own := tables.own_tables(folder, profile)[0]:
            say(f"`dgpexp report NAME` makes pages of your own tables: {', '.join(own)}.")
        answer(written / "index.html")
    if check:
        _check(found)


def _own(results: Path, table: str, profile: str | None, output: Path | None, as_json: bool) -> None:
    from dgpexp import tables
    from dgpexp.terminal.output import say

    found, page = tables.write_page(results, table, profile, output, say)
    if as_json:
        rows = [vars(model) for model in (*found.models, *found.simple)]
        click.echo(json.dumps({"table": table, "page": str(page), "models": rows}, indent=1, ensure_ascii=False))
        return
    say("\n".join(tables.summary(found)))
    answer(page)


def _draw_run(results: Path, profile: str | None, name: str, output: Path | None) -> None:
    from dgpexp.drawing import canvas
    from dgpexp.errors import UserError
    from dgpexp.report.plots import curves
    from dgpexp.store.stored_run import find_run, runs_dir
    from dgpexp.store.tidy_table import read_curves

    run = find_run(results, str(runs_dir(results, profile) / name) if profile else name)
    curve = read_curves(run.path)
    if curve.empty:
        raise UserError(f"{run.run_id} has recorded no learning curve yet.")
    folder = output or results / "report" / run.path.parent.name / "runs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with canvas.for_page():
            canvas.save(curves.learning(run.run_id, run.spec.method if run.spec else "", curve), folder / run.run_id)
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}; choose another --output.") from error
    for kind in ("svg", "pdf", "png"):
        answer(folder / f"{run.run_id}.{kind}")


def _show(found: "Report") -> None:
    from dgpexp.report.cells import MINIATURE
    from dgpexp.report.page.render import TERMINAL_LEGEND, to_rich, verdict_table, wide_console

    console = wide_console()
    console.print(f"Profile {found.profile}: {found.source.sentence}", highlight=False, markup=False)
    for grid in found.main_grids:
        if not grid.empty:
            console.print(to_rich(grid, console))
    if any(grid.section.id not in ("sweeps", "workers") for grid in found.main_grids):
        console.print(TERMINAL_LEGEND, markup=False)
    if found.repetition:
        console.print(f"Reproducibility: {found.repetition.sentence}", highlight=False, markup=False)
    if found.verdicts and found.profile != MINIATURE:
        console.print(verdict_table([*found.verdicts, *found.claims]))


def _check(found: "Report") -> None:
    from dgpexp.errors import RunFailed

    judged = [c for c in found.thesis_cells if c.verdict in ("agree", "differ")]
    wrong = found.regressions
    if wrong:
        names = ", ".join(
            f"{c.dataset} {c.method}-{c.layers} {c.metric} {c.mean:.4g} (thesis {c.published.mean:.4g})"
            for c in wrong
            if c.published
        )
        many = f"{len(wrong)} of {len(judged)} complete cells"
        raise RunFailed(f"{many} are worse than published by more than 3 combined s.e.: {names}.")
    print(f"check: none of {len(judged)} complete, comparable cells is worse than published.", file=sys.stderr)

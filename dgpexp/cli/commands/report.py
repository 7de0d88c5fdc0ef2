"""`dgpexp report`: the thesis's tables and figures, ours beside theirs."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dgpexp.cli.options import JSON, RESULTS

if TYPE_CHECKING:
    from dgpexp.report.model import Report


@click.command()
@click.option("--profile", help="Whose runs (default: thesis if it has any, else quick).")
@RESULTS
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Where to write it (default: RESULTS/report/PROFILE).",
)
@click.option("--run", "run_id", metavar="ID", help="Draw the learning curves of one run (id or folder) instead.")
@click.option("--check", is_flag=True, help="Exit 1 if a complete cell is > 3 s.e. worse than the published value.")
@JSON
def report(
    profile: str | None, results: Path | None, output: Path | None, run_id: str | None, check: bool, as_json: bool
) -> None:
    """Write the page, tables and figures of a profile, and show the main tables here.

    Without runs it shows those that were measured and committed; without these, the thesis's values alone.
    """
    from dgpexp.errors import UserError
    from dgpexp.report.source import known_profiles, usual_profile
    from dgpexp.store.stored_run import results_dir

    folder = results_dir(results)
    if run_id:
        return _draw_run(folder, profile, run_id, output)
    if profile is None:
        profile = usual_profile(folder)

    from dgpexp.report.build import write
    from dgpexp.report.model import as_json as json_of
    from dgpexp.report.model import gather

    if profile not in known_profiles(folder):
        raise UserError(f"there is no profile '{profile}'; the profiles are: {', '.join(known_profiles(folder))}.")
    found = gather(folder, profile)
    written = write(found, folder, output)
    if as_json:
        click.echo(json_of(found, written))
    else:
        _show(found)
        click.echo(written / "index.html")
    if check:
        _check(found)


def _draw_run(results: Path, profile: str | None, name: str, output: Path | None) -> None:
    from dgpexp.drawing import style
    from dgpexp.errors import UserError
    from dgpexp.report.plots import charts
    from dgpexp.store.stored_run import find_run, runs_dir
    from dgpexp.store.tidy_table import read_curves

    run = find_run(results, str(runs_dir(results, profile) / name) if profile else name)
    curve = read_curves(run.path)
    if curve.empty:
        raise UserError(f"{run.run_id} has recorded no learning curve yet.")
    folder = output or results / "report" / run.path.parent.name / "runs"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        style.save(charts.learning(run.run_id, curve), folder / run.run_id)
    except OSError as error:
        raise UserError(f"cannot write to {folder}: {error.strerror}; choose another --output.") from error
    for kind in ("svg", "pdf", "png"):
        click.echo(folder / f"{run.run_id}.{kind}")


def _show(found: "Report") -> None:
    from rich.markup import escape

    from dgpexp.report.page.render import to_rich, wide_console

    console = wide_console()
    console.print(f"Profile {found.profile}: {found.source.sentence}", highlight=False, markup=False)
    for grid in found.main_grids:
        if not grid.empty:
            console.print(to_rich(grid))
    if found.groups and all(g.section == "own" for g in found.groups.values()):
        return  # somebody's own data say nothing about the thesis's claims
    for claim in found.claims:
        console.print(f"[bold]{claim.status}[/bold]: {escape(claim.text)} ({escape(claim.evidence)})", highlight=False)


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

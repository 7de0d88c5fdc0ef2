"""`dgpexp compare`: two sets of runs, paired."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dgpexp.cli.options import JSON, RESULTS, TAG
from dgpexp.predictive.metrics import METRICS, headline
from dgpexp.tasks import TASKS

if TYPE_CHECKING:
    from dgpexp.report.statistics.compare import Comparison


_WATCHED = tuple(dict.fromkeys(key for task in TASKS.values() for key in headline(task)))


@click.command()
@click.argument("a")
@click.argument("b")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    type=click.Choice(tuple(METRICS)),
    help=f"Compare this metric. Repeatable (default: {', '.join(_WATCHED)}, as far as the runs have them).",
)
@click.option("--confounded", is_flag=True, help="Name a winner even if A and B differ in other settings as well.")
@TAG
@RESULTS
@JSON
def compare(
    a: str,
    b: str,
    metrics: tuple[str, ...],
    confounded: bool,
    tags: tuple[str, ...],
    results: Path | None,
    as_json: bool,
) -> None:
    """Paired differences B - A per cell, with 95 % intervals and the winners that Holm's correction leaves.

    A and B are [FOLDER@]PROFILE[:KEY=VALUE,...]: a profile's runs, in another results folder, with these columns or
    settings. Runs are paired by data set, method, depth, S and split.

    \b
    dgpexp compare thesis:precision=float64 thesis:precision=mixed
    dgpexp compare before@thesis thesis
    dgpexp compare thesis:method=vi,layers=3 thesis:method=aepmcm,layers=3
    """
    from dgpexp.files import plain
    from dgpexp.report.statistics import compare as comparison
    from dgpexp.store.stored_run import results_dir
    from dgpexp.terminal.output import say

    folder = results_dir(results)
    sets = comparison.parse(a, folder, tags), comparison.parse(b, folder, tags)
    found = comparison.compare(*sets, metrics or _WATCHED, confounded)
    sources = {selector.text: selector.source.sentence for selector in sets}
    for selector in sets:
        if selector.source.committed:
            say(f"{selector.text}: {selector.source.sentence}")
        for sentence in selector.source.code:
            say(f"{selector.text}: {sentence}")
    if found.confounds:
        others = "; ".join(f"{name}: {values}" for name, values in found.confounds.items())
        hint = "" if confounded else " No winner is named across that; --confounded names one."
        say(f"A and B also differ in {others}.{hint}")
    if as_json:
        rows = [
            {**asdict(d), "mean_a": d.mean_second, "mean_b": d.mean_first, "better": d.better or None}
            for d in found.differences
        ]
        counted = {family: asdict(o) for family, o in comparison.over_datasets(found.differences).items()}
        answer = {"a": a, "b": b, "sources": sources, "also_differ": found.confounds}
        answer |= {"differences": plain(rows), "over_datasets": counted}
        click.echo(json.dumps(answer, indent=1, allow_nan=False))
    else:
        _show(a, b, found)


def _show(a: str, b: str, found: "Comparison") -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from dgpexp.report.page.render import wide_console
    from dgpexp.report.statistics.compare import HEAD, over_datasets, printed, title

    console = wide_console()
    counted = over_datasets(found.differences)
    for family in dict.fromkeys(d.family for d in found.differences):
        same = [d for d in found.differences if d.family == family]
        table = Table(title=Text(f"{title(same[0])}: B - A, A = {a}, B = {b}"), title_justify="left", box=box.SIMPLE)
        table.add_column(HEAD[0], no_wrap=True)
        for head in HEAD[1:]:
            table.add_column(head, justify="right")
        for d in same:
            table.add_row(*printed(d), style="bold" if d.better else "")
        console.print(table)
        wins = {side: sum(d.better == side for d in same) for side in "AB"}
        cells = "1 cell" if len(same) == 1 else f"{len(same)} cells"
        console.print(f"{cells}: A better in {wins['A']}, B in {wins['B']}; in the rest neither is known to be.")
        if family in counted:
            console.print(counted[family].sentence())

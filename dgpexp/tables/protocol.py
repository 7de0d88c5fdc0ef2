"""`dgpexp run csv`: experiments/csv.toml for one table of the user's own, and what `run` does around its runs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dgpexp.config import RunSpec, Settings
from dgpexp.datasets.large import EVALUATED, is_large
from dgpexp.datasets.sources.folder import data_dir
from dgpexp.errors import UserError
from dgpexp.plan.protocol import CSV, Select, read_protocol
from dgpexp.plan.subject import Say, Subject
from dgpexp.tables import AUTO
from dgpexp.tables.combined import deep_methods
from dgpexp.tables.own_table import OwnTable, read_own
from dgpexp.tables.reading import Rules


@dataclass(frozen=True)
class TableRun(Subject):
    """The runs on the table in a file: the splits, and a model of all rows for `dgpexp predict`."""

    table: OwnTable | None = None
    mixed: bool = False  # by `--method auto`

    @property
    def own(self) -> OwnTable:
        assert self.table is not None
        return self.table

    def selections(self, select: Select) -> list[Select]:
        if AUTO in select.methods:
            methods = [*deep_methods(self.own.dataset.rows), *(m for m in select.methods if m != AUTO)]
            select = replace(select, methods=tuple(dict.fromkeys(methods)))
        if is_large(self.own.dataset.rows):
            least = {"evaluate_rows": EVALUATED, "whole_test": False}
            select = replace(select, changes={**least, **select.changes})
        if select.splits:
            return [select]
        if is_large(self.own.dataset.rows):
            select = replace(select, splits=(0,))
        return [select, replace(select, splits=(0,), changes={**select.changes, "all_rows": True})]

    @contextmanager
    def planned(self, dry_run: bool, say: Say) -> Iterator[None]:
        if not data_dir().exists() and not dry_run:
            say(f"The table is kept in a new folder, {data_dir()}; DGPEXP_DATA names another one.")
        with self.own.kept(for_good=not dry_run):
            yield

    def opening(self, specs: Sequence[RunSpec], results: Path, say: Say) -> list[str]:
        from dgpexp.tables.closing import opening_table

        return opening_table(self.own.dataset, specs, results, say)

    def closing(self, specs: Sequence[RunSpec], results: Path, profile: str, say: Say) -> list[str]:
        from dgpexp.tables.closing import closing_table

        return ["", *closing_table(self.own.dataset, specs, results, profile, say, self.mixed)]


def recommended(method: str | None = None) -> tuple[str, Settings]:
    """The method and the settings that a table of anybody's own gets: those of experiments/csv.toml's first profile.

    `dgpexp run csv` and the estimators both ask here; another method gets the same recipe.
    """
    protocol = read_protocol(CSV)
    profile = protocol.default_profile
    method = method or str(protocol.sweep(profile)["methods"][0])
    return method, protocol.settings(profile, "", method)


def table_run(
    file: Path | None,
    target: str | None,
    drop: Sequence[str],
    test: Path | None,
    missing: str | None,
    dates: bool,
    task: str | None,
    decimal: Sequence[str],
    thousands: Sequence[str],
    date_format: Sequence[str],
    select: Select,
) -> TableRun:
    """Read the table in `file` and make its protocol; a test file makes one split of it, counted 0."""
    if file is None:
        raise UserError("name the file: dgpexp run csv FILE --target COLUMN.")
    rules = Rules(decimal, thousands, date_format, dates)
    own = read_own(file, target, drop, test, missing, dates, task, rules)
    protocol = read_protocol(CSV)
    sweep: dict[str, Any] = {"datasets": [own.dataset.name]}
    if test is not None and any(select.splits):
        raise UserError("with --test there is one split, 0: leave out --splits.")
    options = [str(file), "--target", own.dataset.target]
    options += [word for name in drop for word in ("--drop", name)] + (["--test", str(test)] if test else [])
    options += (["--missing", missing] if missing else []) + (["--dates"] if dates else [])
    options += (["--task", task] if task else []) + rules.as_options()
    named = replace(
        protocol,
        tables=_with(protocol.tables, sweep),
        profiles={name: _with(tables, sweep) for name, tables in protocol.profiles.items()},
        options=tuple(options),
    )
    return TableRun(named, [f"{file}: {note}" for note in own.notes], own, AUTO in select.methods)


def _with(tables: Mapping[str, Any], sweep: Mapping[str, Any]) -> dict[str, Any]:
    return {**tables, "sweep": {**tables.get("sweep", {}), **sweep}}

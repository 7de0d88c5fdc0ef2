"""`dgpexp run csv`: experiments/csv.toml for one table of the user's own, and what `run` does around its runs."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from dgpexp.config import RunSpec, Settings
from dgpexp.datasets.large import EVALUATED, is_large
from dgpexp.datasets.sources.folder import data_dir
from dgpexp.errors import UserError
from dgpexp.methods import AUTO
from dgpexp.plan.protocol import CSV, Select, read_protocol
from dgpexp.plan.subject import Say, Subject
from dgpexp.reference.peers import peers
from dgpexp.tables.combined import DEEP, deep_methods
from dgpexp.tables.own_table import OwnTable, read_own
from dgpexp.tables.reading import Rules

_MOST_SPLITS, _ROWS_OF_SPLITS = 5, 25_000  # of `auto`: many rows say in few splits what models are worth


@dataclass(frozen=True)
class TableRun(Subject):
    """The runs on the table in a file: the splits, and a model of all rows for `dgpexp predict`."""

    table: OwnTable | None = None
    members: Mapping[str, Any] | None = None  # what the deep members of `auto` change, if it is asked for
    against: Sequence[str] = ()  # packages to compare with

    @property
    def own(self) -> OwnTable:
        assert self.table is not None
        return self.table

    def selections(self, select: Select) -> list[Select]:
        if self.members is None:
            return self._parts(select)
        found, rows = [], self.own.dataset.rows
        if others := tuple(method for method in select.methods if method != AUTO):
            found += self._parts(replace(select, methods=others))
        splits = select.splits
        if not splits and not self.own.dataset.test_rows:
            splits = tuple(range(min(_MOST_SPLITS, max(1, _ROWS_OF_SPLITS // rows))))
        mixed = replace(select, methods=tuple(deep_methods(rows)), changes={**self.members, **select.changes})
        return found + self._parts(mixed, splits, {"precision": "float64"})  # which the page of the table can repeat

    def _parts(
        self, select: Select, splits: tuple[int, ...] = (), final: Mapping[str, Any] = MappingProxyType({})
    ) -> list[Select]:
        """The runs on `splits` and, unless splits were asked for, one on all rows with settings of its own."""
        asked = select.splits
        if is_large(self.own.dataset.rows):
            least = {"evaluate_rows": EVALUATED, "whole_test": False}
            select, splits = replace(select, changes={**least, **select.changes}), (0,)
        if asked:
            return [select]
        all_rows = {**final, **select.changes, "all_rows": True}
        return [replace(select, splits=splits), replace(select, splits=(0,), changes=all_rows)]

    @contextmanager
    def planned(self, dry_run: bool, say: Say) -> Iterator[None]:
        if not data_dir().exists() and not dry_run:
            say(f"The table is kept in a new folder, {data_dir()}; DGPEXP_DATA names another one.")
        with self.own.kept(for_good=not dry_run):
            yield

    def opening(self, specs: Sequence[RunSpec], results: Path, say: Say) -> list[str]:
        from dgpexp.tables.closing import opening_table

        return opening_table(self.own.dataset, specs, results, say, self.against)

    def closing(self, specs: Sequence[RunSpec], results: Path, profile: str, say: Say) -> list[str]:
        from dgpexp.tables.closing import closing_table

        mixed = self.members is not None
        return ["", *closing_table(self.own.dataset, specs, results, profile, say, mixed, self.against)]


def recipes(method: str | None = None) -> dict[str, Settings]:
    """The settings of every method that trains a table: of those that `auto`, the default, mixes, or of one alone.

    They are those of experiments/csv.toml's first profile; `dgpexp run csv` and the estimators both ask here.
    """
    protocol = read_protocol(CSV)
    profile = protocol.default_profile
    if (method or AUTO) != AUTO:
        return {str(method): protocol.settings(profile, "", str(method))}
    return {name: protocol.settings(profile, "", name).change(protocol.of_members(profile)) for name in DEEP}


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
    profile: str | None = None,
    against: Sequence[str] = (),
) -> TableRun:
    """Read the table in `file` and make its protocol; a test file makes one split of it, counted 0."""
    if file is None:
        raise UserError("name the file: dgpexp run csv FILE --target COLUMN.")
    peers(against)
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
    profile = profile or protocol.default_profile
    mixed = AUTO in (select.methods or protocol.sweep(profile)["methods"])
    members = protocol.of_members(profile) if mixed else None
    return TableRun(named, [f"{file}: {note}" for note in own.notes], own, members, against)


def _with(tables: Mapping[str, Any], sweep: Mapping[str, Any]) -> dict[str, Any]:
    return {**tables, "sweep": {**tables.get("sweep", {}), **sweep}}

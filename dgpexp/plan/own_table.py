"""The protocol of `dgpexp run csv`: experiments/csv.toml for one table of the user's own."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from dgpexp.datasets.own.user_table import OwnTable, read_own
from dgpexp.errors import UserError
from dgpexp.plan.protocol import CSV, Protocol, Select, read_protocol


def own_protocol(
    file: Path | None,
    target: str | None,
    drop: Sequence[str],
    test: Path | None,
    missing: str | None,
    dates: bool,
    task: str | None,
    select: Select,
) -> tuple[Protocol, OwnTable]:
    """The runs on the table in `file`, and that table; a test file makes one split of it, counted 0."""
    if file is None:
        raise UserError("name the file: dgpexp run csv FILE --target COLUMN.")
    own = read_own(file, target, drop, test, missing, dates, task)
    protocol = read_protocol(CSV)
    sweep: dict[str, Any] = {"datasets": [own.dataset.name]}
    if test is not None and any(select.splits):
        raise UserError("with --test there is one split, 0: leave out --splits.")
    options = [str(file), "--target", own.dataset.target]
    options += [word for name in drop for word in ("--drop", name)] + (["--test", str(test)] if test else [])
    options += (["--missing", missing] if missing else []) + (["--dates"] if dates else [])
    options += ["--task", task] if task else []
    return (
        replace(
            protocol,
            tables=_with(protocol.tables, sweep),
            profiles={name: _with(tables, sweep) for name, tables in protocol.profiles.items()},
            options=tuple(options),
        ),
        own,
    )


def _with(tables: Mapping[str, Any], sweep: Mapping[str, Any]) -> dict[str, Any]:
    return {**tables, "sweep": {**tables.get("sweep", {}), **sweep}}

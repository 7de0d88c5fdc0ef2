"""Cells without a value: all of them counted and located in one sentence, or dealt with as was chosen."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from dgpexp.errors import UserError
from dgpexp.tables import columns as encoding
from dgpexp.tables.file import Cells

DROP, MEAN = "drop", "mean"
LEVEL = "missing"  # what a missing word becomes
_SHOWN = 5

Found = Mapping[str, Sequence[int]]  # column -> the rows in which it is missing


def locate(cells: Cells, columns: Iterable[str]) -> Found:
    """Where cells of these columns are missing."""
    found = {}
    for name in columns:
        rows = [row for row, cell in enumerate(cells.columns[name]) if cell.lower() in encoding.MISSING]
        if rows:
            found[name] = rows
    return found


def refuse(cells: Cells, found: Found) -> UserError:
    """How many there are, where, and what can be done about them."""
    places = "; ".join(f"'{name}' {len(rows)} ({_lines(cells, rows)})" for name, rows in found.items())
    count, rows = sum(map(len, found.values())), len(_rows(found))
    cells_are = "cell" if count == 1 else "cells"
    return UserError(
        f"{cells.path} has {count} missing {cells_are} in {rows} of {len(cells)} rows: {places}. "
        "Fill them in, leave those rows out by --missing drop, or take a column's mean (of words, a level of their "
        "own) by --missing mean."
    )


def resolve(
    cells: Cells, columns: Sequence[str], target: str, how: str | None, taught: Cells
) -> tuple[Cells, Found, list[str]]:
    """`cells` with nothing missing in columns and target, where a number was missing, and notes of what was done.

    What stands for a missing number, the mean of `taught`, is there to be read as a number and nothing more: the mean
    that a model sees is that of its training rows, which only its split knows (splits.py). A row whose target is
    missing teaches nothing, and is left out whatever was chosen.
    """
    found = locate(cells, [*columns, target])
    if not found:
        return cells, {}, []
    if how is None:
        raise refuse(cells, found)
    gone = _rows(found if how == DROP else {target: found.get(target, ())})
    notes = [f"{len(gone)} of {len(cells)} rows are left out, since cells of them are missing."] if gone else []
    kept = without(cells, gone)
    filled: dict[str, list[str]] = {}
    numbers: dict[str, Sequence[int]] = {}
    for name, rows in locate(kept, columns).items():
        text = value(taught, name)
        filled[name] = _filled(kept.columns[name], text)
        became = f"the level '{LEVEL}'" if text == LEVEL else "the mean of the training rows"
        notes.append(
            f"column '{name}': {len(rows)} missing {'cell' if len(rows) == 1 else 'cells'}, taken as {became}."
        )
        numbers |= {} if text == LEVEL else {name: rows}
    return replace(kept, columns={**kept.columns, **filled}, numbers={}), numbers, notes


def value(taught: Cells, name: str) -> str:
    """What a missing cell of the column is taken as: its mean, as text of the file's kind, or a level of its own."""
    present = [cell for cell in taught.columns[name] if cell.lower() not in encoding.MISSING]
    if not present:
        raise UserError(f"column '{name}' of {taught.path} has no value at all: {taught.leave_out(name)}.")
    numbers = encoding.floats(present, decimal_comma=taught.separator != ",")
    if numbers is None:
        return LEVEL
    text = f"{np.mean(numbers):.12g}"
    return text.replace(".", ",") if any(map(encoding.is_decimal_comma, present)) else text


def without(cells: Cells, gone: Iterable[int]) -> Cells:
    """The other rows."""
    gone = set(gone)
    keep = [row for row in range(len(cells)) if row not in gone]
    columns = {name: [column[row] for row in keep] for name, column in cells.columns.items()}
    return replace(cells, columns=columns, lines=[cells.lines[row] for row in keep], numbers={})


def _filled(column: Sequence[str], text: str) -> list[str]:
    return [text if cell.lower() in encoding.MISSING else cell for cell in column]


def _rows(found: Found) -> set[int]:
    return {row for rows in found.values() for row in rows}


def _lines(cells: Cells, rows: Sequence[int]) -> str:
    numbers = ", ".join(str(cells.lines[row]) for row in rows[:_SHOWN]) + (", ..." if len(rows) > _SHOWN else "")
    return f"{'line' if len(rows) == 1 else 'lines'} {numbers}"

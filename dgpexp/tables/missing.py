"""Cells without a value: all of them counted and located in one sentence, or dealt with as was chosen."""

from collections.abc import Iterable, Mapping

import numpy as np

from dgpexp.errors import UserError
from dgpexp.tables.file import Sheet
from dgpexp.tables.reading import LEVEL, WORDS, Readings

DROP, MEAN = "drop", "mean"
_SHOWN = 5

Found = Mapping[str, np.ndarray]  # column -> the rows in which it is missing


def locate(sheet: Sheet, columns: Iterable[str]) -> Found:
    """Where cells of these columns are missing."""
    return {name: rows for name in columns if len(rows := sheet.missing(name))}


def sentence(sheet: Sheet, found: Found) -> str:
    """How many there are, where, and what can be done about them."""
    places = "; ".join(f"'{name}' {len(rows)} ({_lines(sheet, rows)})" for name, rows in found.items())
    count = sum(map(len, found.values()))
    return (
        f"{sheet.path} has {count} missing {'cell' if count == 1 else 'cells'} in {len(rows_of(found))} of "
        f"{len(sheet)} rows: {places}. Fill them in, leave those rows out by --missing drop, or take a column's mean "
        "(of words, a level of their own) by --missing mean."
    )


def rows_of(found: Found) -> set[int]:
    """Every row in which something is missing."""
    return {int(row) for rows in found.values() for row in rows}


def resolve(sheet: Sheet, found: Found, target: str, how: str | None, readings: Readings) -> tuple[Sheet, list[str]]:
    """The rows that are left, and notes of what was done.

    A row whose target is missing teaches nothing, and is left out whatever was chosen. A missing number stays missing:
    the mean that a model sees is that of its training rows, which only its split knows (datasets/splits.py).
    """
    if not found:
        return sheet, []
    gone = rows_of(found if how == DROP else {target: found.get(target, np.array([], dtype=int))})
    notes = [_left_out(found, gone, len(sheet))] if gone else []
    kept = sheet.without(gone)
    for name, rows in locate(kept, [name for name in found if name != target]).items():
        if len(rows) == len(kept):
            raise UserError(f"column '{name}' of {sheet.path} has no value at all: {sheet.leave_out(name)}.")
        became = f"the level '{LEVEL}'" if readings[name].kind == WORDS else "the mean of the training rows"
        cells = "cell" if len(rows) == 1 else "cells"
        notes.append(f"column '{name}': {len(rows)} missing {cells}, taken as {became}.")
    return kept, notes


def _left_out(found: Found, gone: set[int], rows: int) -> str:
    """How many rows are lost; said loudly where it is most of them."""
    if 2 * len(gone) <= rows:
        return f"{len(gone)} of {rows} rows are left out, since cells of them are missing."
    name = max(found, key=lambda name: len(found[name]))
    return (
        f"WARNING: ONLY {rows - len(gone)} OF {rows} ROWS ARE LEFT, since {len(gone)} lack a cell; '{name}' lacks "
        f"{len(found[name])}: --drop '{name}' or --missing mean keeps more."
    )


def _lines(sheet: Sheet, rows: np.ndarray) -> str:
    places = [sheet.line(int(row)).split(" ") for row in rows[:_SHOWN]]
    numbers = ", ".join(number for _, number in places) + (", ..." if len(rows) > _SHOWN else "")
    return f"{places[0][0]}{'' if len(rows) == 1 else 's'} {numbers}"

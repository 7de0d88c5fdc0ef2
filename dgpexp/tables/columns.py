"""From the text of a table to numbers: which columns are numbers, which are words, and how words become inputs.

A column of words with levels a, b, c becomes the inputs `column=a`, `column=b`, `column=c`, each 0 or 1; of two levels
the second one's input says it all. The levels are those of the training file and travel with a run, so that new rows
are encoded as the model was taught; a level it never saw is refused.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dgpexp.datasets.kept import Levels, names_of
from dgpexp.datasets.scaling import LARGEST
from dgpexp.errors import UserError
from dgpexp.tables.file import Cells

MISSING = frozenset(("", "na", "n/a", "#n/a", "<na>", "nan", "null", "?"))  # in lower case
_DECIMAL_COMMA = re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?")
_CLOCK = r"\d{1,2}:\d{2}(:\d{2}(\.\d+)?)?( ?[AaPp][Mm])?"
_ZONE = r"( ?(Z|UTC|[+-]\d{2}:?\d{2}))?"
_MONTH = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAYS = (
    r"\d{4}[-/.]\d{1,2}([-/.]\d{1,2})?",  # 2026-03-31, 2026/03
    r"\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}",  # 31.3.2026, 3/31/26
    r"\d{1,2}[ -]" + _MONTH + r"[ -]\d{2,4}",  # 31 March 2026
    _MONTH + r" \d{1,2},? \d{4}",  # Mar 31, 2026
    _MONTH + r"[ -]\d{2,4}",  # March 2026
)
_DATE = re.compile(rf"({'|'.join(_DAYS)})([T ]{_CLOCK}{_ZONE})?|{_CLOCK}", re.IGNORECASE)
_MOST_LEVELS, _FEW_LEVELS = 50, 10


@dataclass(frozen=True)
class Learnt:
    """How the columns of a training file become inputs, and what a person should know about it."""

    features: tuple[str, ...]
    levels: dict[str, tuple[str, ...]]
    notes: tuple[str, ...]


def learn(cells: Cells, columns: Sequence[str]) -> Learnt:
    """Numbers as they are, words by level, constants not at all."""
    features: list[str] = []
    levels: dict[str, tuple[str, ...]] = {}
    notes = []
    for name in columns:
        column = cells.columns[name]
        values = numbers(cells, name)
        words = () if values is not None else _levels(cells, name)
        if len(words) == 1 or (values is not None and values.min() == values.max()):
            notes.append(f"column '{name}' is {column[0]} in every row: it is left out.")
        elif values is None:
            levels[name] = words
            inputs = names_of(name, words)
            features += inputs
            many = "1 input" if len(inputs) == 1 else f"{len(inputs)} inputs"
            notes.append(f"column '{name}' has words, {len(words)} levels ({some(words)}): one-hot, {many}.")
        else:
            features.append(name)
            if np.array_equal(np.diff(values), np.ones(len(values) - 1)):
                notes.append(f"column '{name}' counts the rows: if it means nothing, leave it out by --drop '{name}'.")
            if cells.separator != "," and any(map(is_decimal_comma, column)):
                notes.append(f"column '{name}' has decimal commas: {column[0]} is read as {values[0]:g}.")
    if len(set(features)) < len(features):
        twice = next(f for f in features if features.count(f) > 1)
        raise UserError(f"{cells.path} has a column '{twice}' and a level of that name: rename the column.")
    return Learnt(tuple(features), levels, tuple(notes))


def _levels(cells: Cells, name: str) -> tuple[str, ...]:
    """The words of a column in alphabetical order, unless they are dates, mistyped numbers or names of the rows."""
    column = cells.columns[name]
    first = first_word(column)
    if all(map(is_date, column)):
        raise UserError(
            f"column '{name}' of {cells.path} has dates ({column[0]}): turn them into numbers that mean something, "
            f"{cells.about_dates}, or {cells.leave_out(name)}."
        )
    if sum(map(is_decimal_comma, column)) > len(column) / 2:
        raise UserError(
            f"{cells.place(first, name)}: '{column[first]}' has a comma in it; write it with a point, or none."
        )
    if sum(map(is_number, column)) > len(column) / 2:
        raise UserError(
            f"{cells.place(first, name)}: '{column[first]}' is not a number, but most of the column are; correct it, "
            f"or {cells.leave_out(name)}."
        )
    words = tuple(sorted(set(column)))
    most = min(_MOST_LEVELS, max(_FEW_LEVELS, len(column) // 10))
    if len(words) > most:
        raise UserError(
            f"column '{name}' of {cells.path} has {len(words)} different words ({some(words)}) in {len(column)} rows, "
            f"more than the {most} that can be told apart; {cells.leave_out(name)}, or group them."
        )
    return words


def some(words: Sequence[str]) -> str:
    """All words, or the first of many."""
    return ", ".join(words if len(words) <= 4 else [*words[:3], "..."])


def numbers(cells: Cells, name: str) -> np.ndarray | None:
    """The column as numbers [n], or None if it has words in it; what is missing or infinite is refused."""
    if name in cells.numbers:
        return cells.numbers[name]
    column = cells.columns[name]
    values = floats(column, decimal_comma=cells.separator != ",")
    if values is None or np.isnan(values).any():
        for row, cell in enumerate(column):
            if cell.lower() in MISSING:
                raise UserError(
                    f"{cells.place(row, name)} is missing{f' ({cell})' if cell else ''}: fill it in, remove that row, "
                    "or leave the column out."
                )
    if values is not None and not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise UserError(f"{cells.place(row, name)} is not a finite number ({column[row]}): remove that row.")
    if values is not None and len(values) and np.abs(values).max() > LARGEST:
        row = int(np.argmax(np.abs(values)))
        raise UserError(f"{cells.place(row, name)} is too large ({column[row]}): give the column another unit.")
    if values is not None:
        cells.numbers[name] = values
    return values


def floats(column: Sequence[str], decimal_comma: bool) -> np.ndarray | None:
    """The cells as numbers [n], or None if one of them is none."""
    try:
        return np.array([float(cell) for cell in column])
    except ValueError:
        if decimal_comma and all(map(_DECIMAL_COMMA.fullmatch, column)):
            return np.array([float(cell.replace(",", ".")) for cell in column])
        return None


def only_numbers(cells: Cells, name: str, why: str) -> np.ndarray:
    """The column as numbers; the first word in it is refused, `why` says what numbers are needed for."""
    values = numbers(cells, name)
    if values is None:
        row = first_word(cells.columns[name])
        raise UserError(f"{cells.place(row, name)}: '{cells.columns[name][row]}' is not a number{why}.")
    return values


def first_word(column: Sequence[str]) -> int:
    """The row of the first cell that is not a number."""
    return next(row for row, cell in enumerate(column) if not is_number(cell))


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def is_decimal_comma(cell: str) -> bool:
    return bool(_DECIMAL_COMMA.fullmatch(cell)) and "," in cell


def is_date(cell: str) -> bool:
    """Whether it reads like a day, a month of a year, or a time of the day."""
    return bool(_DATE.fullmatch(cell))


def encode(cells: Cells, features: Sequence[str], levels: Levels) -> np.ndarray:
    """The inputs [n, D] of a model with these features and levels."""
    x = np.empty((len(cells), len(features)))
    place = {feature: j for j, feature in enumerate(features)}
    for name, known in levels.items():
        column = cells.columns[name]
        for row, cell in enumerate(column):
            if cell not in known:
                raise UserError(
                    f"{cells.place(row, name)}: "
                    + (f"'{cell}' is a level that the training rows do not have" if cell else "it is missing")
                    + f"; they have {', '.join(known)}."
                )
        for level, feature in zip(known[-len(names_of(name, known)) :], names_of(name, known), strict=True):
            x[:, place.pop(feature)] = [cell == level for cell in column]
    for name, j in place.items():
        x[:, j] = only_numbers(cells, name, " to predict from")
    return x


def needed(features: Sequence[str], levels: Levels) -> list[str]:
    """The columns that a file must have for `encode`: a column of words once, by its own name."""
    made = {feature for name, known in levels.items() for feature in names_of(name, known)}
    return [*(f for f in features if f not in made), *levels]

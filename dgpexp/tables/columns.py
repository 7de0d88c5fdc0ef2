"""From columns, each with its reading, to inputs: numbers, parts of dates, and a 0 or 1 for each level of words.

A column of words with levels a, b, c becomes the inputs `column=a`, `column=b`, `column=c`, each 0 or 1; for two levels
the second one's input says it all. A level that the training rows do not have is refused.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dgpexp.datasets.kept import DATE_PARTS, Levels, names_of
from dgpexp.datasets.scaling import LARGEST, SMALLEST
from dgpexp.errors import UserError
from dgpexp.tables import dates
from dgpexp.tables.file import CONTROL, Sheet, plain
from dgpexp.tables.reading import (
    DATE,
    LEVEL,
    NUMBER,
    PLAIN_NUMBER,
    WORDS,
    Reading,
    Readings,
    fits,
    fits_one,
    holds_numbers,
    is_number,
    numbers,
    present,
    usual_marks,
)

_EXACT = 2**53  # whole numbers beyond are rounded
_MOST_LEVELS, _FEW_LEVELS = 50, 10
_NAMED = 5  # columns that a note names


def quantity(sheet: Sheet, name: str, reading: Reading, why: str = "") -> np.ndarray:
    """The column as numbers [n], NaN where a cell is missing; what is no finite number of a usual size is refused."""
    column, gone = plain(sheet.columns[name]), sheet.missing(name)
    if holds_numbers(column):
        values = np.asarray(pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=float)
    else:
        text = usual_marks(as_text(column))
        if len(gone):
            mask = np.zeros(len(text), dtype=bool)
            mask[gone] = True
            text = pc.if_else(pa.array(mask), "0", text)
        right = fits(text, reading)
        if not right.all():
            row = int(np.argmin(right))
            raise UserError(_unfit(sheet, name, row, text[row].as_py(), reading, why))
        values = numbers(text, reading)
    values = values.copy()
    values[gone] = np.nan
    check_sizes(sheet, name, values)
    return values


def _unfit(sheet: Sheet, name: str, row: int, cell: str, reading: Reading, why: str) -> str:
    """Why a cell is no number in a reading that the training rows have."""
    if is_number(cell):
        return (
            f"{sheet.place(row, name)}: '{cell}' is not written as the training rows are ({reading.words}): "
            "write it so, or say how by --decimal or --thousands."
        )
    return f"{sheet.place(row, name)}: '{cell}' is not a number{why}."


def check_sizes(sheet: Sheet, name: str, values: np.ndarray) -> None:
    """Refuse what is infinite, or so large that its square is."""
    if np.isinf(values).any():
        row = int(np.argmax(np.isinf(values)))
        raise UserError(
            f"{sheet.place(row, name)} is not a finite number ({cell_of(sheet, name, row)}): remove that row."
        )
    if len(values) and (reason := unusual(values)):
        row = int(np.nanargmax(np.abs(values)))
        text = cell_of(sheet, name, row)
        raise UserError(f"{sheet.place(row, name)} {reason} ({text}): give the column another unit.")


def unusual(values: np.ndarray) -> str:
    """Why numbers [n] cannot be scaled in double precision, or nothing; NaN is passed over."""
    there = values[~np.isnan(values)]
    if len(there) and np.abs(there).max() > LARGEST:
        return "is too large"
    return f"varies by {np.ptp(there):.1g} only" if len(there) and 0 < np.ptp(there) < SMALLEST else ""


def cell_of(sheet: Sheet, name: str, row: int) -> str:
    return str(plain(sheet.columns[name])[row].as_py())


def as_text(column: Any) -> Any:
    """A column as text, whatever its type."""
    column = plain(column)
    return column if pa.types.is_string(column.type) else pc.cast(column, pa.string())


def moments(sheet: Sheet, name: str, reading: Reading) -> list[datetime | None]:
    """The column as dates, None where a cell is missing; one that is written otherwise is refused."""
    column, gone = sheet.columns[name], set(sheet.missing(name).tolist())
    if pa.types.is_timestamp(column.type):
        if column.type.tz:
            column = pc.cast(column, pa.timestamp("us", "UTC"))
        return [when and when.replace(tzinfo=None) for when in column.to_pylist()]
    if not reading.date_format:
        raise UserError(f"{sheet.path}: the model learnt '{name}' from a Parquet file: say --date-format.")
    cells = as_text(column).to_pylist()
    known = {cell: dates.parse(cell, reading.date_format) for cell in dict.fromkeys(cells)}
    for row, cell in enumerate(cells):
        if known[cell] is None and row not in gone:
            raise UserError(
                f"{sheet.place(row, name)}: '{cell}' is not written as the dates of the training rows are "
                f"({reading.date_format})."
            )
    return [None if row in gone else known[cell] for row, cell in enumerate(cells)]


def date_parts(sheet: Sheet, name: str, reading: Reading) -> dict[str, np.ndarray]:
    """The numbers that a column of dates becomes, by the names of the inputs."""
    found, format = moments(sheet, name, reading), reading.date_format
    clock = "%H" in format or "%I" in format
    if not format:
        clock = any(when and (when.hour or when.minute or when.second) for when in found)
    day = not format or "%d" in format or "%m" in format or "%b" in format or "%Y" in format
    return {f"{name}.{part}": values for part, values in dates.parts(found, day, clock).items()}


# ---- from columns to inputs


@dataclass(frozen=True)
class Learnt:
    """How the columns of a training file become inputs, those inputs, and what a person should know about it."""

    features: tuple[str, ...]
    levels: dict[str, tuple[str, ...]]
    readings: Readings
    x: np.ndarray  # [n, D]
    notes: tuple[str, ...]


def learn(sheet: Sheet, names: Sequence[str], readings: Readings) -> Learnt:
    """Numbers as they are, words by level, parts of dates, constants not at all."""
    inputs: dict[str, np.ndarray] = {}
    levels: dict[str, tuple[str, ...]] = {}
    notes: list[str] = []
    refused: list[str] = []
    for name in names:
        try:
            found = _inputs(sheet, name, readings[name], levels, notes)
        except UserError as error:
            refused.append(str(error))
            continue
        if twice := [f for f in found if f in inputs or (f != name and f in sheet.columns)]:
            what = "dates with a part" if readings[name].kind == DATE else "a level"
            raise UserError(f"{sheet.path} has a column '{twice[0]}' and {what} of that name: rename the column.")
        inputs |= found
    refuse(refused)
    notes += marks_stated(sheet, {name: readings[name] for name in names if name in inputs})
    x = np.empty((len(sheet), len(inputs)))
    for j, values in enumerate(inputs.values()):
        x[:, j] = values
    return Learnt(tuple(inputs), levels, {n: readings[n] for n in names}, x, tuple(notes))


def refuse(sentences: Iterable[str]) -> None:
    """Raise all of them at once, if there are any."""
    if sentences := list(dict.fromkeys(sentences)):
        raise UserError("\n".join(sentences))


def _inputs(
    sheet: Sheet, name: str, reading: Reading, levels: dict[str, tuple[str, ...]], notes: list[str]
) -> dict[str, np.ndarray]:
    if reading.kind == WORDS:
        cells, words = words_of(sheet, name), _levels(sheet, name)
        if len(words) == 1:
            notes.append(f"column '{name}' is {words[0]} in every row: it is left out.")
            return {}
        levels[name] = words
        made = names_of(name, words)
        many = "1 input" if len(made) == 1 else f"{len(made)} inputs"
        notes.append(f"column '{name}' has words, {len(words)} levels ({some(words)}): one-hot, {many}.")
        return _one_hot(cells, name, words)
    found = date_parts(sheet, name, reading) if reading.kind == DATE else {name: quantity(sheet, name, reading)}
    kept = {feature: values for feature, values in found.items() if not _constant(values)}
    if reading.kind == DATE:
        notes += [
            f"column '{feature}' is the same in every row: it is left out." for feature in found if feature not in kept
        ]
        return kept
    values = found[name]
    if not kept:
        notes.append(f"column '{name}' is {first_cell(sheet, name)} in every row: it is left out.")
    elif np.array_equal(np.diff(values), np.ones(len(values) - 1)):
        notes.append(f"column '{name}' counts the rows: if it means nothing, leave it out by --drop '{name}'.")
    notes += _doubts(sheet, name, values)
    return kept


def _constant(values: np.ndarray) -> bool:
    there = values[~np.isnan(values)]
    return not len(there) or bool(there.min() == there.max())


def _doubts(sheet: Sheet, name: str, values: np.ndarray) -> list[str]:
    """What numbers may have lost: leading zeros, digits beyond the sixteenth; and dates without marks."""
    column = plain(sheet.columns[name])
    whole = values[~np.isnan(values)]
    if pa.types.is_string(column.type) and pc.any(pc.match_substring_regex(column, r"^[+-]?0\d+$")).as_py():
        return [
            f"column '{name}' has leading zeros, and is read as numbers; write a letter before them if they are names."
        ]
    if found := rounded(name, whole):
        return found
    if len(whole) and whole.min() >= 19000101 and whole.max() <= 21001231 and (whole == np.round(whole)).all():
        texts = [f"{int(v)}" for v in np.unique(whole)[:50]]
        if all(dates.parse(f"{t[:4]}-{t[4:6]}-{t[6:]}", "%Y-%m-%d") for t in texts):
            return [f"column '{name}' is read as numbers; if they are dates, say --date-format '{name}=%Y%m%d'."]
    return []


def rounded(name: str, values: np.ndarray) -> list[str]:
    """A note of whole numbers [n] that double precision cannot tell apart."""
    if not len(values) or np.abs(values).max() < _EXACT or (values != np.round(values)).any():
        return []
    return [f"column '{name}' has whole numbers beyond 2^53, which are rounded: if they are names, leave it out."]


def first_cell(sheet: Sheet, name: str) -> str:
    """A cell that is there."""
    gone = set(sheet.missing(name).tolist())
    return cell_of(sheet, name, next((row for row in range(len(sheet)) if row not in gone), 0))


def marks_stated(sheet: Sheet, readings: Readings) -> list[str]:
    """A note for every reading that is not the plain one, or that the column alone leaves open, with a cell."""
    found: dict[str, list[str]] = {}
    for name, reading in readings.items():
        if reading.kind != NUMBER or not pa.types.is_string(sheet.columns[name].type):
            continue
        cells = present(sheet, name)
        marked = cells.filter(pc.match_substring_regex(cells, f"[{re.escape(reading.decimal + reading.thousands)}]"))
        if not len(marked):
            continue
        cell, doubt = marked[0].as_py(), ""
        if reading == PLAIN_NUMBER:
            other = Reading(NUMBER, ",", ".")
            if not (fits_one(cell, other) and fits(cells, other).all()):
                continue
            doubt = f"; if it is {numbers(marked.slice(0, 1), other)[0]:.12g}, say --thousands '{name}=.'"
        seen = f"{cell} read as {numbers(marked.slice(0, 1), reading)[0]:.12g}{doubt}"
        found.setdefault(reading.words, []).append(f"column '{name}': {reading.words}, {seen}.")
    notes = []
    for words, lines in found.items():
        notes += lines[:_NAMED]
        notes += [f"{len(lines) - _NAMED} more columns: {words}."] if len(lines) > _NAMED else []
    return notes


def dates_stated(sheet: Sheet, readings: Readings) -> list[str]:
    """A note for every column of dates."""
    notes = []
    for name, reading in readings.items():
        if reading.kind == DATE:
            seen = dates.example(first_cell(sheet, name), reading.date_format) if reading.date_format else ""
            notes.append(f"column '{name}' has dates{seen}: its parts are inputs, {name}.year and so on.")
    return notes


def words_of(sheet: Sheet, name: str) -> Any:
    """The column as text, missing cells as a level of their own."""
    column, gone = as_text(sheet.columns[name]), sheet.missing(name)
    if len(gone):
        mask = np.zeros(len(column), dtype=bool)
        mask[gone] = True
        column = pc.if_else(pa.array(mask), LEVEL, column)
    return column


def _levels(sheet: Sheet, name: str) -> tuple[str, ...]:
    """The words of a column in alphabetical order, unless they are names of the rows."""
    words = tuple(sorted(pc.unique(words_of(sheet, name)).to_pylist()))
    most = min(_MOST_LEVELS, max(_FEW_LEVELS, len(sheet) // 10))
    if len(words) > most:
        raise UserError(
            f"column '{name}' of {sheet.path} has {len(words)} different words ({some(words)}) in {len(sheet)} "
            f"rows, more than the {most} allowed; {sheet.leave_out(name)}, or group them."
        )
    if odd := next((word for word in words if CONTROL.search(word)), None):
        raise UserError(f"column '{name}' of {sheet.path}: '{odd}' has control characters in it.")
    return words


def some(words: Sequence[str]) -> str:
    """All words, or the first of many."""
    return ", ".join(words if len(words) <= 4 else [*words[:3], "..."])


def _one_hot(cells: Any, name: str, words: Sequence[str]) -> dict[str, np.ndarray]:
    made = names_of(name, words)
    return {
        feature: pc.equal(cells, level).to_numpy(zero_copy_only=False).astype(float)
        for level, feature in zip(words[-len(made) :], made, strict=True)
    }


def encode(sheet: Sheet, features: Sequence[str], levels: Levels, readings: Readings) -> np.ndarray:
    """The inputs [n, D] of a model with these features, NaN where a number is missing."""
    x = np.empty((len(sheet), len(features)))
    place = {feature: j for j, feature in enumerate(features)}
    made: dict[str, np.ndarray] = {}
    for name, known in levels.items():
        cells = words_of(sheet, name)
        strange = np.flatnonzero(~pc.is_in(cells, value_set=pa.array(known)).to_numpy(zero_copy_only=False))
        if len(strange):
            row = int(strange[0])
            raise UserError(
                f"{sheet.place(row, name)}: '{cells[row].as_py()}' is a level that the training rows do not "
                f"have; they have {', '.join(known)}."
            )
        made |= _one_hot(cells, name, known)
    for name in needed(features, levels, dated(readings)):
        if name in levels:
            continue
        reading = readings.get(name, Reading(NUMBER))
        if reading.kind == DATE:
            made |= {
                feature: values for feature, values in date_parts(sheet, name, reading).items() if feature in place
            }
        else:
            made[name] = quantity(sheet, name, reading, " to predict from")
    if lacking := [feature for feature in features if feature not in made]:
        raise UserError(f"{sheet.path} does not say {', '.join(lacking)}, which the model needs.")
    for feature, j in place.items():
        x[:, j] = made[feature]
    return x


def dated(readings: Readings) -> list[str]:
    """The columns of dates."""
    return [name for name, reading in readings.items() if reading.kind == DATE]


def needed(features: Sequence[str], levels: Levels, dated: Iterable[str] = ()) -> list[str]:
    """The columns that a file must have for `encode`: words and dates once, by the name of their column."""
    made = {feature for name, known in levels.items() for feature in names_of(name, known)}
    dated, found = set(dated), dict[str, None]()
    for feature in features:
        if feature not in made:
            stem, _, part = feature.rpartition(".")
            found[stem if part in DATE_PARTS and stem in dated else feature] = None
    return [*found, *levels]

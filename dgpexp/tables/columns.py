"""What a column is: numbers, words or dates. The one place that decides it, for files, test rows, new rows and frames.

A column has one Reading, which holds for all its cells: its decimal mark and its mark between thousands, or the format
of its dates. It is learnt from the training file, stated where it is not the plain one, and kept with the table and its
runs, so that new rows are read in the very same way. A column that two readings fit is refused with the option that
decides it.

A column of words with levels a, b, c becomes the inputs `column=a`, `column=b`, `column=c`, each 0 or 1; for two levels
the second one's input says it all. A level that the training rows do not have is refused.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
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
from dgpexp.tasks import CLASSIFICATION, REGRESSION

NUMBER, WORDS, DATE, UNKNOWN = "number", "words", "date", "unknown"
LEVEL = "missing"  # what a missing word becomes
_MARKS = {".": "point", ",": "comma", " ": "space", "'": "apostrophe"}
_FOREIGN = "[\u00a0\u2009\u202f\u2019]"
_SPECIAL = "[+-]?inf(inity)?"
_EXACT = 2**53  # whole numbers beyond are rounded
_MOST_LEVELS, _FEW_LEVELS = 50, 10
_NAMED = 5  # columns that a note names


@dataclass(frozen=True)
class Reading:
    """How all cells of one column are written."""

    kind: str
    decimal: str = "."
    thousands: str = ""
    date_format: str = ""  # none where the file itself says what its dates are

    def stored(self) -> dict[str, str]:
        """All that a plain number does not have, for a JSON file."""
        if self.kind == DATE:
            return {"date": self.date_format}
        marks = {"decimal": self.decimal if self.decimal != "." else "", "thousands": self.thousands}
        return {key: mark for key, mark in marks.items() if mark}

    @classmethod
    def of_stored(cls, kept: Mapping[str, str]) -> "Reading":
        if "date" in kept:
            return cls(DATE, date_format=kept["date"])
        return cls(NUMBER, kept.get("decimal", "."), kept.get("thousands", ""))

    @property
    def words(self) -> str:
        """The marks as people call them."""
        marks = [f"decimal {_MARKS[self.decimal]}"]
        return ", ".join(marks + ([f"thousands {_MARKS[self.thousands]}"] if self.thousands else []))


@dataclass(frozen=True)
class Rules:
    """What a person said about columns: `--decimal ,` of all, `--decimal 'area=,'` of one."""

    decimal: Sequence[str] = ()
    thousands: Sequence[str] = ()
    date_format: Sequence[str] = ()
    dates: bool = False

    def __post_init__(self) -> None:
        for option, known in (("decimal", ".,"), ("thousands", ".,' ")):
            for text in getattr(self, option):
                if text.rpartition("=")[2] not in tuple(known):
                    marks = " ".join(f'"{mark}"' for mark in known)
                    raise UserError(f"--{option} {text} is not possible: it accepts one of {marks}, or COLUMN=MARK.")
        for text in self.date_format:
            dates.check_format(text.rpartition("=")[2])

    def said(self, option: str, column: str) -> str | None:
        """What holds for a column: said of it, or else of all."""
        found = None
        for text in getattr(self, option):
            name, _, value = text.rpartition("=")
            if name == column:
                return str(value)
            found = value if not name else found
        return found

    def refuse_unknown(self, sheet: Sheet) -> None:
        """Refuse a column that the file does not have."""
        for option in ("decimal", "thousands", "date_format"):
            for text in getattr(self, option):
                name = text.rpartition("=")[0]
                if name and name not in sheet.columns:
                    flag = option.replace("_", "-")
                    raise UserError(f"--{flag} {text}: {sheet.path} has no column '{name}'.")

    def as_options(self) -> list[str]:
        """The interpretation as words of a command line."""
        pairs = [("--decimal", self.decimal), ("--thousands", self.thousands), ("--date-format", self.date_format)]
        return [word for flag, texts in pairs for text in texts for word in (flag, text)]


PLAIN_NUMBER = Reading(NUMBER)
Readings = dict[str, Reading]
PLAIN = Rules()


# ---- what each column is


def decide(
    sheet: Sheet, names: Sequence[str], rules: Rules = PLAIN, target: str = "", task: str | None = None
) -> tuple[Readings, list[str]]:
    """The reading of each column, and a sentence about each that cannot be known or used.

    The cells of a `target` of classes are names, whatever they look like; a target is never a date.
    """
    labels = target if task == CLASSIFICATION.name else ""
    found: Readings = {}
    open_cases: dict[str, tuple[Any, list[Reading]]] = {}
    refused: list[str] = []
    settled: set[str] = set()  # decimal marks of columns that leave no doubt
    for name in names:
        column = sheet.columns[name]
        if not pa.types.is_string(column.type):
            kind = DATE if pa.types.is_timestamp(column.type) else WORDS
            found[name] = Reading(NUMBER if _is_number(column) else kind)
            continue
        cells = _present(sheet, name)
        if name == labels or not len(cells):
            found[name] = Reading(WORDS)
        elif format := rules.said("date_format", name):
            found[name], reason = Reading(DATE, date_format=format), _not_of_format(sheet, name, format)
            if reason and any(text.rpartition("=")[0] == name for text in rules.date_format):
                refused.append(reason)
            elif reason:  # the format was said of all columns: this one has no dates
                del found[name]
        if name in found:
            continue
        possible = candidates(cells)
        open_cases[name] = cells, possible
        marks = {reading.decimal for reading in possible}
        if len(marks) == 1 and pc.any(pc.match_substring(cells, next(iter(marks)))).as_py():
            settled |= marks
    for name, (cells, possible) in open_cases.items():
        try:
            if possible:
                found[name] = _number(sheet, name, cells, possible, rules, settled)
            else:
                found[name] = _target(sheet, name, cells, task) if name == target else _other(sheet, name, cells, rules)
        except UserError as error:
            found[name] = Reading(UNKNOWN)
            refused.append(str(error))
    return found, refused


def _is_number(column: Any) -> bool:
    return bool(pa.types.is_integer(column.type) or pa.types.is_floating(column.type))


def _present(sheet: Sheet, name: str) -> Any:
    """The cells that are not missing, spaces and apostrophes of other alphabets as ours."""
    column = sheet.columns[name]
    gone = sheet.missing(name)
    if len(gone):
        there = np.ones(len(column), dtype=bool)
        there[gone] = False
        column = column.filter(pa.array(there))
    return _usual_marks(column)


def _usual_marks(column: Any) -> Any:
    if pc.any(pc.match_substring_regex(column, _FOREIGN)).as_py():
        column = pc.replace_substring_regex(column, "[\u00a0\u2009\u202f]", " ")
        column = pc.replace_substring(column, "\u2019", "'")
    return column


def _pattern(decimal: str, thousands: str) -> str:
    d, t = re.escape(decimal), re.escape(thousands)
    whole = rf"([1-9]\d{{0,2}}({t}\d{{3}})+|\d+)" if thousands else r"\d+"
    return rf"([+-]?({whole}({d}\d*)?|{d}\d+)([eE][+-]?\d+)?|(?i:{_SPECIAL}))"


_ANY_NUMBER = "|".join(_pattern(d, t) for d in ".," for t in ",. '" if t != d)


def fits(cells: Any, reading: Reading) -> np.ndarray:
    """Which cells are numbers in this reading."""
    pattern = f"^({_pattern(reading.decimal, reading.thousands)})$"
    return np.asarray(pc.match_substring_regex(cells, pattern).to_numpy(zero_copy_only=False), dtype=bool)


def candidates(cells: Any) -> list[Reading]:
    """Every reading in which all cells are numbers, each with values of its own; the plain one first.

    >>> [r.words for r in candidates(pa.array(["2,751", "318"]))]
    ['decimal point, thousands comma', 'decimal comma']
    >>> candidates(pa.array(["1_2"])), [r.words for r in candidates(pa.array(["4.956", "3,5"]))]
    ([], ['decimal comma, thousands point'])
    """
    if not len(cells) or not re.search(r"\d|(?i:inf)", cells[0].as_py()):
        return []
    if fits(cells, PLAIN_NUMBER).all():
        grouped = Reading(NUMBER, ",", ".")
        point = pc.index(pc.match_substring(cells, "."), True).as_py()
        open_case = point >= 0 and fits(cells.slice(point, 1), grouped).all() and fits(cells, grouped).all()
        return [PLAIN_NUMBER, grouped] if open_case else [PLAIN_NUMBER]
    there = {mark for mark in _MARKS if pc.any(pc.match_substring(cells, mark)).as_py()}
    found = []
    for decimal in ".,":
        for thousands in ("", *(mark for mark in _MARKS if mark in there and mark != decimal)):
            if decimal == "," and "," not in there and thousands != ".":
                continue  # where there is no decimal mark at all, the point is as good
            reading = Reading(NUMBER, decimal, thousands)
            if fits(cells, reading).all():
                found.append(reading)
    return found


def _number(sheet: Sheet, name: str, cells: Any, possible: list[Reading], rules: Rules, settled: set[str]) -> Reading:
    """The one reading of a column of numbers."""
    decimal, thousands = rules.said("decimal", name), rules.said("thousands", name)
    chosen = possible
    if decimal:
        chosen = [r for r in chosen if r.thousands != decimal and (r.decimal == decimal or not _has(cells, r.decimal))]
    if thousands:
        chosen = [r for r in chosen if r.decimal != thousands and r.thousands in ("", thousands)]
        chosen = [r for r in chosen if r.thousands or not _has(cells, thousands)]
    if not chosen:
        said = " ".join(rules.as_options())
        cell, fit = cells[0].as_py(), possible[0]
        raise UserError(
            f"column '{name}' of {sheet.path} cannot be read with {said} ({cell}): its numbers have a "
            f"{fit.words}; say so by --decimal '{name}={fit.decimal}'."
        )
    first = chosen[0]
    if len(chosen) > 1:
        by_point = {(r.decimal, r.thousands) for r in chosen} == {(".", ""), (",", ".")}
        if not (by_point and "," not in settled and (sheet.separator in (",", "") or settled == {"."})):
            raise _ambiguous(sheet, name, cells, chosen)
    if not _has(cells, first.decimal):  # no cell says it: as the others, or as was said
        usual = decimal or ("," if settled == {","} else ".")
        first = replace(first, decimal=first.decimal if first.thousands == usual else usual)
    return first


def _has(cells: Any, mark: str) -> bool:
    return bool(pc.any(pc.match_substring(cells, mark)).as_py())


def _ambiguous(sheet: Sheet, name: str, cells: Any, chosen: list[Reading]) -> UserError:
    values = [numbers(cells, reading) for reading in chosen[:2]]
    row = int(np.flatnonzero(values[0] != values[1])[0])
    cell = cells[row].as_py()
    mark = next((r.thousands for r in chosen if r.thousands and r.thousands in cell), ",")
    return UserError(
        f"column '{name}' of {sheet.path}: {cell} may be {values[0][row]:.12g} or "
        f"{values[1][row]:.12g}; say --decimal '{mark}' or --thousands '{mark}' (for this column alone: --decimal "
        f"'{name}={mark}')."
    )


def _target(sheet: Sheet, name: str, cells: Any, task: str | None) -> Reading:
    """A target that is not one of numbers: classes, or numbers with a mistake among them."""
    numeric = _numeric(cells)
    if task == REGRESSION.name or numeric.sum() > len(cells) / 2:
        why = ", which --task regression needs"
        if task != REGRESSION.name:
            why = ", as most of the target are: correct it, or say --task classification"
        if numeric.all():
            raise _mistyped(sheet, name, cells, numeric)
        row, cell = _first(sheet, name, lambda cell: not is_number(cell))
        raise UserError(f"{sheet.place(row, name)}: '{cell}' is not a number{why}.")
    return Reading(WORDS)


def is_number(cell: str) -> bool:
    """Whether it is a number in some reading."""
    return bool(re.fullmatch(_ANY_NUMBER, cell))


def _numeric(cells: Any) -> np.ndarray:
    found = pc.match_substring_regex(cells, f"^({_ANY_NUMBER})$").to_numpy(zero_copy_only=False)
    return np.asarray(found, dtype=bool)


def _other(sheet: Sheet, name: str, cells: Any, rules: Rules) -> Reading:
    """A column that is not one of numbers: dates, words, or numbers with a mistake among them."""
    different = pc.unique(cells).to_pylist()
    dated = [cell for cell in different if dates.formats_of(cell)]
    if len(dated) == len(different):
        return _date(sheet, name, different, rules)
    first = dict.fromkeys(dated)
    if sum(cell in first for cell in cells.to_pylist()) > len(cells) / 2:
        row, cell = _first(sheet, name, lambda cell: cell not in first)
        raise UserError(
            f"{sheet.place(row, name)}: '{cell}' is not a date, but most of the column are; correct it, or "
            f"{sheet.leave_out(name)}."
        )
    numeric = _numeric(cells)
    if numeric.sum() > len(cells) / 2:
        raise _mistyped(sheet, name, cells, numeric)
    return Reading(WORDS)


def _date(sheet: Sheet, name: str, different: list[str], rules: Rules) -> Reading:
    format, reason = dates.settle(different)
    if not (rules.dates or rules.date_format):
        raise UserError(
            f"column '{name}' of {sheet.path} has dates ({different[0]}): turn them into numbers that mean "
            f"something, {sheet.about_dates}, or {sheet.leave_out(name)}."
        )
    if reason:
        raise UserError(
            f"column '{name}' of {sheet.path}: {reason}; write dates as 2026-03-31, or say how they are written "
            f"by --date-format '{name}=%d/%m/%Y'."
        )
    return Reading(DATE, date_format=format)


def _mistyped(sheet: Sheet, name: str, cells: Any, numeric: np.ndarray) -> UserError:
    if not numeric.all():
        row, cell = _first(sheet, name, lambda cell: not is_number(cell))
        return UserError(
            f"{sheet.place(row, name)}: '{cell}' is not a number, but most of the column are; correct it, or "
            f"{sheet.leave_out(name)}."
        )
    best = max(
        (Reading(NUMBER, d, t) for d in ".," for t in ("", *",. '") if t != d), key=lambda r: fits(cells, r).sum()
    )
    misfits = set(cells.filter(pa.array(~fits(cells, best))).to_pylist())
    row, cell = _first(sheet, name, lambda cell: _usual(cell) in misfits)
    return UserError(
        f"{sheet.place(row, name)}: '{cell}' is not written as the other numbers of the column ({best.words}): "
        f"one column has one decimal mark; correct it, or {sheet.leave_out(name)}."
    )


def _usual(cell: str) -> str:
    return re.sub("[\u00a0\u2009\u202f]", " ", cell).replace("\u2019", "'")


def _first(sheet: Sheet, name: str, wrong: Any) -> tuple[int, str]:
    """The first row that is wrong and not missing, and its cell."""
    gone = set(sheet.missing(name).tolist())
    cells = sheet.columns[name].to_pylist()
    return next((row, cell) for row, cell in enumerate(cells) if row not in gone and wrong(_usual(cell)))


def _not_of_format(sheet: Sheet, name: str, format: str) -> str:
    gone = set(sheet.missing(name).tolist())
    for row, cell in enumerate(sheet.columns[name].to_pylist()):
        if row not in gone and dates.parse(cell, format) is None:
            return f"{sheet.place(row, name)}: '{cell}' is no date written as {format}."
    return ""


# ---- from cells to numbers


def numbers(cells: Any, reading: Reading) -> np.ndarray:
    """Cells that fit the reading as numbers [n]."""
    if reading.thousands:
        cells = pc.replace_substring(cells, reading.thousands, "")
    if reading.decimal != ".":
        cells = pc.replace_substring(cells, reading.decimal, ".")
    return np.asarray(pc.cast(cells, pa.float64()).to_numpy(zero_copy_only=False))


def quantity(sheet: Sheet, name: str, reading: Reading, why: str = "") -> np.ndarray:
    """The column as numbers [n], NaN where a cell is missing; what is no finite number of a usual size is refused."""
    column, gone = plain(sheet.columns[name]), sheet.missing(name)
    if _is_number(column):
        values = np.asarray(pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=float)
    else:
        text = _usual_marks(as_text(column))
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
    if len(whole) and np.abs(whole).max() >= _EXACT and (whole == np.round(whole)).all():
        return [f"column '{name}' has whole numbers beyond 2^53, which are rounded: if they are names, leave it out."]
    if len(whole) and whole.min() >= 19000101 and whole.max() <= 21001231 and (whole == np.round(whole)).all():
        texts = [f"{int(v)}" for v in np.unique(whole)[:50]]
        if all(dates.parse(f"{t[:4]}-{t[4:6]}-{t[6:]}", "%Y-%m-%d") for t in texts):
            return [f"column '{name}' is read as numbers; if they are dates, say --date-format '{name}=%Y%m%d'."]
    return []


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
        cells = _present(sheet, name)
        marked = cells.filter(pc.match_substring_regex(cells, f"[{re.escape(reading.decimal + reading.thousands)}]"))
        if not len(marked):
            continue
        cell, doubt = marked[0].as_py(), ""
        if reading == PLAIN_NUMBER:
            other = Reading(NUMBER, ",", ".")
            if not (fits(marked.slice(0, 1), other).all() and fits(cells, other).all()):
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
            f"rows, more than the {most} that can be told apart; {sheet.leave_out(name)}, or group them."
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

"""What a column is: numbers, words or dates. The one place that decides it, for files, test rows, new rows and frames.

A column has one Reading, which holds for all its cells: its decimal mark and its mark between thousands, or the format
of its dates. It is learnt from the training file, stated where it is not the plain one, and kept with the table and its
runs, so that new rows are read in the very same way. A column that two readings fit is refused with the option that
decides it.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dgpexp.errors import UserError
from dgpexp.tables import dates
from dgpexp.tables.file import Sheet
from dgpexp.tasks import CLASSIFICATION, REGRESSION

NUMBER, WORDS, DATE, UNKNOWN = "number", "words", "date", "unknown"
LEVEL = "missing"  # what a missing word becomes
_MARKS = {".": "point", ",": "comma", " ": "space", "'": "apostrophe"}
_FOREIGN = str.maketrans({"\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2019": "'", "\u2212": "-"})
_SPECIAL = "[+-]?inf(inity)?"


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
            found[name] = Reading(NUMBER if holds_numbers(column) else kind)
            continue
        cells = present(sheet, name)
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


def holds_numbers(column: Any) -> bool:
    return bool(pa.types.is_integer(column.type) or pa.types.is_floating(column.type))


def present(sheet: Sheet, name: str) -> Any:
    """The cells that are not missing, with the usual marks."""
    column = sheet.columns[name]
    gone = sheet.missing(name)
    if len(gone):
        there = np.ones(len(column), dtype=bool)
        there[gone] = False
        column = column.filter(pa.array(there))
    return usual_marks(column)


def usual_marks(column: Any) -> Any:
    """Spaces, apostrophes and minus signs of other keyboards as ours."""
    if pc.all(pc.string_is_ascii(column)).as_py() is False:
        return pa.array([cell and cell.translate(_FOREIGN) for cell in column.to_pylist()], pa.string())
    return column


@cache
def _pattern(decimal: str, thousands: str) -> str:
    d, t = re.escape(decimal), re.escape(thousands)
    whole = rf"([1-9]\d{{0,2}}({t}\d{{3}})+|\d+)" if thousands else r"\d+"
    return rf"([+-]?({whole}({d}\d*)?|{d}\d+)([eE][+-]?\d+)?|(?i:{_SPECIAL}))"


_ANY_NUMBER = "|".join(_pattern(d, t) for d in ".," for t in ",. '" if t != d)


def fits(cells: Any, reading: Reading) -> np.ndarray:
    """Which cells are numbers in this reading."""
    pattern = f"^({_pattern(reading.decimal, reading.thousands)})$"
    return np.asarray(pc.match_substring_regex(cells, pattern).to_numpy(zero_copy_only=False), dtype=bool)


def fits_one(cell: str, reading: Reading) -> bool:
    """Whether one cell is a number in this reading."""
    return bool(re.fullmatch(_pattern(reading.decimal, reading.thousands), cell, re.ASCII))


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
        open_case = point >= 0 and fits_one(cells[point].as_py(), grouped) and fits(cells, grouped).all()
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
    return bool(re.fullmatch(_ANY_NUMBER, cell, re.ASCII))


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
    row, cell = _first(sheet, name, lambda cell: cell.translate(_FOREIGN) in misfits)
    return UserError(
        f"{sheet.place(row, name)}: '{cell}' is not written as the other numbers of the column ({best.words}): "
        f"one column has one decimal mark; correct it, or {sheet.leave_out(name)}."
    )


def _first(sheet: Sheet, name: str, wrong: Any) -> tuple[int, str]:
    """The first row that is wrong and not missing, and its cell."""
    gone = set(sheet.missing(name).tolist())
    cells = sheet.columns[name].to_pylist()
    return next((row, cell) for row, cell in enumerate(cells) if row not in gone and wrong(cell.translate(_FOREIGN)))


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

"""Columns of dates as numbers that mean something, on request: `sold` becomes sold.year, sold.month, sold.weekday.

year has the fraction of the year in it (2026.25 is the first of April): it carries trends. month (1 to 12) and weekday
(0 is Monday) carry seasons; where there are times of the day, hour does. What is the same in every row is left out
later, as of any column.
"""

import re
from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from dgpexp.datasets.kept import DATE_PARTS
from dgpexp.errors import UserError
from dgpexp.tables import columns as encoding
from dgpexp.tables.file import Cells

_DAY_AND_MONTH = re.compile(r"(\d{1,2})([-/.])(\d{1,2})[-/.]\d{2,4}\b")


def date_columns(cells: Cells, columns: Iterable[str]) -> list[str]:
    """Those whose cells are all dates or times, but for missing ones."""
    return [name for name in columns if _present(cells, name) and all(map(encoding.is_date, _present(cells, name)))]


def expand(cells: Cells, columns: Iterable[str]) -> Cells:
    """`cells` with the parts of these columns in their place."""
    wanted = set(columns)
    expanded: dict[str, list[str]] = {}
    for name, column in cells.columns.items():
        parts = _parts(cells, name) if name in wanted else {name: column}
        if name in wanted and (twice := [part for part in parts if part in cells.columns]):
            raise UserError(f"{cells.path} has a column '{twice[0]}' and dates with a part of that name: rename it.")
        expanded |= parts
    return replace(cells, columns=expanded, numbers={})


def dated(features: Iterable[str], cells: Cells) -> list[str]:
    """The columns of a file that a model knows by their parts."""
    parts = [feature.rpartition(".") for feature in features if feature not in cells.columns]
    return list(dict.fromkeys(stem for stem, _, part in parts if part in DATE_PARTS and stem in cells.columns))


def _present(cells: Cells, name: str) -> list[str]:
    return [cell for cell in cells.columns[name] if cell.lower() not in encoding.MISSING]


def _parts(cells: Cells, name: str) -> dict[str, list[str]]:
    """The parts of one column as text, empty where the cell is missing."""
    present = _present(cells, name)
    try:
        texts = [cell if cell.lower() not in encoding.MISSING else None for cell in cells.columns[name]]
        when = pd.to_datetime(pd.Series(texts), format="mixed", dayfirst=_day_first(cells, name), utc=True).dt
        clock = any(":" in cell for cell in present)
        day = any(re.search(r"\d[-/. ]|[a-z]", cell, re.IGNORECASE) for cell in present)
    except (ValueError, OverflowError) as error:
        raise UserError(f"column '{name}' of {cells.path} has dates that cannot be read ({error}).") from error
    numbers = {
        "year": when.year + (when.day_of_year - 1) / 365.25 if day else None,
        "month": when.month if day else None,
        "weekday": when.day_of_week if day else None,
        "hour": when.hour + when.minute / 60 + when.second / 3600 if clock else None,
    }
    return {
        f"{name}.{part}": ["" if pd.isna(v) else f"{v:.10g}" for v in values]
        for part, values in numbers.items()
        if values is not None
    }


def _day_first(cells: Cells, name: str) -> bool:
    """Whether 3/4/2026 is in April: 31/3 somewhere in the column says so, a point says so, and nothing is guessed."""
    found = [match for cell in _present(cells, name) if (match := _DAY_AND_MONTH.match(cell))]
    if any(int(match[1]) > 12 for match in found):
        return True
    if any(int(match[3]) > 12 for match in found) or not found:
        return False
    if all(match[2] == "." for match in found):
        return True
    raise UserError(
        f"column '{name}' of {cells.path}: {found[0][0]} may be day/month or month/day; write dates as 2026-03-31."
    )

"""Dates: which one format all cells of a column are written in, and the numbers that dates become on request.

`sold` becomes sold.year, sold.month, sold.weekday. year has the fraction of the year in it (2026.25 is the first of
April): it carries trends. month (1 to 12) and weekday (0 is Monday) carry seasons; where there are times of the day,
hour does.

A format is written as strptime writes it: %Y-%m-%d. A column has one; where its cells allow two, nothing is guessed.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache

import numpy as np

from dgpexp.errors import UserError

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONG = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
         "december")  # fmt: skip
_MONTH = rf"(?:{'|'.join((*reversed(_LONG), 'sept', *_MONTHS))})\.?"
_TOKENS = {
    "%Y": r"(?P<Y>\d{4})", "%y": r"(?P<y>\d{2})", "%m": r"(?P<m>\d{1,2})", "%d": r"(?P<d>\d{1,2})",
    "%b": rf"(?P<b>{_MONTH})", "%H": r"(?P<H>\d{1,2})", "%I": r"(?P<I>\d{1,2})", "%M": r"(?P<M>\d{2})",
    "%S": r"(?P<S>\d{2})(?:\.\d+)?", "%p": r"(?P<p>[ap]m)", "%z": r"(?P<z>Z|UTC|[+-]\d{2}:?\d{2})",
}  # fmt: skip
# What a day may look like, s being the mark between its parts, and the formats that this may be.
_DAYS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\d{4}(?P<s>[-/.])\d{1,2}(?P=s)\d{1,2}", ("%Y{s}%m{s}%d",)),
    (r"\d{4}(?P<s>[-/])\d{1,2}", ("%Y{s}%m",)),
    (r"\d{1,2}(?P<s>[-/])\d{1,2}(?P=s)\d{4}", ("%d{s}%m{s}%Y", "%m{s}%d{s}%Y")),
    (r"\d{1,2}(?P<s>\.)\d{1,2}\.\d{4}", ("%d.%m.%Y",)),
    (r"\d{1,2}(?P<s>/)\d{1,2}/\d{2}", ("%d/%m/%y", "%m/%d/%y")),
    (r"\d{1,2}(?P<s>-)\d{1,2}-\d{2}", ("%d-%m-%y", "%m-%d-%y", "%y-%m-%d")),
    (r"\d{1,2}(?P<s>\.)\d{1,2}\.\d{2}", ("%d.%m.%y",)),
    (rf"\d{{1,2}}(?P<s>[ -]){_MONTH}(?P=s)\d{{4}}", ("%d{s}%b{s}%Y",)),
    (rf"\d{{1,2}}(?P<s>[ -]){_MONTH}(?P=s)\d{{2}}", ("%d{s}%b{s}%y",)),
    (rf"{_MONTH}(?P<s> )\d{{1,2}}, \d{{4}}", ("%b %d, %Y",)),
    (rf"{_MONTH}(?P<s> )\d{{1,2}} \d{{4}}", ("%b %d %Y",)),
    (rf"{_MONTH}(?P<s>[ -])\d{{4}}", ("%b{s}%Y",)),
    (rf"{_MONTH}(?P<s>[ -])\d{{2}}", ("%b{s}%y", "%b{s}%d")),  # Excel's Jan-20
    (rf"\d{{1,2}}(?P<s>[ -]){_MONTH}", ("%d{s}%b", "%y{s}%b")),
)
_CLOCK = re.compile(
    r"(?P<day>.*?)(?P<gap>[T ])?(?P<h>\d{1,2}):\d{2}(?P<sec>:\d{2}(?:\.\d+)?)?(?P<ap> ?[ap]m)?"
    r"(?P<z> ?(?:Z|UTC|[+-]\d{2}:?\d{2}))?",
    re.IGNORECASE,
)
_PATTERNS = [(re.compile(pattern, re.IGNORECASE), formats) for pattern, formats in _DAYS]


def formats_of(cell: str) -> tuple[str, ...]:
    """Every format that the cell may be written in; none where it is no date.

    >>> formats_of("3/4/2026"), formats_of("31/3/2026 12:30"), formats_of("9857.63"), formats_of("today")
    (('%d/%m/%Y', '%m/%d/%Y'), ('%d/%m/%Y %H:%M',), (), ())
    """
    day, clock = cell, ""
    if ":" in cell and (match := _CLOCK.fullmatch(cell)):
        if bool(match["day"]) != bool(match["gap"]):
            return ()
        day, afternoon = match["day"], match["ap"] or ""
        clock = (match["gap"] or "") + ("%I" if afternoon else "%H") + ":%M" + (":%S" if match["sec"] else "")
        clock += (" %p" if afternoon.startswith(" ") else "%p") if afternoon else ""
        clock += (" %z" if match["z"].startswith(" ") else "%z") if match["z"] else ""
        if not day:
            return (clock,) if parse(cell, clock) and "%z" not in clock else ()
    for pattern, formats in _PATTERNS:
        if match := pattern.fullmatch(day):
            made = (f.replace("{s}", match["s"]) + clock for f in formats)
            return tuple(f for f in made if parse(cell, f))
    return ()


def settle(cells: Sequence[str]) -> tuple[str, str]:
    """The one format of all cells, "" where there is none; or why it cannot be known, with the cells that show it."""
    possible = [(cell, formats_of(cell)) for cell in cells]
    common = set(possible[0][1]).intersection(*(formats for _, formats in possible))
    if len(common) == 1:
        (found,) = common
        if "%d" in found and not ("%Y" in found or "%y" in found):
            return "", f"{cells[0]} has no year in it"
        return found, ""
    if common:
        ways = " or ".join(f"{f} ({_iso(cells[0], f)})" for f in sorted(common))
        return "", f"{cells[0]} may be written as {ways}"
    first = possible[0]
    other = next((pair for pair in possible if not set(pair[1]) & set(first[1])), None)
    if other is None:  # two and two go together, but not all
        other = min(possible, key=lambda pair: len(pair[1]))
        first = next(pair for pair in possible if not set(pair[1]) & set(other[1]))
    return "", f"{first[0]} and {other[0]} are written in two ways ({first[1][0]}, {other[1][0]})"


def _has_year(format: str) -> bool:
    return "%Y" in format or "%y" in format


def _iso(cell: str, format: str) -> str:
    when = parse(cell, format)
    if when is None or not _has_year(format):
        return "a day of no year"
    return when.isoformat(" ") if "%H" in format or "%I" in format else when.date().isoformat()


def example(cell: str, format: str) -> str:
    """How a cell was understood; nothing where it was written as the standard has it."""
    if format.startswith("%Y-%m") and "%z" not in format:
        return ""
    zone = " UTC" if "%z" in format else ""
    return f" ({format}: {cell} read as {_iso(cell, format)}{zone})" if _has_year(format) else ""


@cache
def _pattern(format: str) -> re.Pattern[str]:
    parts = re.split("(%[A-Za-z])", format)
    return re.compile("".join(_TOKENS.get(part, re.escape(part)) for part in parts), re.IGNORECASE)


def check_format(format: str) -> str:
    """The format, if it is one that this module knows and that says a day or a time."""
    tokens = re.findall("%.?", format)
    wrong = next((token for token in tokens if token not in _TOKENS), None)
    said = set(tokens)
    if wrong or len(said) < len(tokens) or not (_has_year(format) or {"%H", "%M"} <= said):
        reason = f"'{wrong}' is none" if wrong else "it needs a year, and each part once"
        raise UserError(
            f"--date-format {format} is not possible ({reason}): it accepts {', '.join(_TOKENS)}, e.g. %d/%m/%Y."
        )
    return format


def parse(cell: str, format: str) -> datetime | None:
    """The moment that a cell names in a format, in UTC where it has a zone; None where it is not written so."""
    match = _pattern(format).fullmatch(cell)
    if match is None:
        return None
    part = match.groupdict()
    year = int(part.get("Y") or 1900)
    if part.get("y"):
        year = int(part["y"]) + (1900 if int(part["y"]) >= 69 else 2000)  # as strptime has it
    month = _MONTHS.index(part["b"][:3].lower()) + 1 if part.get("b") else int(part.get("m") or 1)
    hour = int(part.get("H") or part.get("I") or 0)
    if part.get("I"):
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (part["p"].lower() == "pm") if part.get("p") else hour
    try:
        when = datetime(year, month, int(part.get("d") or 1), hour, int(part.get("M") or 0), int(part.get("S") or 0))
        zone = part.get("z") or ""
        if zone[:1] in ("+", "-"):
            away = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:]))
            when = when - away if zone[0] == "+" else when + away
        return when
    except (ValueError, OverflowError):
        return None


def parts(moments: Sequence[datetime | None], day: bool, clock: bool) -> dict[str, np.ndarray]:
    """The numbers that moments become, NaN where there is none."""
    found: dict[str, list[float]] = {name: [] for name in (*(("year", "month", "weekday") * day), *(("hour",) * clock))}
    for when in moments:
        for name, values in found.items():
            values.append(_part(when, name) if when else float("nan"))
    return {name: np.array(values) for name, values in found.items()}


def _part(when: datetime, name: str) -> float:
    if name == "year":
        value = when.year + (when.timetuple().tm_yday - 1) / 365.25
    elif name == "hour":
        value = when.hour + when.minute / 60 + when.second / 3600
    else:
        value = when.month if name == "month" else when.weekday()
    return float(f"{value:.10g}")

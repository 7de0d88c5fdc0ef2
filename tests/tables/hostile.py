"""Tables as hostile as people make them, each with what was meant: the oracle of the reader.

A column is drawn with a meaning (its numbers, words or days) and a way to write it. An oracle of its own, which knows
nothing of dgpexp, says whether another way of reading fits all cells and gives other numbers. Then the reader must
refuse the column; else it must read what was meant. Reading anything else without a word may not happen.
"""

import gzip
import io
import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import numpy as np

from dgpexp.errors import UserError
from dgpexp.tables.new_rows import read_inputs
from dgpexp.tables.own_table import OwnTable, read_own
from dgpexp.tables.reading import Rules

ROWS = 40
CONVENTIONS = [(d, t) for d in ".," for t in ("", ",", ".", " ", "'") if t != d]


@dataclass
class Column:
    """Cells as they are written, and what they mean: numbers, words, or days."""

    name: str
    cells: list[str]
    numbers: np.ndarray | None = None
    words: list[str] | None = None
    days: list[date] | None = None
    refused: bool = False  # it must be

    @property
    def marked(self) -> bool:
        return self.numbers is not None and any(re.search(r"\d[,.' ]\d", cell) for cell in self.cells)


@dataclass
class Hostile:
    """A file, how it is read, and its columns; the target is the last."""

    path: Path
    columns: list[Column]
    separator: str
    broken: str = ""  # what is wrong with the file as a whole
    options: dict[str, object] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        return bool(self.broken) or any(column.refused for column in self.columns)


def value(cell: str, decimal: str, thousands: str) -> float | None:
    """What a cell is in a convention, None where it is no number there. Written by hand, and by nobody else."""
    sign, body = (-1.0, cell[1:]) if cell.startswith("-") else (1.0, cell)
    whole, *rest = body.split(decimal)
    if len(rest) > 1 or (rest and not (rest[0].isascii() and (rest[0].isdigit() or (not rest[0] and whole)))):
        return None
    groups = whole.split(thousands) if thousands else [whole]
    if not all(group.isascii() and group.isdigit() for group in groups) and (whole or not rest):
        return None
    if len(groups) > 1 and (groups[0][0] == "0" or len(groups[0]) > 3 or any(len(g) != 3 for g in groups[1:])):
        return None
    return sign * float(f"{''.join(groups) or 0}.{rest[0] if rest else 0}")


def readings(cells: list[str]) -> dict[tuple[str, str], list[float]]:
    """Every convention in which all cells are numbers, with these."""
    found = {}
    for convention in CONVENTIONS:
        values = [value(cell, *convention) for cell in cells]
        if None not in values:
            found[convention] = [v for v in values if v is not None]
    return found


def written(number: float, decimals: int, decimal: str, thousands: str) -> str:
    text = f"{number:,.{decimals}f}" if thousands else f"{number:.{decimals}f}"
    return text.translate(str.maketrans({",": thousands or ",", ".": decimal}))


def number_column(rng: np.random.Generator, name: str) -> Column:
    """Numbers of some size and decimals, in some convention; sometimes whole ones between them."""
    decimal, thousands = CONVENTIONS[rng.integers(len(CONVENTIONS))] if rng.random() < 0.7 else (".", "")
    decimals, size = int(rng.integers(0, 5)), 10.0 ** rng.integers(0, 7)
    values = np.round(rng.uniform(-1 if rng.random() < 0.3 else 0.1, 1, ROWS) * size + rng.random(), decimals)
    cells = [written(v, decimals, decimal, thousands) for v in values]
    if decimals and rng.random() < 0.3:  # 318 beside 2,751
        whole = rng.random(ROWS) < 0.5
        values = np.where(whole, np.round(values), values)
        cells = [written(v, 0 if w else decimals, decimal, thousands) for v, w in zip(values, whole, strict=True)]
    cells = [cell[1:] if re.fullmatch(r"-0([.,]0*)?", cell) else cell for cell in cells]
    return Column(name, cells, numbers=values)


def word_column(rng: np.random.Generator, name: str) -> Column:
    kinds = [["red", "green", "blue"], ["1_2", "1_3", "x"], ["3.10.1", "3.9.2", "a"], ["yes", "no"], ["Ⅳ", "٣", "x"]]
    words = kinds[rng.integers(len(kinds))]
    cells = [words[i % len(words)] for i in range(ROWS)]
    return Column(name, cells, words=cells)


DATES = ("%Y-%m-%d", "%d/%m/%Y", "%m/%d/%Y", "%d.%m.%Y", "%d %B %Y", "%b-%y", "%Y/%m/%d", "%d-%b-%Y")


def date_column(rng: np.random.Generator, name: str) -> Column:
    """Days in one format; of those the oracle knows which the cells leave open."""
    format, first = DATES[rng.integers(len(DATES))], date(2000, 1, 1) + timedelta(days=int(rng.integers(9000)))
    step = int(rng.choice([1, 7, 28, 365]))
    days = [first + timedelta(days=step * i) for i in range(ROWS)]
    if rng.random() < 0.3 and "/" in format:
        days = [day.replace(day=1 + day.day % 12) for day in days]  # nothing says which is the day
    if format == "%b-%y":
        days = [day.replace(day=1) for day in days]
    cells = [day.strftime(format) for day in days]
    numbers = [re.findall(r"\d+", cell) for cell in cells]
    open_order = format in ("%d/%m/%Y", "%m/%d/%Y") and all(int(n[0]) <= 12 and int(n[1]) <= 12 for n in numbers)
    open_year = format == "%b-%y" and all(1 <= int(n[0]) <= 28 for n in numbers)
    return Column(name, cells, days=days, refused=open_order or open_year)


def label_column(rng: np.random.Generator, name: str) -> Column:
    kinds = [["01", "1"], ["00501", "501", "1"], ["9007199254740993", "9007199254740992"], ["a", "b"], ["1_2", "12"]]
    labels = kinds[rng.integers(len(kinds))]
    cells = [labels[i % len(labels)] for i in range(ROWS)]
    return Column(name, cells, words=cells)


def hostile(folder: Path, seed: int) -> Hostile:
    """A table of up to five columns."""
    rng = np.random.default_rng(seed)
    makers = [number_column] * 4 + [word_column, date_column]
    made = [makers[rng.integers(len(makers))](rng, f"c{j}") for j in range(int(rng.integers(1, 5)))]
    made.append(label_column(rng, "y") if rng.random() < 0.3 else number_column(rng, "y"))
    separator = str(rng.choice([",", ";", "\t"]))
    _mark_ambiguous(made, separator)
    found = Hostile(folder / f"t{seed}.csv", made, separator, options={"dates": True})
    if made[-1].words:
        found.options["task"] = "classification"
    elif len({float(v) for v in made[-1].numbers}) <= 10:  # type: ignore[union-attr]
        found.options["task"] = "regression"
    rows = [[column.name for column in made], *(list(row) for row in zip(*(c.cells for c in made), strict=True))]
    rows = [[f'"{cell}"' if separator in cell or rng.random() < 0.05 else cell for cell in row] for row in rows]
    if rng.random() < 0.15:
        _break(rng, rows, found)
    _write(rng, [separator.join(row) for row in rows], found)
    return found


def _mark_ambiguous(columns: list[Column], separator: str) -> None:
    """Say which columns of numbers must be refused: two conventions fit, and give other numbers."""
    known = {column.name: readings(column.cells) for column in columns if column.numbers is not None}
    marks = set()  # decimal marks that some column leaves no doubt of
    for column in columns:
        found = known.get(column.name, {})
        used = {d for d, _ in found if any(d in cell for cell in column.cells)}
        if len(used) == 1 and all(d in used or not any(d in c for c in column.cells) for d, _ in found):
            marks |= {d for d, t in found if any(d in cell for cell in column.cells)} if _one(found) else set()
    for column in columns:
        found = known.get(column.name)
        if found and not _one(found):
            by_point = not any(set(cell) & set(",' ") for cell in column.cells)
            point_is_usual = (separator == "," and "," not in marks) or marks == {"."}
            column.refused = not (by_point and point_is_usual and found.get((".", "")) == list(column.numbers))  # type: ignore[arg-type]


def _one(found: dict[tuple[str, str], list[float]]) -> bool:
    return len({tuple(values) for values in found.values()}) <= 1


def _break(rng: np.random.Generator, rows: list[list[str]], found: Hostile) -> None:
    """Damage one row: a cell too many, a cell too few, or a quote that nobody closes in its line."""
    row, kind = int(rng.integers(2, len(rows) - 5)), rng.choice(["long", "short", "open", "swallow"])
    found.broken = str(kind)
    if kind == "long":
        rows[row].append("1")
    elif kind == "short":
        rows[row].pop()
    else:
        if row % 2:  # in a column that is left out, whose words nobody reads
            rows[:] = [["good" if number else "note", *cells] for number, cells in enumerate(rows)]
            found.options["drop"] = ["note"]
        rows[row][0] = '"' + rows[row][0].strip('"')
        if kind == "swallow":
            rows[row + 4][0] = rows[row + 4][0].strip('"') + '"'
    if found.broken == "short" and len(rows[0]) == 1:
        found.broken = ""


def _write(rng: np.random.Generator, lines: list[str], found: Hostile) -> None:
    text = str(rng.choice(["\n", "\r\n", "\n\n"])).join(lines) + "\n"
    data = text.encode(str(rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"])))
    if rng.random() < 0.1:
        data = gzip.compress(data)
    found.path.write_bytes(data)


def misread(table: Hostile, own: OwnTable) -> str:
    """What was read otherwise than it was meant; nothing if all is well."""
    features = own.dataset.features
    for column in table.columns[:-1]:
        if column.numbers is not None and column.name in features:
            got = own.values[:, features.index(column.name)]
            if not np.array_equal(got, column.numbers) and not _doubted(column.name, own):
                return f"{column.name}: {column.cells[:4]} read as {got[:4]}, meant {column.numbers[:4]}"
            if column.marked and _convention(column) != (".", "") and not _stated(column.name, own):
                return f"{column.name}: {column.cells[:4]} read without a word"
        if column.words and own.dataset.levels.get(column.name, ()) != tuple(sorted(set(column.words))):
            return f"{column.name}: levels {own.dataset.levels.get(column.name)} of {sorted(set(column.words))}"
        for part in ("month", "weekday") if column.days else ():
            name, days = f"{column.name}.{part}", column.days or []
            meant = [day.month if part == "month" else day.weekday() for day in days]
            if name in features and list(own.values[:, features.index(name)]) != meant:
                return f"{column.name}: {column.cells[:3]} read as another {part}"
    last, y = table.columns[-1], own.values[:, -1]
    if last.words and [own.dataset.classes[int(k)] for k in y] != last.words:
        return f"y: classes {own.dataset.classes} of {sorted(set(last.words))}"
    if (
        last.numbers is not None
        and not own.dataset.classes
        and not np.array_equal(y, last.numbers)
        and not _doubted("y", own)
    ):
        return f"y: {last.cells[:4]} read as {y[:4]}, meant {last.numbers[:4]}"
    return ""


def _convention(column: Column) -> tuple[str, str]:
    found = {c for c, values in readings(column.cells).items() if np.array_equal(values, column.numbers)}  # type: ignore[arg-type]
    return (".", "") if (".", "") in found else next(iter(sorted(found)), (".", ""))


def _stated(name: str, own: OwnTable) -> bool:
    return any(f"'{name}': " in note or "more columns:" in note for note in own.notes)


def _doubted(name: str, own: OwnTable) -> bool:
    """Whether it was said that another reading fits too: 12.779 in a file of commas, which was meant as 12779."""
    return any(f"'{name}': decimal point" in note and "if it is" in note for note in own.notes)


def attacked(folder: Path, seed: int) -> tuple[str, str]:
    """Read one table: what went wrong ("misread", "refused", "accepted"), and the story; nothing if all is well."""
    table = hostile(folder, seed)
    try:
        own = read_own(table.path, "y", **table.options)  # type: ignore[arg-type]
    except UserError as error:
        if table.refused or "different words" in str(error) or "has this row only" in str(error):
            return "", ""
        if "nothing to predict" in str(error) or "no column left" in str(error):
            return "", ""
        return "refused", f"{table.path.name}: {error}"
    if story := misread(table, own):
        return "misread", f"{table.path.name}: {story}"
    if table.broken:
        return "misread", f"{table.path.name} is broken ({table.broken}) and was read"
    used = [column for column in table.columns if column.name == "y" or column.name in own.dataset.features]
    if any(column.refused and not _doubted(column.name, own) for column in used):
        return "accepted", f"{table.path.name}: a column that two readings fit was read"
    x, _, _ = read_inputs(table.path, own.dataset.features, own.dataset.levels, None, own.dataset.reading)
    if not np.array_equal(x, own.values[:, :-1]):
        return "misread", f"{table.path.name}: new rows are read otherwise than the training rows"
    return _said(table, own)


def _said(table: Hostile, own: OwnTable) -> tuple[str, str]:
    """The same with the marks said by hand: the numbers may not change."""
    rules = []
    for column in table.columns:
        if column.numbers is not None and column.marked and not _doubted(column.name, own):
            rules.append(f"{column.name}={_convention(column)[0]}")
    again = read_own(table.path, "y", rules=Rules(decimal=rules), **table.options)  # type: ignore[arg-type]
    if not np.array_equal(again.values, own.values):
        return "misread", f"{table.path.name}: other numbers with --decimal {' '.join(rules)}"
    return "", ""


def as_parquet(columns: dict[str, object], path: Path) -> Path:
    """The same kind of table with types of its own."""
    import pyarrow as pa
    import pyarrow.parquet

    buffer = io.BytesIO()
    pyarrow.parquet.write_table(pa.table(columns), buffer)
    path.write_bytes(buffer.getvalue())
    return path

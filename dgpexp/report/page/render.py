"""A grid as CSV, as Markdown and for the terminal. (LaTeX: latex.py; HTML: page.py.)"""

import csv
import io
import math
from collections.abc import Iterable, Iterator, Mapping

from rich import box
from rich.console import Console, Group
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from dgpexp.numerals import fixed, with_error
from dgpexp.predictive.metrics import METRICS
from dgpexp.report.cells import Cell
from dgpexp.report.grid import Grid, Place, Sheet
from dgpexp.report.verdicts import Verdict

MARKS = {"agree": "✓", "differ": "≠", "partial": "", "not comparable": "~", "ours only": "", "empty": ""}
WIDEST = 6  # columns of a terminal or a printed page: a grid that has more is turned
_STYLES = {"agree": "green", "differ": "bold red", "partial": "cyan", "not comparable": "dim"}

CSV_COLUMNS = (
    "table", "dataset", "method", "layers", "samples", "metric", "n", "expected", "mean", "stderr",
    "published", "published_stderr", "legible", "difference", "verdict", "note",
)  # fmt: skip


def records(grid: Grid) -> Iterator[dict[str, object]]:
    """One flat record a cell, in the units of the runs; what is not known is None."""
    for (_, _), c in sorted(grid.cells.items()):
        p = c.published
        yield {
            "table": grid.id, "dataset": c.dataset, "method": c.method, "layers": c.layers, "samples": c.samples,
            "metric": c.metric, "n": c.n, "expected": c.expected, "mean": c.mean if c.n else None, "stderr": c.stderr,
            "published": p.mean if p else None, "published_stderr": p.stderr if p else None,
            "legible": p.legible if p else None, "difference": c.difference, "verdict": c.verdict, "note": c.note,
        }  # fmt: skip


def to_csv(grid: Grid) -> str:
    """Tidy: one line per cell."""
    return csv_text(CSV_COLUMNS, records(grid))


def csv_text(columns: Iterable[str], rows: Iterable[Mapping[str, object]]) -> str:
    """The rows as CSV; what is None is left empty."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(columns), lineterminator="\n")
    writer.writeheader()
    writer.writerows({k: "" if v is None else v for k, v in row.items()} for row in rows)
    return out.getvalue()


def ours(grid: Grid, place: Place) -> str:
    """Our number as people read it, or nothing."""
    c = grid.cells[place]
    scale = METRICS[c.metric].scale
    if not c.n:
        return ""
    return with_error(scale * c.mean, None if c.stderr is None else scale * c.stderr, grid.digits(*place))


def theirs(c: Cell) -> str:
    """The printed number as it was printed; an ambiguous one with a question mark."""
    if c.published is None:
        return ""
    scale = METRICS[c.metric].scale
    decimals = round(-math.log10(scale * c.published.resolution))
    text = with_error(scale * c.published.mean, c.published.stderr, decimals)
    return text if c.published.legible else f"{text} ?"


def splits(c: Cell) -> str:
    """`3/20` where not all splits of the protocol are there."""
    return f"{c.n}/{c.expected}" if 0 < c.n < c.expected else ""


def mark(c: Cell) -> str:
    """The verdict in a few characters, e.g. `✓ +0.4`, `3/20` or, with other settings than the profile's, `3/20 †`."""
    words = (MARKS[c.verdict], splits(c), signed(c.difference), "" if c.planned else "†")
    return " ".join(filter(None, words))


def signed(difference: float | None) -> str:
    """A difference in combined standard errors, with its sign."""
    text = fixed(difference, 1)
    return f"+{text}" if text and text != "0.0" and not text.startswith("−") else text


def to_markdown(grid: Grid) -> str:
    """Three lines per cell: ours (bold: the best), the thesis's, the verdict."""
    bold, sheet = grid.best(), grid.sheet(len(grid.columns))
    lines = [f"**{_number(grid)}{grid.title}.** {grid.caption}", ""]
    lines.append("| " + " | ".join([sheet.corner, *sheet.heads]) + " |")
    lines.append("|" + "---|" * (len(sheet.heads) + 1))
    for name, places in sheet.lines:
        entries = []
        for place in places:
            c, first = grid.cells[place], ours(grid, place)
            first = f"**{first}**" if place in bold else first
            second = f"*{theirs(c)}*" if c.published else ""
            entries.append("<br>".join(filter(None, (first, second, mark(c)))) or "—")
        lines.append("| " + " | ".join([name.replace("|", "\\|"), *entries]) + " |")
    lines += ["", *(f"{note}  " for note in grid.notes)]
    lines.append(LEGEND)
    return "\n".join(lines) + "\n"


LEGEND = (
    "First line ours, mean (standard error), bold: within one standard error of the best among "
    "those with the most splits; *italic*: the thesis's, "
    "? where the print is ambiguous; last: difference in combined standard errors, ✓ agree (at most 3), ≠ differ, "
    "n/N splits so far, ~ not comparable, † other settings than the profile has today (AEPMCM: our parameters)."
)


TERMINAL_LEGEND = (
    "Ours, mean (standard error); below it the thesis's, ? where the print is ambiguous; then the difference in "
    "combined standard errors: ✓ agree (at most 3), ≠ differ, n/N splits so far, ~ not comparable, † other "
    "settings than the profile has today."
)


def _number(grid: Grid) -> str:
    return f"Table {grid.id}. " if grid.numbered else ""


def wide_console() -> Console:
    """stderr; where it is not a terminal (a log), wide enough for the tables."""
    console = Console(stderr=True, highlight=False)
    return console if console.is_terminal else Console(stderr=True, highlight=False, width=160)


def to_rich(grid: Grid, console: Console) -> Group:
    """For the terminal: what we have numbers of, a wide grid turned, and in as many parts as its width asks for."""
    grid = grid.trimmed()
    sheet, unbounded = grid.sheet(WIDEST), console.options.update(max_width=10_000)
    across = range(len(sheet.heads))
    for parts in range(1, len(across) + 1):
        size = -(-len(across) // parts)
        tables = [_table(grid, sheet, across[k : k + size]) for k in range(0, len(across), size)]
        if all(Measurement.get(console, unbounded, table).maximum <= console.width for table in tables):
            break
    title = Text(f"{_number(grid)}{grid.title}", style="italic")
    return Group(title, *tables, Text(grid.caption, style="dim italic"), "")


def _table(grid: Grid, sheet: Sheet, across: range) -> Table:
    """Some columns of what is printed, with the names at the side."""
    bold, table = grid.best(), Table(box=box.SIMPLE)
    table.add_column(sheet.corner, no_wrap=True)
    for k in across:
        table.add_column(sheet.heads[k], justify="right", no_wrap=True)
    for name, places in sheet.lines:
        table.add_row(name, *(_terminal(grid, places[k], places[k] in bold) for k in across))
    return table


def _terminal(grid: Grid, place: Place, bold: bool) -> Text:
    c = grid.cells[place]
    text = Text(ours(grid, place) or "—", style="bold" if bold else "")
    if c.published:
        text.append(f"\n{theirs(c)}", style="dim italic")
    if marked := mark(c):
        text.append(f"\n{marked}", style=_STYLES.get(c.verdict, ""))
    return text


def verdict_table(verdicts: Iterable[Verdict]) -> Table:
    """The verdicts for the terminal: section or claim, verdict, evidence and the runs that it rests on."""
    table = Table(box=box.SIMPLE, title="What was reproduced", title_justify="left")
    for head in ("section or claim", "verdict", "ours"):
        table.add_column(head, overflow="fold")
    table.add_column("runs", justify="right")
    for v in verdicts:
        table.add_row(Text(v.about), Text(v.verdict, style="bold"), Text(v.evidence), f"{v.runs}\n{v.profile}")
    return table

"""A table before it is HTML, LaTeX or anything else: rows, columns in groups, and cells; and a figure beside it."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import Any, NamedTuple, TypeVar

from matplotlib.figure import Figure

from dgpexp.methods import method_name
from dgpexp.predictive.metrics import METRICS
from dgpexp.report.cells import Cell
from dgpexp.report.source import Material

R = TypeVar("R")
C = TypeVar("C")
Place = tuple[int, int]  # row and column of a grid


@dataclass(frozen=True)
class Section:
    """A part of the page: its anchor, its title, what to know first, and what stands over its folded tables."""

    id: str
    title: str
    intro: str = ""
    more: str = ""


@dataclass(frozen=True)
class Sketch:
    """A figure of the report before it is a file."""

    name: str
    section: Section
    title: str
    caption: str
    figure: Figure = field(repr=False)


@dataclass(frozen=True)
class Column:
    """A column's own label under the label of its group (`AEP` over `3`)."""

    group: str
    label: str

    @property
    def name(self) -> str:
        return f"{self.group} {self.label}".strip()


class Sheet(NamedTuple):
    """A grid as it is printed: heads, and lines with their names at the side."""

    turned: bool  # data sets across, methods with their depths down
    corner: str
    heads: Sequence[str]
    lines: list[tuple[str, list[Place]]]


@dataclass(frozen=True)
class Grid:
    """Cells by (row, column). `best_along` says what competes: the cells of a row, or those of a column."""

    section: Section
    id: str
    title: str
    caption: str
    corner: str
    rows: tuple[str, ...]
    columns: tuple[Column, ...]
    cells: dict[Place, Cell]
    best_along: str = "row"
    notes: tuple[str, ...] = ()
    numbered: bool = False  # a table of the thesis, whose number is the id
    main: bool = True  # shown in the terminal and unfolded on the page
    decimals: dict[tuple[int, str], int] = field(default_factory=dict)

    def digits(self, row: int, column: int) -> int:
        """Decimals, the same for all numbers of a metric that stand side by side."""
        metric = self.cells[row, column].metric
        line = row if self.best_along == "row" else -1
        if (line, metric) not in self.decimals:
            same = [c for (i, _), c in self.cells.items() if c.metric == metric and line in (i, -1) and c.n]
            chosen = METRICS[metric].decimals((c.mean for c in same), (c.stderr for c in same))
            self.decimals[line, metric] = chosen
        return self.decimals[line, metric]

    def best(self) -> set[Place]:
        """The cells no worse than the best of their row (or column) by more than its standard error.

        Only those with the most splits compete: the mean of one split, which may be an easy one, says nothing beside
        the mean of five.
        """
        bold: set[Place] = set()
        lines: dict[tuple[int, str], list[Place]] = {}
        for (i, j), c in self.cells.items():
            if c.n:
                lines.setdefault((i if self.best_along == "row" else j, c.metric), []).append((i, j))
        for (_, metric), found in lines.items():
            most = max(self.cells[p].n for p in found)
            places = [p for p in found if self.cells[p].n == most]
            if len(places) < 2:
                continue
            loss = METRICS[metric].loss
            winner = min((self.cells[p] for p in places), key=lambda c: loss(c.mean))
            limit = loss(winner.mean) + (winner.stderr or 0.0)
            bold.update(p for p in places if loss(self.cells[p].mean) <= limit)
        return bold

    def sheet(self, widest: int) -> Sheet:
        """The lines of a grid, turned if it has more columns than `widest`."""
        names, rows, columns = [c.name for c in self.columns], range(len(self.rows)), range(len(self.columns))
        if len(names) <= widest:
            return Sheet(False, self.corner, names, [(self.rows[i], [(i, j) for j in columns]) for i in rows])
        return Sheet(True, "method", self.rows, [(names[j], [(i, j) for i in rows]) for j in columns])

    @property
    def groups(self) -> list[tuple[int, str, int]]:
        """The first column, the label and the number of columns of each group."""
        found = [list(same) for _, same in groupby(enumerate(self.columns), lambda column: column[1].group)]
        return [(same[0][0], same[0][1].group, len(same)) for same in found]

    def trimmed(self) -> "Grid":
        """The rows and columns in which there is a number of ours."""
        rows, columns = (sorted({place[side] for place, c in self.cells.items() if c.n}) for side in (0, 1))
        return replace(
            self,
            rows=tuple(self.rows[i] for i in rows),
            columns=tuple(self.columns[j] for j in columns),
            cells={(rows.index(i), columns.index(j)): self.cells[i, j] for i in rows for j in columns},
            decimals={},
        )

    @property
    def empty(self) -> bool:
        return all(c.n == 0 for c in self.cells.values())


def cells_of(rows: Iterable[R], columns: Sequence[C], entry: Callable[[R, C], Cell]) -> dict[Place, Cell]:
    """The cell of every row and column."""
    return {(i, j): entry(row, column) for i, row in enumerate(rows) for j, column in enumerate(columns)}


def by_depth(
    section: Section, table: str, title: str, caption: str, metric: str, datasets: Sequence[str],
    treatments: Sequence[tuple[str, int]], found: Material, **more: Any,
) -> Grid:  # fmt: skip
    """Data sets down, methods with their depths across."""
    cells = cells_of(datasets, treatments, lambda d, treatment: found.cell((d, *treatment, None), metric))
    columns = tuple(Column(method_name(method), str(depth)) for method, depth in treatments)
    return Grid(section, table, title, caption, "data set", tuple(datasets), columns, cells, **more)


def caption(metric: str) -> str:
    """What stands under a table of means over splits."""
    about = METRICS[metric]
    return f"{about.label[0].upper()}{about.label[1:]}, mean (standard error) over splits; {about.direction}."

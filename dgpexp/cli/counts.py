"""Print how many runs are in which state: a line for each group with its totals, and its members below."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from dgpexp.terminal.output import printable
from dgpexp.terminal.progress import duration


@dataclass
class Line:
    """Counts of runs by state, and seconds by column; None: not known."""

    counts: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float | None] = field(default_factory=dict)

    def add(self, counts: dict[str, int], seconds: dict[str, float | None]) -> None:
        self.counts.update(counts)
        for column, value in seconds.items():
            known = self.seconds.get(column, 0.0)
            self.seconds[column] = None if value is None or known is None else known + value


class Counts:
    """A table of groups of lines, in the order in which they were added."""

    def __init__(self, kinds: Iterable[str]):
        self._kinds = tuple(kinds)
        self._groups: dict[str, tuple[Line, dict[str, Line]]] = {}

    def add(self, group: str, name: str, counts: dict[str, int], seconds: dict[str, float | None]) -> None:
        total, lines = self._groups.setdefault(group, (Line(), {}))
        for line in (total, lines.setdefault(name, Line())):
            line.add(counts, seconds)

    def print(self) -> None:
        """Print the table on stdout, without columns for states that no run is in."""
        from rich.console import Console
        from rich.table import Table

        groups = self._groups.items()
        kinds = [kind for kind in self._kinds if any(total.counts[kind] for _, (total, _) in groups)]
        times = list(dict.fromkeys(column for _, (total, _) in groups for column in total.seconds))
        table = Table(box=None, pad_edge=False, header_style="bold")
        table.add_column("", overflow="fold")
        for column in (*kinds, *times):
            table.add_column(column, justify="right", no_wrap=True)

        def cells(name: str, line: Line) -> list[str]:
            numbers = [str(line.counts[kind] or "") for kind in kinds]
            return [
                printable(name),
                *numbers,
                *(duration(s) if (s := line.seconds.get(t, 0.0)) != 0 else "" for t in times),
            ]

        for group, (total, lines) in groups:
            table.add_row(*cells(group, total), style="bold")
            for name, line in lines.items() if list(lines) != [group] else ():  # airline of airline
                table.add_row(*cells(f"  {name}", line))
        Console(highlight=False, markup=False).print(table)

"""How a reproduction ends in the terminal: do the runs repeat, what do the full ones say, and where is the page."""

from collections.abc import Callable
from pathlib import Path

from dgpexp.report.build import leading, page_of, reports_beside
from dgpexp.report.page.render import TERMINAL_LEGEND, to_rich, wide_console
from dgpexp.report.page.summary import outcome
from dgpexp.report.reproduced import Repetition

_MAIN = "5.1.2"  # the log-likelihoods, which are what the thesis is about
_NAMED = 10  # runs that differ, named here; the page has them all


def conclude(results: Path, profile: str, say: Callable[[str], None]) -> None:
    """Say it; the pages have been written."""
    reports = reports_beside(results, profile)
    lead, shown = leading(reports, profile), next(r for r in reports if r.profile == profile)
    for line in _compared(shown.repetition) if shown.repetition else ():
        say(line)
    grid, console = lead.grid(_MAIN), wide_console()
    if not grid.empty:
        say("")
        console.print(to_rich(grid, console), TERMINAL_LEGEND, "")
    say(f"Profile {lead.profile}: {lead.source.sentence}")
    say(outcome(lead)[0].upper() + outcome(lead)[1:])
    say(f"The report is {page_of(results, lead.profile)}.")
    if lead is not shown:
        say(f"The page of the miniature is {page_of(results, profile)}.")


def _compared(found: Repetition) -> list[str]:
    """How many runs repeat, in a sentence, and the runs that differ with both numbers."""
    different = found.different
    lines = [f"  {pair.label}: {pair.difference}" for pair in different[:_NAMED]]
    more = len(different) - _NAMED
    return [f"Reproducibility: {found.sentence}", *lines, *([f"  and {more} more, on its page"] if more > 0 else [])]

"""How a reproduction ends in the terminal: do the runs repeat, what was reproduced, and where is the page."""

from collections.abc import Callable
from pathlib import Path

from dgpexp.report.build import leading, page_of, reports_beside
from dgpexp.report.page.render import verdict_table, wide_console
from dgpexp.report.reproduced import Repetition

_NAMED = 10  # runs that differ, named here; the page has them all


def conclude(results: Path, profile: str, say: Callable[[str], None]) -> None:
    """Say it; the pages have been written."""
    reports = reports_beside(results, profile)
    lead, shown = leading(reports, profile), next(r for r in reports if r.profile == profile)
    for line in _compared(shown.repetition) if shown.repetition else ():
        say(line)
    say("")
    wide_console().print(verdict_table([*lead.verdicts, *lead.claims]))
    say(f"Profile {lead.profile}: {lead.source.sentence}")
    say(f"The report is {page_of(results, lead.profile)}.")
    if lead is not shown:
        say(f"The page of the miniature is {page_of(results, profile)}.")


def _compared(found: Repetition) -> list[str]:
    """How many runs repeat, in a sentence, and the runs that differ with both numbers."""
    different = found.different
    lines = [f"  {pair.label}: {pair.difference}" for pair in different[:_NAMED]]
    more = len(different) - _NAMED
    return [f"Reproducibility: {found.sentence}", *lines, *([f"  and {more} more, on its page"] if more > 0 else [])]

"""How a reproduction ends in the terminal: do the runs repeat, where is the page, what was reproduced."""

from collections.abc import Callable
from pathlib import Path

from dgpexp.report.build import leading, page_of, reports_beside
from dgpexp.report.page.render import verdict_table, wide_console
from dgpexp.report.reproduced import DIFFERENT, EQUAL, Repetition

_NAMED = 10  # runs with other digits, named here; the page has them all


def conclude(results: Path, profile: str, say: Callable[[str], None], quiet: bool = False) -> bool:
    """Say it, or with `quiet` only what differs; returns whether no run differs. The pages have been written."""
    reports = reports_beside(results, profile)
    lead, shown = leading(reports, profile), next(r for r in reports if r.profile == profile)
    different = shown.repetition.different if shown.repetition else []
    if quiet:
        for pair in different:
            say(f"DIFFERENT {pair.label}: {pair.difference}")
        return not different
    for line in _compared(shown.repetition) if shown.repetition else ():
        say(line)
    if lead is not shown:
        say(f"The page of the miniature is {page_of(results, profile)}.")
    say(f"The report is {page_of(results, lead.profile)}: profile {lead.profile}, {lead.source.sentence}\n")
    wide_console().print(verdict_table([*lead.verdicts, *lead.claims]))
    return not different


def _compared(found: Repetition) -> list[str]:
    """How many runs repeat, in a sentence, and those with other digits with both numbers: first those that differ."""
    others = sorted((p for p in found.pairs if p.outcome != EQUAL), key=lambda p: p.outcome != DIFFERENT)
    lines = [f"  {pair.outcome}: {pair.label}: {pair.difference}" for pair in others[:_NAMED]]
    more = len(others) - _NAMED
    return [f"Reproducibility: {found.sentence}", *lines, *([f"  and {more} more, on its page"] if more > 0 else [])]

"""Hostile tables of the user's own: what was meant is read, or refused; nothing is misread without a word."""

from pathlib import Path

from tests.tables.hostile import attacked
from tests.torture.tally import Tally


def tables(folder: Path, count: int, seed: int) -> Tally:
    """`count` generated files, read as training rows and as new rows."""
    tally = Tally("tables", f"{count} hostile tables")
    for number in range(seed, seed + count):
        try:
            kind, story = attacked(folder, number)
        except Exception as error:  # whatever is not a sentence
            tally.tracebacks += 1
            tally.notes.append(f"{number}: {type(error).__name__}: {error}")
            continue
        tally.different += kind in ("misread", "accepted")
        tally.lost += kind == "refused"  # what leaves no doubt
        tally.notes += [f"{kind}: {story}"] if kind else []
        for path in folder.glob("t*.csv"):
            path.unlink()
    return tally

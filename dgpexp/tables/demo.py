"""The table of `dgpexp demo`: rents of flats, of which some are furnished, and nobody wrote down which."""

import csv
import io
import random
from pathlib import Path

from dgpexp.errors import UserError
from dgpexp.files import writable

ROWS = 300
_PER_METRE = {"Bern": 19, "Oslo": 16, "Rome": 12}


def demo_text() -> str:
    """The file, the same on every machine."""
    rng, text = random.Random(1), io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["area", "city", "built", "rent"])
    for _ in range(ROWS):
        area, city, built = rng.randrange(20, 141), rng.choice(list(_PER_METRE)), rng.randrange(1900, 2021)
        rent = _PER_METRE[city] * area**0.95 * (1 + 0.0015 * (built - 1960)) + rng.gauss(0, 15 + 0.2 * area)
        furnished = rng.random() < 0.4
        writer.writerow([area, city, built, round(rent + furnished * (500 + 3 * area))])
    return text.getvalue()


def write_demo(path: Path) -> Path:
    """Write it; another file of that name stays, and is told."""
    if path.exists() and path.read_text(encoding="utf-8", errors="replace") != demo_text():
        raise UserError(f"{path} is there and is another file: go to an empty folder.")
    with writable(path.parent):
        path.write_text(demo_text(), encoding="utf-8")
    return path

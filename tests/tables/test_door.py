"""The package has one door: commands import `dgpexp.tables` and nothing inside it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_commands_know_the_door_alone() -> None:
    for path in (ROOT / "dgpexp" / "cli").rglob("*.py"):
        inside = re.findall(r"(?:from|import) dgpexp\.tables\.\w+", path.read_text(encoding="utf-8"))
        assert not inside, f"{path.name}: {inside}"

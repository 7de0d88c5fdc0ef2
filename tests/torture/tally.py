"""What an attack found."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.engines.processes import locks, measurements, run_dirs

SWEEP = """
[sweep]
datasets = ["sincos", "heteroscedastic"]
methods = ["vi", "aepmcm"]
layers = [2]
splits = 2
[settings]
rows = 100
batch_size = 10
epochs = 40
evaluate_every = 70
"""


@dataclass
class Tally:
    """One line of the table; every number but the size should be 0."""

    attack: str
    size: str
    lost: int = 0  # runs that are not complete in the end, or that a reader no longer finds
    doubled: int = 0  # runs that were completed, or measurements that were recorded, twice
    different: int = 0  # runs whose numbers are not, to the last bit, those of an undisturbed sweep
    tracebacks: int = 0
    notes: list[str] = field(default_factory=list)  # the first lines of what went wrong

    @property
    def clean(self) -> bool:
        return not (self.lost or self.doubled or self.different or self.tracebacks)

    def line(self) -> str:
        numbers = (self.lost, self.doubled, self.different, self.tracebacks)
        return f"{self.attack:12} {self.size:44}" + "".join(f"{n:>11}" for n in numbers)

    def said(self, text: str) -> None:
        """Count the tracebacks in what a command said."""
        for sign in ("Traceback (most recent", "should not have happened"):
            if sign in text:
                self.tracebacks += text.count(sign)
                self.notes += text[text.index(sign) :].strip().splitlines()[:40]

    def compare(self, results: Path, undisturbed: Path) -> None:
        """Count what differs between a disturbed store and an undisturbed one."""
        expected = measurements(undisturbed)
        folders = {path.name: path for path in run_dirs(results)}
        for name, numbers in expected.items():
            path = folders.get(name)
            if path is None or not (path / "metrics.json").exists() or _status(path) != "COMPLETED":
                self.lost += 1
                self.notes.append(f"lost: {results / name}")
                continue
            released = Counter(lock.get("released") for lock in locks(path))
            curves = json.loads((path / "metrics.json").read_text()).values()
            twice = any(len(set(curve["steps"])) != len(curve["steps"]) for curve in curves)
            self.doubled += released["COMPLETED"] > 1 or twice
            self.different += _numbers_of(path) != numbers


def _status(path: Path) -> str:
    return str(json.loads((path / "run.json").read_text())["status"])


def _numbers_of(path: Path) -> object:
    return measurements(path.parents[2])[path.name]


HEAD = f"{'attack':12} {'size':44}" + "".join(f"{name:>11}" for name in ("lost", "doubled", "different", "tracebacks"))

"""What an attack found."""

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.engines.processes import locks, measured, measurements


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
        for name, expected in measurements(undisturbed).items():
            path = results / "runs" / "small" / name
            try:
                found = measured(path)
            except (OSError, ValueError, KeyError) as error:
                found = {"status": f"not readable: {error}"}
            if found["status"] != "COMPLETED":
                self.lost += 1
                self.notes.append(f"lost: {name}, {found['status']}")
                continue
            released = Counter(lock.get("released") for lock in locks(path))
            twice = any(len(set(steps)) != len(steps) for steps, _ in found["curves"].values())
            self.doubled += released["COMPLETED"] > 1 or twice
            self.different += found != expected


HEAD = f"{'attack':12} {'size':44}" + "".join(f"{name:>11}" for name in ("lost", "doubled", "different", "tracebacks"))

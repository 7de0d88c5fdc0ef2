"""What `dgpexp run` is asked to run, as the command sees it: a protocol, and what surrounds its runs."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dgpexp.config import RunSpec
from dgpexp.plan.protocol import Protocol, Select

Say = Callable[[str], None]


@dataclass(frozen=True)
class Subject:
    """A shipped experiment or a TOML file: nothing surrounds it. A table of the user's own is another (tables)."""

    protocol: Protocol
    notes: Sequence[str] = ()  # what a person should know before it starts

    def selections(self, select: Select) -> list[Select]:
        """The parts of the protocol to run."""
        return [select]

    @contextmanager
    def planned(self, dry_run: bool, say: Say) -> Iterator[None]:
        """While the runs are planned; where they follow, what they need is in place afterwards."""
        yield

    def opening(self, specs: Sequence[RunSpec], results: Path, say: Say) -> list[str]:
        """What to say before the runs start."""
        return []

    def closing(self, specs: Sequence[RunSpec], results: Path, profile: str, say: Say) -> list[str]:
        """What to print on stdout at the end."""
        return []

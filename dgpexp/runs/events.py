"""What is said of a run while it is executed: by a worker, through an engine, to whoever watches the sweep.

    Ready -> Started -> Progress ... -> Ended      a run
                                     -> Broken     nothing can be kept any more: the sweep ends
             Refused                               by a worker on another machine, before it begins
             Died                                  its process ended unexpectedly (on another machine)
    Note                                           a sentence for people

Between processes they travel as JSON, one object per event: `to_json` and `from_json` are the only places that know it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from dgpexp.files import plain


@dataclass(frozen=True, kw_only=True)
class Event:
    """`worker` is the number under which whoever watches knows who says it."""

    run: str = ""  # the id of the run that it is about, if it is about one
    worker: int | None = None


@dataclass(frozen=True, kw_only=True)
class Ready(Event):
    """A worker process waits for a run."""


@dataclass(frozen=True, kw_only=True)
class Started(Event):
    """A worker was given the run."""


@dataclass(frozen=True, kw_only=True)
class Progress(Event):
    """Where the run is; `step` and `total` are 0 until the model is built."""

    phase: str  # TRAINING, or what it does before and after, in words
    step: int = 0
    total: int = 0
    numbers: Mapping[str, float | None] = field(default_factory=dict)  # the objective, and the last evaluation's


@dataclass(frozen=True, kw_only=True)
class Ended(Event):
    """The run has ended for this worker: COMPLETED (with numbers), FAILED (with the reason), INTERRUPTED or BUSY."""

    status: str
    reason: str = ""
    already: bool = False  # another process had ended it before this worker came to it
    metrics: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Broken(Event):
    """Nothing more can be kept, of any run."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Refused(Event):
    """A worker on another machine may not execute the run; `dataset` if that concerns the runs of that one only."""

    reason: str
    dataset: str = ""


@dataclass(frozen=True, kw_only=True)
class Died(Event):
    """The process that executed the run on another machine ended unexpectedly."""

    reason: str


@dataclass(frozen=True, kw_only=True)
class Note(Event):
    """A sentence for people."""

    text: str


TRAINING = "training"
_KINDS: dict[str, type[Event]] = {
    kind.__name__.lower(): kind for kind in (Ready, Started, Progress, Ended, Broken, Refused, Died, Note)
}


def to_json(event: Event) -> dict[str, Any]:
    """A plain object; a number that is not finite becomes null."""
    content = {f.name: getattr(event, f.name) for f in fields(event)}
    return {"event": type(event).__name__.lower(), **plain({k: v for k, v in content.items() if k != "worker"})}


def from_json(content: Mapping[str, Any]) -> Event:
    """The event; keys that another version added are left out."""
    kind = _KINDS[content["event"]]
    return kind(**{f.name: content[f.name] for f in fields(kind) if f.name in content})

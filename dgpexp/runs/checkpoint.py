"""Checkpoints: one .npz with the state of training and, as JSON inside it, everything measured so far. Never pickle."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dgpexp.files import write_atomically

_META = "meta"


@dataclass(frozen=True)
class Snapshot:
    """A moment of a run that it can go on from, bit for bit."""

    state: dict[str, np.ndarray]  # the session's: variables, Adam slots, step, clock, jitter
    progress: dict[
        str, Any
    ]  # the course's: evaluations (as "looks", the word of version 0.1), running sums, recoveries


def save(path: Path, snapshot: Snapshot, identity: dict[str, Any]) -> None:
    """`identity` says what it belongs to (the data, the version); `load` gives nothing to anybody else."""
    meta = json.dumps({"identity": identity, "progress": snapshot.progress})
    arrays = {f"state/{name}": value for name, value in snapshot.state.items()}
    arrays[_META] = np.frombuffer(meta.encode(), dtype=np.uint8)
    write_atomically(path, lambda f: np.savez(f, **arrays))  # type: ignore[arg-type]


def load(path: Path, identity: dict[str, Any]) -> Snapshot | None:
    """The snapshot, or None if there is none, it is damaged, or it belongs to other data."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            meta = json.loads(arrays[_META].tobytes())
            if meta["identity"] != identity or not _is_progress(meta["progress"]):
                return None
            state = {name.removeprefix("state/"): arrays[name] for name in arrays.files if name != _META}
    except Exception:  # of the many that a damaged zip can raise, none says more than that the run begins anew
        return None
    return Snapshot(state, meta["progress"])


def _is_progress(progress: Any) -> bool:
    evaluations, recoveries = progress["looks"], progress["recoveries"]
    numbers = [progress["sum"], progress["count"]]
    numbers += [value for evaluation in evaluations for value in (evaluation["step"], *evaluation.values())]
    numbers += [recovery["step"] for recovery in recoveries]
    return all(type(number) in (int, float) for number in numbers)


def step(path: Path) -> int:
    """The step of the snapshot, whatever it belongs to; 0 if there is none."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return int(arrays["state/step"])
    except Exception:  # as above
        return 0

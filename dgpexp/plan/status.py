"""What is done and what is left, cell by cell: the runs on disk laid over the runs that the protocols plan."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from dgpexp.config import RunSpec
from dgpexp.errors import UserError
from dgpexp.files import read_json
from dgpexp.methods import SAMPLING
from dgpexp.plan import speed
from dgpexp.plan.plan import PLANNED, experiment_name
from dgpexp.plan.protocol import Protocol, Select, read_protocol, shipped_protocols
from dgpexp.runs.code import OtherCode
from dgpexp.store.stored_run import COMPLETED, FAILED, INTERRUPTED, RUNNING, StoredRun, runs_dir, stored_runs
from dgpexp.tasks import recorded_task

KINDS = ("done", "running", "interrupted", "stale", "failed", "left")
_BEGUN = ("running", "interrupted", "stale")


@dataclass
class CellStatus:
    """One cell of a table: how many of its splits are in which state, and how long they took and will take."""

    profile: str
    experiment: str
    dataset: str
    method: str
    layers: int
    samples: int | None  # S in training; None where nothing is sampled
    done: int = 0
    running: int = 0
    interrupted: int = 0  # stopped in good order, with a checkpoint
    stale: int = 0  # its process died: killed, or cut off from the power
    failed: int = 0
    left: int = 0  # not begun
    seconds_spent: float = 0.0
    seconds_left: float | None = 0.0  # None: no speed is known yet
    last_error: str = ""
    runs: list[dict[str, Any]] = field(default_factory=list)

    def _count(self, kind: str, seconds: float | None, part_left: float) -> None:
        setattr(self, kind, getattr(self, kind) + 1)
        if seconds is None and part_left > 0:
            self.seconds_left = None
        elif self.seconds_left is not None:
            self.seconds_left += (seconds or 0.0) * part_left

    def add_stored(self, run: StoredRun, seconds: float | None) -> None:
        kinds = {COMPLETED: "done", RUNNING: "running", INTERRUPTED: "interrupted", FAILED: "failed"}
        kind = kinds.get(run.status, "stale")
        steps, total = run.info.get("steps") or 0, run.info.get("total_steps") or 0
        part_left = 1 - steps / total if total else 1.0
        self._count(kind, seconds, part_left if kind in _BEGUN else 0.0)
        self.seconds_spent += run.info.get("train_seconds") or 0.0
        error = run.info.get("error") or ""
        self.last_error = error or self.last_error
        about = {"run": run.run_id, "status": run.status, "step": steps, "steps": total, "error": error}
        measured = run.info.get("metrics") or {}
        self.runs.append({**about, **{name: measured.get(name) for name in recorded_task(run.info).headline}})

    def add_left(self, seconds: float | None) -> None:
        self._count("left", seconds, 1.0)


def cells(
    results: Path,
    profile: str,
    experiments: tuple[str, ...] = (),
    select: Select | None = None,
    tags: tuple[str, ...] = (),
    code: OtherCode | None = None,
) -> list[CellStatus]:
    """The cells of a profile: of the experiments named, with these changes of settings, or of all that have begun.

    With `tags`, only of runs that have them all, and nothing is left. `code` counts the runs that other code made.
    """
    samples = speed.of_completed_runs(results) + speed.remembered()

    @cache
    def seconds(spec: RunSpec) -> float | None:
        return speed.seconds(spec, samples)

    select, begun = select or Select(), set()
    planned: dict[str, dict[str, RunSpec]] = {}
    protocols = [read_protocol(source) for source in experiments or shipped_protocols()]
    for protocol in protocols:
        for one in select.combinations():
            planned.setdefault(experiment_name(protocol, one), {}).update(_planned(protocol, profile, one))
    changed = bool(select.changes or select.grid)

    def asked_for(name: str) -> bool:
        stem = name if changed else name.partition("+")[0]
        return not experiments or stem in (planned if changed else {protocol.name for protocol in protocols})

    for name, runs in _remembered(results, profile):
        if asked_for(name):
            planned.setdefault(name, {}).update(runs)
            begun.add(name)
    owner = {run_id: name for name, specs in planned.items() for run_id in specs}
    found: dict[tuple[Any, ...], CellStatus] = {}
    seen = set()
    for run in stored_runs(results, profile, tags):
        if not run.begun:
            continue
        spec = run.spec
        name = owner.get(run.run_id) or run.info.get("experiment") or "unknown"
        if spec is None or not asked_for(name):
            continue
        if code is not None:
            code.add(run)
        seen.add(run.run_id)
        begun.add(name)
        _cell(found, profile, name, spec).add_stored(run, seconds(replace(spec, split=0)))
    for name, specs in ({} if tags else planned).items():
        for run_id, spec in specs.items():
            if run_id not in seen and (experiments or name in begun):
                _cell(found, profile, name, spec).add_left(seconds(replace(spec, split=0)))
    return [found[key] for key in sorted(found, key=lambda k: [str(part) for part in k])]


def _cell(found: dict[tuple[Any, ...], CellStatus], profile: str, name: str, spec: RunSpec) -> CellStatus:
    paths = spec.settings.train_samples if spec.method in SAMPLING else None
    key = (profile, name, spec.dataset, spec.method, spec.layers, paths)
    return found.setdefault(key, CellStatus(*key))


def _planned(protocol: Protocol, profile: str, select: Select) -> dict[str, RunSpec]:
    if profile not in (protocol.profiles or {protocol.name}):
        return {}
    return {spec.run_id: spec for spec in protocol.runs(profile, select)}


def _remembered(results: Path, profile: str) -> Iterator[tuple[str, dict[str, RunSpec]]]:
    """What sweeps of other experiments than dgpexp's own have planned (Plan.remember); files that are torn are not."""
    for path in sorted((runs_dir(results, profile) / PLANNED).glob("*.json")):
        with suppress(KeyError, TypeError, AttributeError, UserError):
            content = read_json(path)
            yield content["experiment"], {k: RunSpec.from_dict(v) for k, v in content["runs"].items()}

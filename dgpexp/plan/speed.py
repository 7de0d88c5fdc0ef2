"""How long runs take on this machine: measured here, or by the runs that are complete, and carried to other shapes."""

import math
import os
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from dgpexp.config import RunSpec, Settings
from dgpexp.datasets.catalog import find
from dgpexp.errors import UserError
from dgpexp.files import read_json, write_json
from dgpexp.plan.cost import run_work, step_work, training_work
from dgpexp.runs.provenance import cpu
from dgpexp.store.stored_run import COMPLETED, profiles, stored_runs

INPUTS = 8  # of the random data that speed is measured on: the thesis's most common width


@dataclass(frozen=True)
class Sample:
    """A measured speed: seconds for a step of so many multiply-adds by one method in one precision."""

    method: str
    precision: str
    layers: int
    work: float
    seconds_per_step: float


def cache_file() -> Path:
    """Where this machine's speed is remembered."""
    try:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # a container whose user has no home
        base = Path(tempfile.gettempdir())
    return base / "dgpexp" / "speed.json"


def remembered() -> list[Sample]:
    """What `measure` found on this processor before."""
    kept = read_json(cache_file())
    try:
        samples = [Sample(**sample) for sample in kept["samples"]] if kept["cpu"] == cpu() else []
    except (KeyError, TypeError):  # none, torn, or of another version
        return []
    return [
        s for s in samples if type(s.work) is type(s.seconds_per_step) is float and min(s.work, s.seconds_per_step) > 0
    ]


def remember(samples: Iterable[Sample]) -> None:
    """Keep new measurements in place of older ones of the same shape; a cache that cannot be written is no loss."""
    merged = {(s.method, s.precision, s.layers, s.work): s for s in [*remembered(), *samples]}
    try:
        cache_file().parent.mkdir(parents=True, exist_ok=True)
        write_json(cache_file(), {"cpu": cpu(), "samples": [vars(s) for s in merged.values()]})
    except OSError:
        return


def of_completed_runs(results: Path) -> list[Sample]:
    """The speeds of the runs that were completed on this processor."""
    samples = []
    for profile in profiles(results):
        for run in stored_runs(results, profile):
            seconds = run.info.get("seconds_per_step") or 0.0
            if run.written == COMPLETED and run.info.get("cpu") == cpu() and 0 < seconds < math.inf:
                with suppress(KeyError, TypeError, UserError):  # settings of another version
                    samples.append(_sample_of(run.config, seconds))
    return samples


def _sample_of(config: dict[str, Any], seconds_per_step: float) -> Sample:
    settings = Settings(**config["settings"])
    data = find(config["dataset"])
    work = step_work(config["method"], config["layers"], settings, data.inputs, len(data.classes))
    return Sample(config["method"], settings.precision, config["layers"], work, seconds_per_step)


def measure(method: str, layers: int, settings: Settings) -> Sample:
    """Time some steps on random data, in this process, by its processor: what is remembered outlives a busy hour."""
    from dgpexp.datasets.random_data import random_table
    from dgpexp.datasets.splits import cut
    from dgpexp.training.session import Session

    table = random_table(1000, tuple(f"x{i}" for i in range(INPUTS)))
    session = Session(method, layers, settings, cut(table, slice(0, 900), slice(900, None)), 0)
    session.advance(3)
    times = []
    for _ in range(5):
        before = time.process_time()
        session.advance(5)
        times.append((time.process_time() - before) / 5)
    return Sample(method, settings.precision, layers, step_work(method, layers, settings, INPUTS), median(times))


def has_alike(spec: RunSpec, samples: list[Sample]) -> bool:
    """Whether the run's method was measured at a size within a factor of ten."""
    data = find(spec.dataset)
    work = step_work(spec.method, spec.layers, spec.settings, data.inputs, len(data.classes))
    same = [s for s in samples if s.method == spec.method and s.precision == spec.settings.precision]
    return any(0.1 < s.work / work < 10 for s in same)


def seconds(spec: RunSpec, samples: list[Sample]) -> float | None:
    """About how long the run takes: the measured shape nearest in work, scaled by the arithmetic; None: unknown."""
    try:
        data = find(spec.dataset)
    except UserError:  # a run on a table that is in another data folder
        return None
    work = step_work(spec.method, spec.layers, spec.settings, data.inputs, len(data.classes))
    same = [s for s in samples if s.method == spec.method and s.precision == spec.settings.precision]
    if not same:
        return None
    nearest = min(same, key=lambda s: (max(s.work / work, work / s.work), s.seconds_per_step))
    alike = [s.seconds_per_step for s in same if s.work == nearest.work]
    rate = median(alike) / nearest.work
    training, limit = rate * training_work(spec), spec.settings.max_seconds
    return rate * run_work(spec) * (limit / training if 0 < limit < training else 1.0)

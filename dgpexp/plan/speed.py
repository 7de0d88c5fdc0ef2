"""How long runs take on this machine: measured here, or by the runs that are complete, and carried to other shapes."""

import math
import os
import tempfile
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from dgpexp.config import RunSpec, Settings
from dgpexp.datasets.catalog import find
from dgpexp.errors import UserError
from dgpexp.files import read_json, write_json
from dgpexp.plan.cost import run_work, step_work, training_work, work_a_step
from dgpexp.runs.provenance import cpu
from dgpexp.store.stored_run import COMPLETED, profiles, stored_runs
from dgpexp.tasks import likelihood_of

INPUTS = 8  # of the random data that speed is measured on: the thesis's most common width
_ALIKE = 3  # times as much work, or a third of it: from there on what does not grow with it would be miscounted


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
            if run.written == COMPLETED and run.info.get("cpu") == cpu() and 0 < seconds < math.inf and run.spec:
                with suppress(UserError):  # a table that is in another data folder
                    samples.append(_sample(run.spec, seconds))
    return samples


def _sample(spec: RunSpec, seconds: float) -> Sample:
    return Sample(spec.method, spec.settings.precision, spec.layers, work_a_step(spec), seconds)


def measure_like(spec: RunSpec) -> Sample:
    """Time steps of the run's own shape."""
    data = find(spec.dataset)
    return _sample(spec, timed(spec.method, spec.layers, spec.settings, data.inputs, data.classes)[0])


def measure(method: str, layers: int, settings: Settings) -> Sample:
    """Time some steps on random data; what is remembered outlives a busy hour."""
    work = step_work(method, layers, settings, INPUTS)
    return Sample(method, settings.precision, layers, work, timed(method, layers, settings, INPUTS)[0])


def timed(
    method: str, layers: int, settings: Settings, inputs: int, classes: tuple[str, ...] = ()
) -> tuple[float, int]:
    """Seconds of a step on random data, in this process, by its processor; and the number of parameters."""
    from dgpexp.datasets.loading import random_table
    from dgpexp.datasets.splits import cut
    from dgpexp.training.session import Session

    counts = likelihood_of(settings.likelihood, len(classes)).counts
    table = random_table(1000, tuple(f"x{i}" for i in range(inputs)), classes, counts)
    split = cut(table, slice(0, 900), slice(900, None))
    session = Session(method, layers, replace(settings, stream=False), split, 0)
    session.advance(3)
    times = []
    for _ in range(5):
        before = time.process_time()
        session.advance(5)
        times.append((time.process_time() - before) / 5)
    parameters = session.predictor().model.trainable_variables
    return median(times), sum(int(v.shape.num_elements()) for v in parameters)


def unlike(specs: Iterable[RunSpec], samples: list[Sample]) -> list[RunSpec]:
    """Runs to be measured, so that each has its like among them or the samples: the dearest, which weigh most."""
    chosen, known = [], list(samples)
    for spec in sorted(specs, key=work_a_step, reverse=True):
        if not has_alike(spec, known):
            chosen.append(spec)
            known.append(_sample(spec, 0.0))
    return chosen


def has_alike(spec: RunSpec, samples: list[Sample]) -> bool:
    """Whether the run's method was measured at about its size."""
    work = work_a_step(spec)
    return any(1 / _ALIKE < s.work / work < _ALIKE for s in _same(spec, samples))


def _same(spec: RunSpec, samples: list[Sample]) -> list[Sample]:
    return [s for s in samples if s.method == spec.method and s.precision == spec.settings.precision]


def seconds(spec: RunSpec, samples: list[Sample]) -> float | None:
    """About how long the run takes: the measured shape nearest in work, scaled by the arithmetic; None: unknown."""
    try:
        work = work_a_step(spec)
    except UserError:  # a run on a table that is in another data folder
        return None
    if not (same := _same(spec, samples)):
        return None
    nearest = min(same, key=lambda s: (max(s.work / work, work / s.work), s.seconds_per_step))
    alike = [s.seconds_per_step for s in same if s.work == nearest.work]
    rate = median(alike) / nearest.work
    training, limit = rate * training_work(spec), spec.settings.max_seconds
    return rate * run_work(spec) * (limit / training if 0 < limit < training else 1.0)

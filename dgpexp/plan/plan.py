"""The plan of a sweep: which runs are left, in which order, and the command that makes each of them again."""

import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dgpexp.config import RunSpec
from dgpexp.errors import UserError
from dgpexp.files import writable
from dgpexp.methods import SAMPLING
from dgpexp.plan.cost import run_work
from dgpexp.plan.protocol import Protocol, Select
from dgpexp.runs.job import Job
from dgpexp.store.stored_run import COMPLETED, FAILED, RUNNING, StoredRun, runs_dir

CHECKPOINT_SECONDS = 60.0


@dataclass
class Plan:
    """The runs of a sweep by what is to be done about them, cheapest first and split by split."""

    todo: list[tuple[Job, bool]] = field(default_factory=list)  # and whether it has the machine to itself
    others: list[tuple[Job, bool]] = field(default_factory=list)  # that another live process executes now
    done: list[RunSpec] = field(default_factory=list)
    failed: list[RunSpec] = field(default_factory=list)  # earlier, and not to be retried
    torn: list[tuple[StoredRun, RunSpec]] = field(default_factory=list)  # done, but for their config.json
    experiments: dict[str, str] = field(default_factory=dict)  # the name of each run's, by its id

    def add(self, protocol: Protocol, profile: str, select: Select, results: Path, retry: bool, every: float) -> None:
        """Sort the selected runs of a protocol into the plan; a run that is already in it stays once."""
        known = {job.spec.run_id for job, _ in self.todo + self.others}
        for spec in protocol.runs(profile, select):
            stored = StoredRun(runs_dir(results, profile) / spec.run_id)
            _refuse_other_settings(stored, spec)
            self.experiments.setdefault(spec.run_id, experiment_name(protocol, select))
            if stored.status == COMPLETED:
                self.done.append(spec)
                self.torn += [(stored, spec)] if stored.spec is None else []
            elif stored.status == FAILED and not retry:
                self.failed.append(spec)
            elif spec.run_id not in known:
                job = Job(
                    spec=spec,
                    results=str(results),
                    profile=profile,
                    experiment=self.experiments[spec.run_id],
                    command=command_of(protocol, profile, spec, select),
                    locks=stored.holder.number,
                    retry=stored.status == FAILED,
                    checkpoint_seconds=every,
                )
                (self.others if stored.status == RUNNING else self.todo).append((job, protocol.timing))
        self.todo.sort(key=lambda t: (t[1], t[0].spec.split, run_work(t[0].spec), t[0].spec.run_id))

    def mend(self) -> int:
        """Write again what follows from the ids of complete runs, and was lost; returns how many there were."""
        for stored, spec in self.torn:
            with writable(stored.path):
                stored.write_config(spec)
        return len(self.torn)

    @property
    def running(self) -> list[RunSpec]:
        return [job.spec for job, _ in self.others]


def experiment_name(protocol: Protocol, select: Select) -> str:
    """`uci`, or `uci+epochs=50` if settings were changed on the command line: tables tell the two apart.

    How long a timed experiment goes on is left to whoever runs it and does not make it another one.
    """
    free = ("max_steps", "max_seconds") if protocol.timing else ()
    changes = {key: value for key, value in sorted(select.changes.items()) if key not in free}
    return "+".join([protocol.name, *(f"{key}={_word(value)}" for key, value in changes.items())])


def command_of(protocol: Protocol, profile: str, spec: RunSpec, select: Select) -> str:
    """The exact command that makes this run again."""
    words = ["dgpexp", "run", protocol.source, *protocol.options, "--profile", profile, "--dataset", spec.dataset]
    words += ["--method", spec.method, "--layers", str(spec.layers), "--splits", str(spec.split)]
    if protocol.sweep(profile).get("samples") and spec.method in SAMPLING:
        words += ["--samples", str(spec.settings.train_samples)]
    for key, value in sorted(select.changes.items()):
        words += ["--set", f"{key}={_word(value)}"]
    return shlex.join(words)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refuse_other_settings(stored: StoredRun, spec: RunSpec) -> None:
    """An id leaves out what is at its default; if a default was changed since, the folder is another run's."""
    recorded = stored.config.get("settings") or {}
    for key, value in spec.as_dict()["settings"].items():
        if key in recorded and recorded[key] != value:
            raise UserError(
                f"{stored.path} was made with {key} = {recorded[key]}, by another version of dgpexp, but now {key} = "
                f"{value}; choose another folder with --results."
            )

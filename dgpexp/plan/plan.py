"""The plan of a sweep: which runs are left, in which order, and the command that makes each of them again."""

import hashlib
import shlex
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dgpexp.config import RunSpec
from dgpexp.errors import UserError
from dgpexp.files import read_json, writable, write_json
from dgpexp.methods import SAMPLING
from dgpexp.plan.cost import run_work
from dgpexp.plan.protocol import Protocol, Select, concerns, shipped_protocols
from dgpexp.runs.code import OtherCode
from dgpexp.runs.job import Job
from dgpexp.store.stored_run import COMPLETED, FAILED, RUNNING, StoredRun, next_folder, runs_dir, set_aside

PLANNED = ".planned"  # beside the runs of a profile
EARLIER = "earlier"  # in the results folder: runs that were made anew, by number of the command that did it


@dataclass
class Plan:
    """The runs of a sweep by what is to be done about them, cheapest first and split by split."""

    todo: list[tuple[Job, bool]] = field(default_factory=list)  # and whether it has the machine to itself
    others: list[tuple[Job, bool]] = field(default_factory=list)  # that another live process executes now
    done: list[RunSpec] = field(default_factory=list)
    failed: list[RunSpec] = field(default_factory=list)  # earlier, and not to be retried
    complete: list[StoredRun] = field(default_factory=list)  # the folders of `done`
    renewed: list[StoredRun] = field(default_factory=list)  # runs of `todo` that other code made, to be set aside first
    code: OtherCode = field(default_factory=OtherCode)  # of the runs that stay as they are or go on
    torn: list[tuple[StoredRun, RunSpec]] = field(default_factory=list)  # done, but for their config.json
    experiments: dict[str, str] = field(default_factory=dict)  # the name of each run's, by its id

    def add(
        self,
        protocol: Protocol,
        profile: str,
        select: Select,
        results: Path,
        retry: bool,
        every: float,
        again: bool = False,
        note: str = "",
        tags: tuple[str, ...] = (),
    ) -> None:
        """Sort the selected runs of a protocol into the plan; a run that is already in it stays once.

        `retry`: failed runs too; `again`: also runs that other code than the present made, which are set aside.
        """
        known = set(self.experiments)
        for one in select.combinations():
            for spec in protocol.runs(profile, one):
                if spec.run_id in known:
                    continue
                known.add(spec.run_id)
                stored = StoredRun(runs_dir(results, profile) / spec.run_id)
                _refuse_other_settings(stored, spec)
                self.experiments[spec.run_id] = experiment_name(protocol, one)
                status, anew = stored.status, False
                if status != RUNNING and stored.begun and (again or status != FAILED or retry):
                    anew = (OtherCode() if again else self.code).add(stored) and again
                if anew:
                    self.renewed.append(stored)
                elif status == COMPLETED:
                    self.done.append(spec)
                    self.complete.append(stored)
                    self.torn += [(stored, spec)] if stored.spec is None else []
                    continue
                elif status == FAILED and not retry:
                    self.failed.append(spec)
                    continue
                job = Job(
                    spec=spec,
                    results=str(results),
                    profile=profile,
                    experiment=self.experiments[spec.run_id],
                    command=command_of(protocol, profile, spec, one),
                    locks=0 if anew else stored.holder.number,
                    retry=status == FAILED and not anew,
                    checkpoint_seconds=every,
                    note=note,
                    tags=tags,
                )
                (self.others if status == RUNNING else self.todo).append((job, protocol.timing))
        self.todo.sort(key=lambda t: (t[1], t[0].spec.split, run_work(t[0].spec), t[0].spec.run_id))

    def mend(self) -> int:
        """Write again what follows from the ids of complete runs, and was lost; returns how many there were."""
        for stored, spec in self.torn:
            with writable(stored.path):
                stored.write_config(spec)
        return len(self.torn)

    def set_aside(self, results: Path) -> Path | None:
        """Move the runs that are made anew to <results>/earlier/N, a results folder; returns it if there are any."""
        if not self.renewed:
            return None
        folder, left = next_folder(results / EARLIER), {job.spec.run_id for job, _ in self.todo}
        self.renewed = [stored for stored in self.renewed if stored.run_id in left]  # the others lack their data
        for stored in self.renewed:
            set_aside(stored, folder)
        return folder

    def label(self, note: str, tags: tuple[str, ...]) -> int:
        """Give note and tags to the runs that are complete already; returns how many did not have them."""
        count = 0
        for stored in self.complete:
            with writable(stored.path):
                count += stored.label(note, tags)
        return count

    def remember(self) -> None:
        """Keep what is planned beside the runs, so that `dgpexp status` counts what never began as left.

        The experiments that dgpexp ships say that themselves.
        """
        plans: dict[Path, dict[str, Any]] = {}
        for job, _ in self.todo:
            if job.experiment not in shipped_protocols():
                name = hashlib.sha256(job.experiment.encode()).hexdigest()[:12]
                path = job.run_dir.parent / PLANNED / f"{name}.json"
                plan = plans.setdefault(path, {"experiment": job.experiment, "runs": {}})
                plan["runs"][job.spec.run_id] = {**job.spec.as_dict(), "settings": job.spec.settings.changed()}
        for path, plan in plans.items():
            with writable(path.parent):
                path.parent.mkdir(parents=True, exist_ok=True)
                earlier = read_json(path) or {}
                write_json(path, {**plan, "runs": {**earlier.get("runs", {}), **plan["runs"]}})

    @property
    def running(self) -> list[RunSpec]:
        return [job.spec for job, _ in self.others]


def forget(runs: Iterable[StoredRun]) -> None:
    """Take runs out of what was planned: somebody threw them away, and they are not left to be done."""
    gone: dict[Path, set[str]] = {}
    for run in runs:
        gone.setdefault(run.path.parent / PLANNED, set()).add(run.run_id)
    for folder, ids in gone.items():
        for path in folder.glob("*.json"):
            plan = read_json(path) or {}
            kept = {k: v for k, v in plan.get("runs", {}).items() if k not in ids}
            if len(kept) < len(plan.get("runs", {})):
                write_json(path, {**plan, "runs": kept})


def experiment_name(protocol: Protocol, select: Select) -> str:
    """`uci`, or `uci+epochs=50` if settings were changed on the command line: tables tell the two apart.

    How long a timed experiment goes on is left to whoever runs it and does not make it another one; nor does what the
    members of `auto` change.
    """
    free = ("max_steps", "max_seconds") if protocol.timing else ()
    own = {k: (v,) for profile in protocol.profiles for k, v in protocol.of_members(profile).items()} | protocol.swept()
    changes = {k: v for k, v in sorted(select.changes.items()) if k not in free and v not in own.get(k, ())}
    return "+".join([protocol.name, *(f"{key}={_word(value)}" for key, value in changes.items())])


def command_of(protocol: Protocol, profile: str, spec: RunSpec, select: Select) -> str:
    """The exact command that makes this run again."""
    words = ["dgpexp", "run", protocol.source, *protocol.options, "--profile", profile, "--dataset", spec.dataset]
    words += ["--method", spec.method, "--layers", str(spec.layers), "--splits", str(spec.split)]
    if protocol.sweep(profile).get("samples") and spec.method in SAMPLING:
        words += ["--samples", str(spec.settings.train_samples)]
    varied = [key for key in protocol.swept(profile) if concerns(key, spec.method)]
    swept = {key: getattr(spec.settings, key) for key in varied}
    for key, value in sorted({**swept, **select.changes}.items()):
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

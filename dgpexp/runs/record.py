"""One run as a Sacred run: configuration, sources, dependencies, host, metrics and result, in the run's folder.

The walk through Sacred, and what becomes of an error on it:

    Attempt.ended -> record -> Sacred's Experiment.run -> main -> body (Attempt._train), with a Record to write to

    body returns a number              COMPLETED, with that as the run's result
    body raises Stopped                INTERRUPTED; record raises it too
    body raises StoreError, LockLost   INTERRUPTED: the run did not fail, the folder or the lock did; raised by record
    body raises anything else          FAILED, with the reason in info.json; record raises it as Failed(reason)
    Sacred cannot write a file         Sacred swallows it, the observer keeps it, and record raises it in the end
"""

import hashlib
import logging
import os
import shutil
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

with warnings.catch_warnings():  # Sacred imports pkg_resources, whose deprecation is not the user's business
    warnings.simplefilter("ignore")
    from sacred import SETTINGS, Experiment
    from sacred.dependencies import PackageDependency, Source, get_digest
    from sacred.observers import FileStorageObserver
    from sacred.utils import SacredInterrupt

from dgpexp.config import RunSpec
from dgpexp.errors import NumericalFailure, UserError
from dgpexp.files import StoreError, write_atomically, write_json
from dgpexp.runs import provenance
from dgpexp.runs.course import GaveUp
from dgpexp.store.locks import LockLost

# Versions are gathered below, once per process; the heart beats in the runner's own loop, between two steps.
SETTINGS.DISCOVER_SOURCES = "none"
SETTINGS.DISCOVER_DEPENDENCIES = "none"
SETTINGS.DEFAULT_BEAT_INTERVAL = 0


class RunObserver(FileStorageObserver):
    """Writes what Sacred writes, where Sacred writes it, for the process that holds the run's lock.

    Sacred's own lock (mkdir of the run's folder) cannot be taken over from a dead process; ours can (locks.py), so
    here the folder may exist. `holds` is asked before every write: a process that lost its lock writes nothing more.
    Sacred swallows the errors of observers; the first one is kept in `error` for the runner to report.
    """

    def __init__(self, basedir: Path, holds: Callable[[], bool]):
        super().__init__(basedir)
        self._holds = holds
        self._metrics: dict[str, dict[str, list[Any]]] = {}
        self.error: OSError | None = None

    def _make_run_dir(self, _id: str) -> None:
        self.dir = os.path.join(self.basedir, _id)
        os.makedirs(self.dir, exist_ok=True)
        for name in ("metrics.json", "cout.txt"):  # of an earlier attempt: the checkpoint knows the measurements
            Path(self.dir, name).unlink(missing_ok=True)

    def log_metrics(self, metrics_by_name: dict[str, Any], info: dict[str, Any]) -> None:
        """All measurements of the run so far; rewritten as a whole, so that none can be there twice."""
        if not metrics_by_name:
            return
        for name, new in metrics_by_name.items():
            series = self._metrics.setdefault(name, {"values": [], "steps": [], "timestamps": []})
            series["values"] += new["values"]
            series["steps"] += new["steps"]
            series["timestamps"] += [moment.isoformat() for moment in new["timestamps"]]
        self.save_json(self._metrics, "metrics.json")

    def save_json(self, obj: Any, filename: str) -> None:
        self._write(lambda: write_json(Path(self.dir, filename), obj))

    def save_cout(self) -> None:
        self._write(lambda: write_atomically(Path(self.dir, "cout.txt"), lambda f: f.write(self.cout.encode())))

    def find_or_save(self, filename: str, store_dir: Path) -> Path:
        """Sacred's store of source files, each copied whole or not at all."""
        store_dir.mkdir(parents=True, exist_ok=True)
        stem, extension = os.path.splitext(os.path.basename(filename))
        kept = store_dir / f"{stem}_{get_digest(filename)}{extension}"
        if not kept.exists():
            with open(filename, "rb") as source:
                write_atomically(kept, lambda f: shutil.copyfileobj(source, f))
        return kept

    def _write(self, write: Callable[[], None]) -> None:
        if self.error is None and self._holds():
            try:
                write()
            except OSError as error:
                self.error = error


class Stopped(SacredInterrupt):
    """Somebody asked the run to stop; it has checkpointed."""

    STATUS = "INTERRUPTED"


class Failed(Exception):
    """The run itself is at fault, for this reason; the other runs go on."""


class Record:
    """What a run in progress may write down."""

    def __init__(self, run: Any):
        self._run = run

    def evaluation(self, numbers: dict[str, float]) -> None:
        """One evaluation: every number is a metric of Sacred's at that step."""
        for name, value in numbers.items():
            if name != "step":
                self._run.log_scalar(name, value, int(numbers["step"]))

    def note(self, **info: Any) -> None:
        self._run.info.update(info)

    def beat(self) -> None:
        """Write metrics, info and output now. Sacred's thread would do it at moments of its own, racing the end."""
        self._run._emit_heartbeat()

    def artifact(self, path: Path) -> None:
        self._run.add_artifact(str(path))


def record(
    spec: RunSpec,
    observer: RunObserver,
    info: dict[str, Any],
    body: Callable[[Record], float],
    meta: dict[str, Any] | None = None,
) -> None:
    """Execute `body` as the Sacred run `spec.run_id`; see above for what it may return and raise."""
    experiment = Experiment("dgpexp", interactive=True, base_dir=str(provenance.PACKAGE.parent), save_git_info=False)
    experiment.sources |= _sources()
    experiment.dependencies |= _dependencies()
    experiment.observers.append(observer)
    experiment.logger = _silent()
    experiment.add_config({**spec.as_dict(), "seed": spec.seed})

    trouble: StoreError | LockLost | None = None

    def main(_run: Any) -> float:
        nonlocal trouble
        notes = Record(_run)
        try:
            return body(notes)
        except Stopped:
            raise
        except (StoreError, LockLost) as error:
            trouble = error
            raise Stopped from error
        except Exception as error:
            reason = _reason(error)
            notes.note(error=reason)
            notes.beat()
            raise Failed(reason) from error

    experiment.main(main)
    try:
        experiment.run(info=info, meta_info=meta, options={"--id": spec.run_id, "--capture": "sys", "--force": True})
    except Stopped:
        if trouble is not None:
            raise trouble from None
        raise
    if observer.error is not None:
        raise observer.error


def _reason(error: Exception) -> str:
    if isinstance(error, GaveUp | NumericalFailure | UserError):
        return str(error)
    return f"{type(error).__name__}: {error}".splitlines()[0][:500]


@cache
def _sources() -> frozenset[Any]:
    """The package's own files. Git is asked once: Sacred would ask for each file, and fail without commits."""
    commit, _, changes = provenance.commit().partition("+")
    repository = ("dgpexp", commit, bool(changes)) if commit else (None, None, None)
    sources = set()
    for path in sorted(provenance.PACKAGE.rglob("*.py")):
        digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
        sources.add(Source(str(path), digest, *repository))
        repository = (None, None, None)  # one source carries it: Sacred lists the repository once for each
    return frozenset(sources)


@cache
def _dependencies() -> frozenset[Any]:
    """Every installed distribution with its version."""
    from importlib import metadata

    found = {d.metadata["Name"]: d.version for d in metadata.distributions() if d.metadata["Name"]}
    return frozenset(PackageDependency(name, version) for name, version in found.items())


def _silent() -> logging.Logger:
    logger = logging.getLogger("dgpexp.sacred")
    logger.propagate = False
    logger.setLevel(logging.CRITICAL + 1)
    return logger

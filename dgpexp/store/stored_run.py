"""Where runs are kept and what state each is in: <results>/runs/<profile>/<run id>/.

Sacred's files (run.json, config.json, info.json, metrics.json, cout.txt) are the record; ours are claims/ (who executes
it), checkpoint.npz (where to continue; gone once complete) and model.npz (for predictions).
"""

import os
import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dgpexp.config import RunSpec
from dgpexp.errors import UserError
from dgpexp.files import writable, write_json
from dgpexp.store import run_files
from dgpexp.store.locks import Holder, acquire, holder

if TYPE_CHECKING:
    from dgpexp.training.predictor import Predictor

_RUN_ID = re.compile(r"(?P<dataset>.+)-(?P<method>\w+)-(?P<layers>\d{1,4})-s(?P<split>\d{2,8})-\w+")
_PROFILE = re.compile(r"(?!\.)[\w.+=-]{1,100}")
COMPLETED, RUNNING, STALE, FAILED, INTERRUPTED = "COMPLETED", "RUNNING", "STALE", "FAILED", "INTERRUPTED"


def results_dir(option: str | Path | None = None) -> Path:
    """`--results`, else DGPEXP_RESULTS, else ./results."""
    return Path(option or os.environ.get("DGPEXP_RESULTS") or "results")


def runs_dir(results: Path, profile: str) -> Path:
    """Where the runs of a profile are; a name that would lead elsewhere is refused."""
    if not _PROFILE.fullmatch(profile):
        raise UserError(
            f"'{profile[:60]}' cannot be the name of a profile: it is a folder's, of letters, digits and ._+-= and at "
            "most 100 of them, and does not begin with a dot."
        )
    return results / "runs" / profile


def profiles(results: Path) -> list[str]:
    """The profiles that have runs."""
    try:
        return sorted(p.name for p in (results / "runs").iterdir() if _PROFILE.fullmatch(p.name) and p.is_dir())
    except OSError:
        return []


@dataclass
class StoredRun:
    """A run's folder as it is now. Files that are missing or damaged read as empty (run_files.py)."""

    path: Path

    @cached_property
    def record(self) -> dict[str, Any]:
        return run_files.read(self.path / "run.json")

    @cached_property
    def config(self) -> dict[str, Any]:
        return run_files.read(self.path / "config.json")

    @cached_property
    def spec(self) -> RunSpec | None:
        """What config.json says the run is; None if that is gone or from another version."""
        try:
            return RunSpec.from_dict({k: self.config[k] for k in ("dataset", "method", "layers", "split", "settings")})
        except (KeyError, TypeError, UserError):
            return None

    @property
    def final(self) -> bool:
        """Whether it is a model of all rows, whose numbers say nothing since no row is left to test it."""
        return bool((self.config.get("settings") or {}).get("all_rows"))

    @cached_property
    def info(self) -> dict[str, Any]:
        return run_files.read(self.path / "info.json")

    @property
    def tags(self) -> tuple[str, ...]:
        """The words of --tag."""
        return tuple((self.record.get("meta") or {}).get("tags") or ())

    @property
    def note(self) -> str:
        """The sentence of --note."""
        return str((self.record.get("meta") or {}).get("note") or "")

    @property
    def traceback(self) -> str:
        """How it failed, from the first error on; empty if it did not, or nothing was recorded."""
        text = "".join(self.record.get("fail_trace") or ())
        return text.partition("\nThe above exception was the direct cause")[0].strip()

    @cached_property
    def curves(self) -> dict[str, dict[str, list[Any]]]:
        """metrics.json: for every metric its steps, values and timestamps, of the same length."""
        return run_files.read(self.path / "metrics.json")

    @cached_property
    def holder(self) -> Holder:
        return holder(self.path)

    @property
    def run_id(self) -> str:
        return self.path.name

    @cached_property
    def named(self) -> dict[str, Any]:
        """The data set, method, depth and split that the id alone tells; empty if the folder is called otherwise."""
        name = _RUN_ID.fullmatch(self.run_id)
        return {k: v if k in ("dataset", "method") else int(v) for k, v in name.groupdict().items()} if name else {}

    @cached_property
    def written(self) -> str:
        """What the files say. RUNNING, or nothing readable, is what kill -9 leaves: STALE."""
        status = self.record.get("status")
        if status == COMPLETED and not self._has_result():
            return STALE
        return status if status in (COMPLETED, FAILED, INTERRUPTED) else STALE

    def _has_result(self) -> bool:
        """Whether the numbers of a complete run are there, and are those that the run ended with."""
        metrics, result = self.info.get("metrics"), self.record.get("result")
        if not metrics:
            return False
        if not (self.config or (self.path / "config.json").exists()):  # damaged is said already
            run_files.report(self.path, "config.json is missing")
        if result is not None and result not in metrics.values():
            run_files.report(self.path, f"info.json does not have the result of run.json, {result:.6g}")
            return False
        return True

    @cached_property
    def status(self) -> str:
        """What the files say, unless a live process is working on it."""
        return RUNNING if self.written != COMPLETED and self.holder.alive() else self.written

    def write_config(self, spec: RunSpec) -> None:
        """Write config.json again, where it is missing or damaged: all it says follows from the run's id."""
        write_json(self.path / "config.json", {**spec.as_dict(), "seed": spec.seed})

    def label(self, note: str, tags: Iterable[str]) -> bool:
        """Give a run that has ended a note, and tags beside those it has; whether that changed anything."""
        new = labelled(self.record.get("meta"), note, tags)
        if new == (self.record.get("meta") or {}):
            return False
        write_json(self.path / "run.json", {**self.record, "meta": new})
        return True

    @property
    def begun(self) -> bool:
        """False for a folder that somebody made and left before anything was written."""
        return bool(self.record or self.config or self.holder.number)


def labelled(meta: dict[str, Any] | None, note: str, tags: Iterable[str]) -> dict[str, Any]:
    """Sacred's meta information with a note and more tags; a note replaces the earlier one."""
    every = dict.fromkeys([*((meta or {}).get("tags") or ()), *tags])
    return {**(meta or {}), **({"note": note} if note else {}), **({"tags": list(every)} if every else {})}


def stored_runs(results: Path, profile: str, tags: Iterable[str] = ()) -> list[StoredRun]:
    """Every run of a profile, in order of name, or those with all of these tags; Sacred's `_sources` is not one."""
    try:
        folders = [p for p in runs_dir(results, profile).iterdir() if p.is_dir() and p.name[0] not in "._"]
    except OSError:
        return []
    runs, wanted = [StoredRun(p) for p in sorted(folders)], set(tags)
    return [run for run in runs if wanted <= set(run.tags)] if wanted else runs


def set_aside(run: StoredRun, folder: Path) -> Path:
    """Move a run into `folder`, which is a results folder too: every command reads it there.

    A run that a live process executes is refused.
    """
    lock = acquire(run.path)
    if lock is None:
        raise UserError(f"{run.run_id} is being executed: stop that first (Ctrl-C), then try again.")
    lock.release("MOVED")
    target = folder / "runs" / run.path.parent.name / run.run_id
    with writable(folder):
        target.parent.mkdir(parents=True, exist_ok=True)
        sources = run.path.parent / "_sources"  # Sacred's copies, which a run names by a path beside its folder
        if sources.is_dir() and not (kept := target.parent / "_sources").exists():
            shutil.copytree(sources, kept)
        run.path.rename(target)
    return target


def next_folder(parent: Path) -> Path:
    """The folder 1, 2, ... of `parent` that is not there yet."""
    try:
        numbers = [int(p.name) for p in parent.iterdir() if p.name.isdecimal()]
    except OSError:
        numbers = []
    return parent / str(max(numbers, default=0) + 1)


def find_run(results: Path, name: str) -> StoredRun:
    """The run with this id (or the start of one), or in this folder; in any profile. Of several, the final model."""
    if (Path(name) / "config.json").is_file():
        return StoredRun(Path(name))
    every = [run for profile in profiles(results) for run in stored_runs(results, profile)]
    found = [r for r in every if r.run_id == name] or [r for r in every if r.run_id.startswith(name)]
    one = len({r.config.get("dataset") for r in found}) == 1  # never the model of another version of a table
    if one and len(final := [r for r in found if r.final]) == 1:
        return final[0]
    if len(found) == 1:
        return found[0]
    if not found:
        raise UserError(f"there is no run '{name}' in {results}/runs; `dgpexp status --runs` lists the runs.")
    names = ", ".join(str(r.path) for r in found[:5])
    raise UserError(f"'{name}' could be {len(found)} runs ({names}, ...): write more of the id, or the folder.")


def model_file(run: StoredRun) -> Path:
    """Where it is: asked before TensorFlow is imported, so that a model that was deleted is told at once."""
    path = run.path / "model.npz"
    if not path.is_file():
        again = run.info.get("command") or "the command that made it"
        raise UserError(f"{run.path} has no model.npz any more: remove that folder, and `{again}` trains it again.")
    return path


def load_model(run: StoredRun, **expected: Sequence[str]) -> "Predictor":
    """The model, whose `features` or `classes` are as expected; another run's is refused."""
    from dgpexp.training.predictor import Predictor

    predictor = Predictor.load(model_file(run))
    named: dict[str, Any] = {name: run.config[name] for name in ("method", "layers") if name in run.config}
    named |= {name: tuple(words) for name, words in expected.items()}
    if any(getattr(predictor, name) != value for name, value in named.items()):
        raise UserError(f"{run.path}/model.npz is the model of another run: remove that folder and run it again.")
    return predictor

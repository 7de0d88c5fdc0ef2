"""Sacred's FileStorageObserver for runs that may be killed and continued: it adopts a folder and never tears a file."""

import os
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

with warnings.catch_warnings():  # Sacred imports pkg_resources, whose deprecation is not the user's business
    warnings.simplefilter("ignore")
    from sacred.observers import FileStorageObserver

from dgpexp.files import write_atomically, write_json


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
        from sacred.dependencies import get_digest

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

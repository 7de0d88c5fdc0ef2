"""Runs that may stand together: of one data set, profile, method, depth and settings; only the split differs."""

from dataclasses import dataclass
from pathlib import Path

from dgpexp.config import RunSpec
from dgpexp.store.stored_run import COMPLETED, StoredRun, profiles, stored_runs


@dataclass(frozen=True)
class Configuration:
    """The runs of one model on the splits of one data set, those that are complete in the order of the splits."""

    profile: str
    spec: RunSpec  # of its first run
    runs: tuple[StoredRun, ...]  # complete
    others: tuple[StoredRun, ...]  # begun and not complete

    @property
    def started(self) -> str:
        """When its newest run began; texts of one format, so that they can be ordered."""
        return max((str(run.info.get("started") or "") for run in self.runs), default="")


def configurations(results: Path, name: str = "", profile: str | None = None) -> list[Configuration]:
    """All that have a complete run whose id begins with `name`, in any profile or in one. Final models are not tested
    and do not belong to any; runs on random numbers say nothing of the data set, and neither do they."""
    found: dict[tuple[str, ...], list[tuple[RunSpec, StoredRun]]] = {}
    for where in [profile] if profile else profiles(results):
        for run in stored_runs(results, where):
            spec = run.spec
            if spec and run.run_id.startswith(name) and not run.final and not spec.settings.synthetic_shape:
                settings = repr(spec.settings.changed())
                key = (where, spec.dataset, spec.method, str(spec.layers), settings)
                found.setdefault(key, []).append((spec, run))
    return [_configuration(key[0], runs) for key, runs in found.items() if any(_complete(r) for _, r in runs)]


def _configuration(profile: str, runs: list[tuple[RunSpec, StoredRun]]) -> Configuration:
    ordered = sorted(runs, key=lambda pair: pair[0].split)
    complete = tuple(run for _, run in ordered if _complete(run))
    return Configuration(profile, ordered[0][0], complete, tuple(run for _, run in ordered if not _complete(run)))


def _complete(run: StoredRun) -> bool:
    return run.status == COMPLETED

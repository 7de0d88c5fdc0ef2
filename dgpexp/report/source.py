"""Where a report's runs come from: one's own once one is finished, else the committed copy, else the thesis alone."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dgpexp.store.stored_run import COMPLETED, runs_dir
from dgpexp.store.tidy_table import read_curves, read_measured, read_runs

_NO_CURVE = pd.DataFrame(columns=["step", "train_seconds", "rmse", "ll", "objective"])


@dataclass(frozen=True)
class Source:
    """The runs, one sentence on where they were found, and the learning curve of each (empty where there is none)."""

    runs: pd.DataFrame
    sentence: str
    curve: Callable[[str], pd.DataFrame]


def usual_profile(results: Path) -> str:
    """thesis if a run of it is finished, else quick; where the store has neither, the same of what `load` finds."""
    for has_runs in (lambda p: _any_finished(read_runs(results, p)), lambda p: len(load(results, p).runs) > 0):
        for profile in ("thesis", "quick"):
            if has_runs(profile):
                return profile
    return "thesis"


def load(results: Path, profile: str) -> Source:
    """The runs of a profile: one's own once one of them is finished, until then what was measured earlier."""
    runs = read_runs(results, profile)
    own = results / "measured"
    measured = own if (own / profile / "runs.csv").is_file() else None
    earlier = read_measured(profile, measured)
    if len(earlier) and not _any_finished(runs):
        sentence = f"{len(earlier)} runs measured earlier and committed with dgpexp (no finished run of your own yet)."
        return Source(earlier, sentence, _measured_curves(measured, profile))
    if len(runs):
        folder = runs_dir(results, profile)
        return Source(runs, f"{len(runs)} runs of the run store.", lambda run_id: read_curves(folder / run_id))
    return Source(
        runs,
        f"no runs of this profile yet, so only the thesis's values are shown: `dgpexp reproduce --profile {profile}` "
        "makes them.",
        lambda run_id: _NO_CURVE,
    )


def _any_finished(runs: pd.DataFrame) -> bool:
    return bool((runs["status"] == COMPLETED).any())


def _measured_curves(folder: Path | None, profile: str) -> Callable[[str], pd.DataFrame]:
    """curves.csv beside runs.csv: the columns of `read_curves` and run_id; it need not be there."""
    from dgpexp.resources import shipped

    path = (folder or shipped("measured", "results/measured")) / profile / "curves.csv"
    if not path.is_file():
        return lambda run_id: _NO_CURVE
    every = pd.read_csv(path)
    return lambda run_id: every.loc[every["run_id"] == run_id].reset_index(drop=True)

"""Where the runs of a report come from: the run store, else the copy that is committed, else nothing but the thesis."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dgpexp.runs.store import profiles, runs_dir
from dgpexp.runs.table import read_curves, read_measured, read_runs

_NO_CURVE = pd.DataFrame(columns=["step", "train_seconds", "rmse", "ll", "objective"])


@dataclass(frozen=True)
class Source:
    """The runs, one sentence on where they were found, and the learning curve of each (empty where there is none)."""

    runs: pd.DataFrame
    sentence: str
    curve: Callable[[str], pd.DataFrame]


def usual_profile(results: Path) -> str:
    """thesis if it has runs, else quick; where the store has neither, the same of the committed copies."""
    for has_runs in (lambda p: p in profiles(results), lambda p: len(load(results, p).runs) > 0):
        for profile in ("thesis", "quick"):
            if has_runs(profile):
                return profile
    return "thesis"


def load(results: Path, profile: str) -> Source:
    """The runs of a profile, the freshest that can be had."""
    runs = read_runs(results, profile)
    if len(runs):
        folder = runs_dir(results, profile)
        return Source(runs, f"{len(runs)} runs of the run store.", lambda run_id: read_curves(folder / run_id))
    own = results / "measured"
    measured = own if (own / profile / "runs.csv").is_file() else None
    runs = read_measured(profile, measured)
    if len(runs):
        sentence = f"{len(runs)} runs measured earlier and committed with dgpexp (no run of your own yet)."
        return Source(runs, sentence, _measured_curves(measured, profile))
    return Source(
        runs,
        f"no runs of this profile yet, so only the thesis's values are shown: `dgpexp reproduce --profile {profile}` "
        "makes them.",
        lambda run_id: _NO_CURVE,
    )


def _measured_curves(folder: Path | None, profile: str) -> Callable[[str], pd.DataFrame]:
    """curves.csv beside runs.csv: the columns of `read_curves` and run_id; it need not be there."""
    from dgpexp.resources import shipped

    path = (folder or shipped("measured", "results/measured")) / profile / "curves.csv"
    if not path.is_file():
        return lambda run_id: _NO_CURVE
    every = pd.read_csv(path)
    return lambda run_id: every.loc[every["run_id"] == run_id].reset_index(drop=True)

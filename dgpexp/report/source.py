"""The runs that a report is made of: local ones if any has finished, otherwise the committed copy, otherwise none."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from dgpexp.errors import UserError
from dgpexp.plan.protocol import read_protocol, shipped_protocols
from dgpexp.report import published
from dgpexp.report.cells import Cell, Entry, Groups, cell, group
from dgpexp.report.published import Key, Published
from dgpexp.resources import shipped
from dgpexp.runs.code import other_code
from dgpexp.store.stored_run import COMPLETED, StoredRun, profiles, runs_dir
from dgpexp.store.tidy_table import (
    curve_columns,
    on_random_data,
    read_curves,
    read_measured,
    read_measured_curves,
    read_runs,
)

_NO_CURVE = pd.DataFrame(columns=["step", *curve_columns()])


@dataclass(frozen=True)
class Source:
    """The runs, one sentence on where they were found, and the learning curve of each (empty where there is none).

    Runs with --synthetic-shape stand apart, in `random`: whoever reads `runs` has runs on the data they are named by.
    """

    runs: pd.DataFrame
    sentence: str
    curve: Callable[[str], pd.DataFrame]
    random: pd.DataFrame
    code: tuple[str, ...] = ()  # what to say of runs that other code than the present made
    committed: bool = False  # measured earlier, and standing in for local runs


@dataclass(frozen=True)
class Material:
    """What tables and figures are made of: the runs of a profile, those of each table entry, and what was printed."""

    profile: str
    source: Source
    published: dict[Key, Published]
    groups: Groups
    timed: Groups  # on random numbers: of these the seconds count, and nothing else

    def cell(self, entry: Entry, metric: str) -> Cell:
        """One number of a table, judged."""
        return cell(entry, metric, self.groups, self.published)


def collect(results: Path, profile: str, tags: tuple[str, ...] = ()) -> Material:
    """Read the runs of a profile and group them."""
    found = load(results, profile, tags)
    return Material(profile, found, published.load(), group(found.runs), group(found.random, random=True))


def known_profiles(results: Path) -> list[str]:
    """The profiles that have runs, here or committed, and all that an experiment of the thesis has."""
    protocols = (read_protocol(name) for name in shipped_protocols())
    planned = {profile for protocol in protocols for profile in protocol.profiles}
    measured = {path.parent.name for folder in (results / "measured", _shipped()) for path in folder.glob("*/runs.csv")}
    return sorted({*profiles(results), *planned, *measured})


def _shipped() -> Path:
    return shipped("measured", "results/measured")


def usual_profile(results: Path) -> str:
    """thesis if there are runs of it, here or committed, else quick if it has any: a miniature judges nothing."""
    return next((profile for profile in ("thesis", "quick") if len(load(results, profile).runs)), "thesis")


def load(results: Path, profile: str, tags: tuple[str, ...] = ()) -> Source:
    """Use local runs if any has finished, otherwise the committed results; with `tags`, only local runs with them."""
    runs, random = _parted(read_runs(results, profile, tags))
    if tags and runs.empty and random.empty:
        raise UserError(f"no run of profile '{profile}' has the tag {' and '.join(tags)}.")
    own = results / "measured"
    measured = own if (own / profile / "runs.csv").is_file() else None
    earlier, random_earlier = _parted(read_measured(profile, measured))
    if not _any_finished(runs) and not _any_finished(random):
        random = random_earlier
    if len(earlier) and not tags and not _any_finished(runs):
        releases = ", ".join(sorted({str(version) for version in earlier["version"] if version}))
        by = f" by release {releases}" if releases else ""
        sentence = (
            f"{len(earlier)} runs measured earlier{by} and committed with dgpexp (no finished run of your own yet)."
        )
        return Source(earlier, sentence + _counted(random), _measured_curves(measured, profile), random, committed=True)
    if len(runs):
        folder = runs_dir(results, profile)
        made = other_code(StoredRun(folder / run_id) for run_id in runs["run_id"])
        code = made.sentences
        said = [f"{len(runs)} runs of the run store.", *(code[:1] if made.other else ())]
        sentence = " ".join(said) + _counted(random)
        return Source(runs, sentence, lambda run_id: read_curves(folder / run_id), random, code=tuple(code))
    sentence = (
        f"no runs of this profile yet, so only the thesis's values are shown: `dgpexp reproduce --profile {profile}` "
        "makes them."
    )
    return Source(runs, sentence + _counted(random), lambda run_id: _NO_CURVE, random)


def _parted(runs: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Part the runs: on the data that they are named by, and on random numbers of its shape."""
    random = on_random_data(runs)
    return runs[~random], runs[random]


def _counted(random: pd.DataFrame) -> str:
    if random.empty:
        return ""
    return f" {len(random)} more on random numbers (--synthetic-shape): only their seconds are shown."


def _any_finished(runs: pd.DataFrame) -> bool:
    return bool((runs["status"] == COMPLETED).any())


def _measured_curves(folder: Path | None, profile: str) -> Callable[[str], pd.DataFrame]:
    """curves.csv beside runs.csv: the columns of `read_curves` and run_id; it need not be there."""
    every = read_measured_curves((folder or _shipped()) / profile / "curves.csv")
    return lambda run_id: every.loc[every["run_id"] == run_id].reset_index(drop=True)

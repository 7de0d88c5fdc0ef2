"""When is a run of ours comparable with a number of the thesis? When it did what the thesis says that it did.

What it did stands in experiments/*.toml, in the profile `thesis`; which of those settings the thesis states, here. The
others (initial values, S in section 5.1, precision) are ours to choose and do not matter; a run that was cut short or
has another model is shown, but not judged by the published value.
"""

import math
from dataclasses import asdict
from functools import cache, lru_cache
from typing import Any

from dgpexp.config import Settings
from dgpexp.datasets.catalog import CATALOG
from dgpexp.datasets.splits import RANDOM, RFF
from dgpexp.datasets.synthetic import GENERATORS
from dgpexp.methods import METHODS
from dgpexp.plan.protocol import Protocol, read_protocol, shipped_protocols
from dgpexp.report.published import BIG, SYNTHETIC
from dgpexp.store.tidy_table import recorded_settings
from dgpexp.tasks import CLASSIFICATION

_THESIS = "thesis"
_STATED = (
    "learning_rate", "cooldown", "kernel", "ard", "max_seconds", "max_steps", "separate_inducing", "inducing_points",
    "batch_size", "mean_function", "hidden_width", "max_hidden_width", "epochs", "split_list",
)  # fmt: skip
_UNSTATED: dict[str, set[str]] = {
    "uci": set(),
    "synthetic": {"max_hidden_width", "split_list"},  # all layers have three units
    "big": {  # the thesis states no length
        "max_seconds", "max_steps", "epochs", "separate_inducing", "mean_function", "max_hidden_width", "split_list",
    },
}  # fmt: skip


def kind(dataset: str, experiment: str = "") -> str:
    """The section a data set belongs to: uci (5.1), synthetic (5.2), big (5.3), classification or own (not there).

    The experiment's name carries what was changed on the command line: `synthetic+epochs=50`.
    """
    experiment = experiment.partition("+")[0]
    if dataset in BIG:
        return "big"
    if dataset in SYNTHETIC or experiment == "synthetic":
        return "synthetic"
    if is_of_classes(dataset):
        return CLASSIFICATION.name
    return "own" if experiment == "csv" else "uci"


def is_of_classes(dataset: str) -> bool:
    """Whether it is a set of the catalog with classes."""
    return dataset in CATALOG and bool(CATALOG[dataset].classes)


def _protocol(section: str, dataset: str) -> Protocol:
    """The experiment of a section; the data sets of 5.3 have one each."""
    return _read(dataset if section == "big" else section)


_read = cache(read_protocol)  # once for all cells of a report


@cache
def _shipped(name: str) -> Protocol | None:
    return _read(name) if name in shipped_protocols() else None


def splits(section: str, dataset: str) -> int:
    """How many the protocol makes of a cell; the thesis itself repeated 5.1 alone."""
    if section == CLASSIFICATION.name and CATALOG[dataset].test_rows:
        return 1
    protocol = _protocol(section, dataset) if section in (*_UNSTATED, CLASSIFICATION.name) else None
    return int(protocol.sweep(protocol.default_profile)["splits"]) if protocol else 0


@cache
def share_tested(dataset: str, split_list: str = "auto") -> float:
    """Test rows over training rows of a split; 0 where every split is a data set of its own, drawn anew."""
    if dataset in GENERATORS:
        return 0.0
    about = CATALOG.get(dataset)
    if about and about.test_rows:
        return about.test_rows / (about.rows - about.test_rows)
    if about and (about.splits or RANDOM if split_list == "auto" else split_list) == RFF:
        return 1 / (math.sqrt(about.rows) - 1)  # √N rows for testing
    return 1 / 9


@lru_cache(maxsize=4096)
def deviations(dataset: str, method: str, section: str, settings: str) -> tuple[str, ...]:
    """In words, where the settings (canonical JSON) of a run leave the thesis's protocol."""
    actual = recorded_settings(settings)
    if not actual:
        return ("its settings were not recorded",)
    if section not in _UNSTATED:
        return ()
    protocol = _protocol(section, dataset).settings(_THESIS, dataset, method)
    stated = {name: getattr(protocol, name) for name in _STATED if name not in _UNSTATED[section]}
    return tuple(
        f"{name} = {_plain(actual[name])} (thesis: {_plain(value)})"
        for name, value in stated.items()
        if name in actual and actual[name] != value
    )


@lru_cache(maxsize=4096)
def as_planned(profile: str, experiment: str, dataset: str, method: str, settings: str) -> bool:
    """Whether a run's settings (canonical JSON) are those that its profile has today.

    A profile may have changed since the run; what the run's experiment is called says only what it was then. Of an
    experiment that is not shipped nothing else is known. A setting that is younger than the run had its default.
    """
    name, _, changed = experiment.partition("+")
    recorded = recorded_settings(settings)
    protocol = _shipped(name)
    if not recorded or protocol is None or profile not in protocol.profiles:
        return not changed
    planned = asdict(protocol.settings(profile, dataset, method))
    if protocol.sweep(profile).get("samples"):
        del planned["train_samples"]  # a run for each of several
    actual = asdict(Settings()) | recorded
    return all(actual[key] == value for key, value in planned.items())


@cache
def brought(experiment: str, profile: str, method: str, dataset: str) -> frozenset[str]:
    """The settings that a method or a data set brings along: its own, and those that its protocol gives to it alone."""
    own = {*METHODS[method].settings, "train_samples", "test_samples"} if method in METHODS else set()
    protocol = _shipped(experiment.partition("+")[0])
    for tables in (protocol.tables, protocol.profiles.get(profile, {})) if protocol else ():
        own |= {*tables.get("methods", {}).get(method, {}), *tables.get("datasets", {}).get(dataset, {})}
    return frozenset(own)


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def why_empty(dataset: str) -> str:
    """What to tell of a cell that has no finished run."""
    if dataset == "year":
        return (
            "no run: its file (YearPredictionMSD, 515,345 x 90) could not be had here; "
            "`dgpexp data fetch year`, or `dgpexp data import DIR` with the file, then `dgpexp run year`"
        )
    return "no finished run yet"


def remark(dataset: str) -> str:
    """What a reader must know before comparing the numbers of a data set."""
    if dataset == "airline":
        return (
            "flights of other years than the thesis's 2,082,007 of 2008: "
            "RMSE and log-likelihood are not expected to equal its"
        )
    if is_of_classes(dataset):
        return "printed by others than the thesis, who trained otherwise: shown, not judged"
    return ""


def on_random_numbers(dataset: str) -> str:
    """What a reader must know of the seconds of runs with --synthetic-shape."""
    return f"on random numbers in the shape of {dataset}: only the time of a step is real"

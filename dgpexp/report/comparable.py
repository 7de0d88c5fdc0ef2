"""When is a run of ours comparable with a number of the thesis? When it did what the thesis says that it did.

Settings on which the thesis is silent (initial values, S in section 5.1, precision) are ours to choose and do not
matter here; a run that was cut short or has another model is shown, but not judged by the published value.
"""

import json
from functools import lru_cache
from typing import Any

from dgpexp.report.published import BIG, SYNTHETIC

_ADAM = {"learning_rate": 0.01, "cooldown": 0.0}
_COMMON = {**_ADAM, "kernel": "rbf", "max_seconds": 0.0, "max_steps": 0, "separate_inducing": False}
_REGRESSION = {**_COMMON, "inducing_points": 100, "batch_size": 100, "mean_function": "linear", "hidden_width": 0}
_STATED: dict[str, dict[str, Any]] = {
    "uci": {**_REGRESSION, "max_hidden_width": 30, "epochs": 2000},
    "synthetic": {**_COMMON, "inducing_points": 50, "batch_size": 50, "mean_function": "none", "hidden_width": 3}
    | {"epochs": 500},
    # Section 5.3 states no length, so steps and seconds are free.
    "big": {**_ADAM, "kernel": "rbf", "inducing_points": 100, "batch_size": 100, "hidden_width": 8},
}
_FEWER_EPOCHS = {"naval": 500, "power": 500, "protein": 500}

SHAPE = "-shape"  # data sets of random numbers in the shape of a real one, made to time a step


def is_shape(dataset: str) -> bool:
    return dataset.endswith(SHAPE)


def kind(dataset: str, experiment: str = "") -> str:
    """The section a data set belongs to: uci (5.1), synthetic (5.2), big (5.3), or own (not in the thesis).

    The experiment's name carries what was changed on the command line: `synthetic+epochs=50`.
    """
    experiment = experiment.partition("+")[0]
    if dataset.removesuffix(SHAPE) in BIG:
        return "big"
    if dataset in SYNTHETIC or experiment == "synthetic":
        return "synthetic"
    return "own" if experiment == "csv" else "uci"


def deviations(dataset: str, section: str, settings: str) -> tuple[str, ...]:
    """In words, where the settings (canonical JSON) of a run leave the thesis's protocol."""
    return _deviations(dataset, section, settings)


@lru_cache(maxsize=4096)
def _deviations(dataset: str, section: str, settings: str) -> tuple[str, ...]:
    try:
        actual = json.loads(settings)
    except (TypeError, ValueError):
        return ("its settings were not recorded",)
    stated = dict(_STATED.get(section, {}))
    if section == "uci" and dataset in _FEWER_EPOCHS:
        stated["epochs"] = _FEWER_EPOCHS[dataset]
    return tuple(
        f"{key} = {_plain(actual[key])} (thesis: {_plain(value)})"
        for key, value in stated.items()
        if key in actual and actual[key] != value
    )


def _plain(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def why_empty(dataset: str, method: str, section: str) -> str:
    """What to tell of a cell that has no finished run."""
    if dataset == "year":
        return (
            "no run: its file (YearPredictionMSD, 515,345 x 90) could not be had here; "
            "`dgpexp data fetch year`, or `dgpexp data import DIR` with the file, then `dgpexp run year`"
        )
    return "no finished run yet"


def remark(dataset: str) -> str:
    """What a reader must know before comparing the numbers of a data set."""
    if is_shape(dataset):
        name = dataset.removesuffix(SHAPE)
        return f"random numbers in the shape of {name}: the times are real, RMSE and log-likelihood mean nothing"
    if dataset == "airline":
        return (
            "flights of other years than the thesis's 2,082,007 of 2008: "
            "RMSE and log-likelihood are not expected to equal its"
        )
    return ""

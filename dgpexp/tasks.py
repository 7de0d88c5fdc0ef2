"""What a data set asks for: a number or a class. A task decides the likelihood, the scaling of y, and the metrics."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dgpexp.errors import UserError


@dataclass(frozen=True)
class Task:
    """One kind of target."""

    name: str
    scaled: bool  # whether y is brought to zero mean and unit deviation
    headline: tuple[str, ...]  # the metrics that are watched during a run, the first of them its result


REGRESSION = Task("regression", scaled=True, headline=("ll", "rmse"))
CLASSIFICATION = Task("classification", scaled=False, headline=("ll", "accuracy"))
TASKS = {task.name: task for task in (REGRESSION, CLASSIFICATION)}

AUTO = "auto"
# Which targets a likelihood is for, by their number of classes, 0 for a number; the first that fits is AUTO's.
LIKELIHOODS: Mapping[str, Callable[[int], bool]] = {
    "gaussian": lambda classes: classes == 0,
    "probit": lambda classes: classes == 2,
    "robustmax": lambda classes: classes >= 2,
    "softmax": lambda classes: classes >= 2,
}


def task_of(classes: Sequence[str]) -> Task:
    """The task of a target with these classes, none if it is a number."""
    return CLASSIFICATION if classes else REGRESSION


def recorded_task(info: Mapping[str, Any] | None) -> Task:
    """The task that a run's info.json names; version 0.1, which named none, knew regression alone."""
    return TASKS.get((info or {}).get("task", ""), REGRESSION)


def likelihood_of(wanted: str, classes: int) -> str:
    """The likelihood for a target of so many classes, 0 if it is a number; one that does not fit gets a sentence."""
    kind = f"one of {classes} classes" if classes else "a number"
    fitting = [name for name, fits in LIKELIHOODS.items() if fits(classes)]
    if wanted not in (AUTO, *fitting):
        raise UserError(f"likelihood = {wanted} does not fit a target that is {kind}: use {' or '.join(fitting)}.")
    return fitting[0] if wanted == AUTO else wanted

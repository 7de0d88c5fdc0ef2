"""What a data set asks for: a number or a class. A task decides the likelihood, the scaling of y, and the metrics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dgpexp.checking import refuse_unknown
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
LIKELIHOODS = ("gaussian", "probit", "robustmax", "softmax")


def task_of(classes: Sequence[str]) -> Task:
    """The task of a target with these classes, none if it is a number."""
    return CLASSIFICATION if classes else REGRESSION


def recorded_task(info: Mapping[str, Any] | None) -> Task:
    """The task that a run's info.json names; version 0.1, which named none, knew regression alone."""
    return TASKS.get((info or {}).get("task", ""), REGRESSION)


def find_task(name: str) -> Task:
    """The task of this name, or a sentence that lists them."""
    refuse_unknown([name], TASKS, "task", "the tasks are")
    return TASKS[name]


def likelihood_of(wanted: str, classes: int) -> str:
    """The likelihood for a target of so many classes, 0 if it is a number; one that does not fit gets a sentence."""
    kind = f"one of {classes} classes" if classes else "a number"
    fitting = LIKELIHOODS[:1] if classes == 0 else LIKELIHOODS[1:] if classes == 2 else LIKELIHOODS[2:]
    if wanted not in (AUTO, *fitting):
        raise UserError(f"likelihood = {wanted} does not fit a target that is {kind}: use {' or '.join(fitting)}.")
    return fitting[0] if wanted == AUTO else wanted

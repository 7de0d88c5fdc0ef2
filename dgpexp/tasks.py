"""What a data set asks for: a number or a class. A task decides the likelihood, the scaling of y, and the metrics."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dgpexp.checking import refuse_unknown


@dataclass(frozen=True)
class Task:
    """One kind of target."""

    name: str
    scaled: bool  # whether y is brought to zero mean and unit deviation
    headline: tuple[str, ...]  # the metrics that are watched during a run, the first of them its result


REGRESSION = Task("regression", scaled=True, headline=("ll", "rmse"))
TASKS = {task.name: task for task in (REGRESSION,)}


def recorded_task(info: Mapping[str, Any] | None) -> Task:
    """The task that a run's info.json names; version 0.1, which named none, knew regression alone."""
    return TASKS.get((info or {}).get("task", ""), REGRESSION)


def find_task(name: str) -> Task:
    """The task of this name, or a sentence that lists them."""
    refuse_unknown([name], TASKS, "task", "the tasks are")
    return TASKS[name]

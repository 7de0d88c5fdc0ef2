"""What a data set asks for: a number or a class. A task decides the likelihood, the scaling of y, and the metrics."""

from dataclasses import dataclass

from dgpexp.checking import refuse_unknown


@dataclass(frozen=True)
class Task:
    """One kind of target."""

    name: str
    scaled: bool  # whether y is brought to zero mean and unit deviation
    headline: tuple[str, ...]  # the metrics that are watched during a run, the first of them its result


REGRESSION = Task("regression", scaled=True, headline=("ll", "rmse"))
TASKS = {task.name: task for task in (REGRESSION,)}


def find_task(name: str) -> Task:
    """The task of this name, or a sentence that lists them."""
    refuse_unknown([name], TASKS, "task", "the tasks are")
    return TASKS[name]

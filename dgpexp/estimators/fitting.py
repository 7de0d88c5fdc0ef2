"""Train one model on all rows of a split, with the recoveries of a run and, on request, a bar."""

import gc
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tensorflow.python.eager import context

from dgpexp.config import Settings
from dgpexp.datasets import Split
from dgpexp.runs.course import Course, GaveUp
from dgpexp.training.session import Session

_forked = False  # whether this process is the child of one in which TensorFlow had started its threads


def _note_fork() -> None:
    global _forked
    _forked = _forked or context.context()._context_handle is not None


os.register_at_fork(after_in_child=_note_fork)


def refuse_forked() -> None:
    """Refuse a child that was forked after TensorFlow began: it has none of the threads that would do the work."""
    if _forked:
        raise RuntimeError(
            "this process was forked from one that had used TensorFlow, which cannot work here: start processes by "
            "multiprocessing's 'spawn', or by joblib's default (loky)."
        )


def trained(method: str, layers: int, settings: Settings, split: Split, seed: int, progress: bool) -> Session:
    """Train a new session to its last step."""
    gc.collect()  # the last one and its graph, some 10 MB, refer to each other
    session = Session(method, layers, settings, split, seed)
    advance(session, settings, split, progress)
    return session


def advance(
    session: Session, settings: Settings, split: Split, progress: bool, between: Callable[[], None] = lambda: None
) -> None:
    """Take a session to its last step; `between` is called between blocks of steps, and may raise to leave."""
    course = Course(session, settings, len(split.x_train), len(split.y_test), start=None)
    with _bar(progress, course.total) as show:
        try:
            while not course.finished:
                between()
                course.advance()
                show(course.step, course.objective)
        except GaveUp as error:
            raise RuntimeError(f"training failed ({error}): try a smaller learning_rate.") from error


@contextmanager
def _bar(wanted: bool, total: int) -> Iterator[Callable[[int, float], None]]:
    if not wanted:
        yield lambda step, objective: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    text = TextColumn("objective {task.fields[objective]:.4g} per row")
    columns = (TextColumn("training"), BarColumn(), MofNCompleteColumn(), text, TimeRemainingColumn())
    with Progress(*columns, console=Console(file=sys.stderr)) as bars:
        task = bars.add_task("", total=total, objective=float("nan"))
        yield lambda step, objective: bars.update(task, completed=step, objective=objective)

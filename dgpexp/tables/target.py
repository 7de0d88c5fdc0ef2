"""The target of a user's table: a quantity or classes, which of the two it is, and the numbers of its classes."""

from dataclasses import dataclass

import numpy as np

from dgpexp.datasets.scaling import SMALLEST
from dgpexp.errors import UserError
from dgpexp.tables import columns as encoding
from dgpexp.tables.file import Cells
from dgpexp.tasks import REGRESSION

_FEW_NUMBERS = 10  # as many different whole numbers are taken for classes, more for a quantity
_MOST_CLASSES = 50


@dataclass(frozen=True)
class Target:
    """Values [n], numbers of classes if there are classes; and what a person should know about how it was read."""

    values: np.ndarray
    classes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def learn(cells: Cells, name: str, task: str | None) -> Target:
    """The target of training rows; `task` says what it is, None leaves it to what it looks like."""
    numbers = encoding.numbers(cells, name)  # refuses what is missing or infinite
    if task == REGRESSION.name:
        return Target(_quantity(cells, name, ", which --task regression needs"))
    if task is None and not _looks_like_classes(cells, name, numbers):
        return Target(_quantity(cells, name, ", as most of the target are: correct it, or say --task classification"))
    labels = _labels(cells, name)
    classes = _in_order(labels, numbers)
    _refuse_hopeless(cells, name, labels, classes)
    note = f"the target '{name}' is one of {len(classes)} classes ({encoding.some(classes)})"
    doubt = ": if it is a quantity, say --task regression" if task is None and numbers is not None else ""
    return Target(_numbered(labels, classes), classes, (f"{note}{doubt}.",))


def read(cells: Cells, name: str, classes: tuple[str, ...]) -> np.ndarray:
    """The target [n] of test rows: a class that the training rows do not have is refused."""
    if not classes:
        return encoding.only_numbers(cells, name, ", as it is in the training file")
    labels = _labels(cells, name)
    for row, label in enumerate(labels):
        if label not in classes:
            raise UserError(
                f"{cells.place(row, name)}: '{label}' is a class that the training rows do not have; they have "
                f"{', '.join(classes)}."
            )
    return _numbered(labels, classes)


def _quantity(cells: Cells, name: str, why: str) -> np.ndarray:
    y = encoding.only_numbers(cells, name, why)
    if y.min() == y.max():
        raise UserError(f"{cells.path}: the target '{name}' is {y[0]:g} in every row, so there is nothing to predict.")
    if np.std(y) < SMALLEST:
        raise UserError(f"{cells.path}: the target '{name}' varies by {np.std(y):.1g} only: give it another unit.")
    return y


def _looks_like_classes(cells: Cells, name: str, numbers: np.ndarray | None) -> bool:
    """Words, unless most of them are numbers and the rest mistyped; or a few different whole numbers."""
    if numbers is None:
        column = cells.columns[name]
        return sum(encoding.is_number(c) or encoding.is_decimal_comma(c) for c in column) <= len(column) / 2
    distinct = np.unique(numbers)
    return 1 < len(distinct) <= _FEW_NUMBERS and bool(np.all(distinct == np.round(distinct)))


def _labels(cells: Cells, name: str) -> list[str]:
    """A label a row: the word, or the number without a point where it is whole."""
    numbers = encoding.numbers(cells, name)
    if numbers is None:
        return cells.columns[name]
    return [str(int(v)) if v == round(v) else repr(v) for v in numbers.tolist()]


def _in_order(labels: list[str], numbers: np.ndarray | None) -> tuple[str, ...]:
    return tuple(sorted(set(labels), key=None if numbers is None else float))


def _numbered(labels: list[str], classes: tuple[str, ...]) -> np.ndarray:
    number = {label: k for k, label in enumerate(classes)}
    return np.array([float(number[label]) for label in labels])


def _refuse_hopeless(cells: Cells, name: str, labels: list[str], classes: tuple[str, ...]) -> None:
    if len(classes) == 1:
        raise UserError(
            f"{cells.path}: the target '{name}' is {labels[0]} in every row, so there is nothing to predict."
        )
    if len(classes) > _MOST_CLASSES:
        raise UserError(
            f"the target '{name}' of {cells.path} has {len(classes)} different values ({encoding.some(classes)}), more "
            f"than the {_MOST_CLASSES} classes that can be told apart: group them, or name another target."
        )
    for label in classes:
        if labels.count(label) == 1:
            raise UserError(
                f"{cells.place(labels.index(label), name)}: the class '{label}' has this row only, and a class needs "
                "one to learn from and one to test on: remove the row, or join the class with another."
            )

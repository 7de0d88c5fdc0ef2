"""The target of a user's table: a quantity or classes, which of the two it is, and the numbers of its classes."""

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from dgpexp.datasets.scaling import SMALLEST
from dgpexp.errors import UserError
from dgpexp.tables import columns
from dgpexp.tables.file import CONTROL, Sheet, plain
from dgpexp.tables.reading import NUMBER, Reading
from dgpexp.tasks import REGRESSION

_FEW_NUMBERS = 10  # as many different whole numbers are taken for classes, more for a quantity
_FEWEST_ROWS, _FEWEST_IN_ALL = 5, 50  # of a class on average; with fewer the numbers may count something
MOST_CLASSES = 50
_USUAL = re.compile(r"-?(0|[1-9]\d{0,14})(\.\d+)?")  # a number whose name is its value


@dataclass(frozen=True)
class Target:
    """Values [n], numbers of classes if there are classes; and what a person should know about how it was read."""

    values: np.ndarray
    classes: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def learn(sheet: Sheet, name: str, task: str | None, reading: Reading) -> Target:
    """The target of training rows; `task` says what it is, None leaves it to what it looks like."""
    number = reading.kind == NUMBER
    if task is None and number:
        quantity = not few_whole(np.unique(columns.quantity(sheet, name, reading)))
    else:
        quantity = task == REGRESSION.name
    if quantity:
        return _quantity(sheet, name, reading, ", which --task regression needs")
    labels = _labels(sheet, name)
    classes = _in_order(labels, number)
    _refuse_hopeless(sheet, name, labels, classes)
    if task is None and number and len(labels) < max(_FEWEST_IN_ALL, _FEWEST_ROWS * len(classes)):
        raise UserError(
            f"the target '{name}' of {sheet.path} has {len(classes)} different whole numbers in {len(labels)} "
            "rows, which may be classes or a quantity: say --task classification or --task regression."
        )
    note = f"the target '{name}' is one of {len(classes)} classes ({columns.some(classes)})"
    doubt = ": if it is a quantity, say --task regression" if task is None and number else ""
    return Target(_numbered(labels, classes), classes, (f"{note}{doubt}.",))


def read(sheet: Sheet, name: str, classes: tuple[str, ...], reading: Reading) -> np.ndarray:
    """The target [n] of test rows: a class that the training rows do not have is refused."""
    if not classes:
        return columns.quantity(sheet, name, reading, ", as it is in the training file")
    labels = [label if label in classes else usual(label) for label in _texts(sheet, name)]
    for row, label in enumerate(labels):
        if label not in classes:
            raise UserError(
                f"{sheet.place(row, name)}: '{label}' is a class that the training rows do not have; they have "
                f"{', '.join(classes)}."
            )
    return _numbered(labels, classes)


def _quantity(sheet: Sheet, name: str, reading: Reading, why: str) -> Target:
    y = columns.quantity(sheet, name, reading if reading.kind == NUMBER else Reading(NUMBER), why)
    if y.min() == y.max():
        raise UserError(f"{sheet.path}: the target '{name}' is {y[0]:g} in every row, so there is nothing to predict.")
    if np.std(y) < SMALLEST:
        raise UserError(f"{sheet.path}: the target '{name}' varies by {np.std(y):.1g} only: give it another unit.")
    return Target(y, (), (*columns.marks_stated(sheet, {name: reading}), *columns.rounded(name, y)))


def few_whole(distinct: np.ndarray) -> bool:
    """Whether different values of a target look like classes."""
    return 1 < len(distinct) <= _FEW_NUMBERS and bool(np.all(distinct == np.round(distinct)))


def _texts(sheet: Sheet, name: str) -> list[str]:
    column = plain(sheet.columns[name])
    if pa.types.is_floating(column.type):
        return [usual(repr(value)) for value in column.to_pylist()]
    return [str(value) for value in column.to_pylist()]


def _labels(sheet: Sheet, name: str) -> list[str]:
    """A label for each row, as it is written: 01 is not 1. Numbers of the usual form have the name of their value."""
    texts = _texts(sheet, name)
    different = dict.fromkeys(texts)
    if all(map(_USUAL.fullmatch, different)):
        known = {text: usual(text) for text in different}
        return [known[text] for text in texts]
    return texts


def usual(text: str) -> str:
    """1.0 as 1, 0.50 as 0.5; anything else as it is."""
    if not _USUAL.fullmatch(text):
        return text
    value = float(text)
    return str(int(value)) if value == round(value) else repr(value)


def _in_order(labels: list[str], number: bool) -> tuple[str, ...]:
    different = sorted(set(labels))
    return tuple(sorted(different, key=float) if number and all(map(_USUAL.fullmatch, different)) else different)


def _numbered(labels: list[str], classes: tuple[str, ...]) -> np.ndarray:
    number = {label: k for k, label in enumerate(classes)}
    return np.array([float(number[label]) for label in labels])


def _refuse_hopeless(sheet: Sheet, name: str, labels: list[str], classes: tuple[str, ...]) -> None:
    path = sheet.path
    if len(classes) == 1:
        raise UserError(f"{path}: the target '{name}' is {labels[0]} in every row, so there is nothing to predict.")
    if len(classes) > MOST_CLASSES:
        raise UserError(
            f"the target '{name}' of {path} has {len(classes)} different values ({columns.some(classes)}), more than "
            f"the {MOST_CLASSES} classes allowed: group them, or name another target."
        )
    for label in classes:
        if CONTROL.search(label):
            raise UserError(f"the target '{name}' of {path}: '{label}' has control characters in it.")
        if labels.count(label) == 1:
            raise UserError(
                f"{sheet.place(labels.index(label), name)}: the class '{label}' has this row only, and a class needs "
                "one to learn from and one to test on: remove the row, or join the class with another."
            )

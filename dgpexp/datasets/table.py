"""A data set as it is loaded: inputs, target, names, and a digest that proves it is the array everybody else has."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from dgpexp.blocks import blocks
from dgpexp.datasets.scaling import Scaler


@dataclass(frozen=True)
class Table:
    """A whole data set in its original units and, but for airline, in the order of its original file."""

    name: str
    x: np.ndarray  # [N, D] float64; NaN where a table of the user's own has a missing cell
    y: np.ndarray  # [N] float64; of a classification the number of the class
    features: tuple[str, ...]
    target: str
    levels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # of columns of words, which became features
    classes: tuple[str, ...] = ()  # labels of the classes 0, 1, ...; none where the target is a number
    x_scaler: Scaler | None = None  # of inputs that share one unit; None: each is scaled by its training part
    robust: bool = False  # by median and quartiles
    counts: bool = False  # whether y must be 0, 1, 2, ..., which is not scaled


def fingerprint(values: np.ndarray) -> str:
    """sha256 of an array [N, D+1]: its type, its shape and its numbers, whatever file they were read from."""
    return fingerprint_of(blocks(values), values.dtype, values.shape)


def fingerprint_of(parts: Iterable[np.ndarray], kind: np.dtype, shape: tuple[int, ...]) -> str:
    """The fingerprint of an array that is given in parts."""
    kind = kind.newbyteorder("<")
    digest = hashlib.sha256(f"{kind.str} {shape}".encode())
    for part in parts:
        digest.update(np.ascontiguousarray(part, dtype=kind).data)
    return digest.hexdigest()

"""What a model has learnt from, as far as it says where a new row is unlike it: ranges of columns, and distances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Self

import numpy as np

_ROWS, _AT_ONCE = 500, 2000  # training rows that distances are measured from; new rows at a time
_BEYOND, FAR = 0.1, 0.5  # of the range of a column: farther out is outside, and is warned of
_USUAL = 0.99  # of the training rows have another one within reach
_SHOWN = 3


@dataclass(frozen=True)
class Seen:
    """The inputs of training rows, in their own units."""

    low: np.ndarray  # [D]
    high: np.ndarray  # [D]
    unit: np.ndarray  # [D], deviations
    rows: np.ndarray  # [m, D] in deviations
    reach: np.ndarray  # []

    @classmethod
    def of(cls, x: np.ndarray) -> Self:
        """What training rows x [n, D] have shown."""
        unit = np.maximum(x.std(0), 1e-300)
        some = np.random.default_rng(0).permutation(len(x))[:_ROWS]
        rows = x[some] / unit
        apart = np.sort(_distances(rows, rows), axis=1)[:, min(1, len(rows) - 1)]  # the nearest is the row itself
        return cls(x.min(0), x.max(0), unit, rows, np.asarray(max(float(np.quantile(apart, _USUAL)), 1e-3)))

    def columns(self, x: np.ndarray, beyond: float = _BEYOND) -> np.ndarray:
        """Whether an input lies outside the range of its column, by this part of it: [n, D]."""
        slack = beyond * (self.high - self.low)
        return np.asarray((x < self.low - slack) | (x > self.high + slack))

    def unknown(self, x: np.ndarray) -> np.ndarray:
        """How unlike all training rows a row is: [n], 0 within their reach, 3/4 at twice that, 1 far away."""
        parts = [x[start : start + _AT_ONCE] / self.unit for start in range(0, len(x), _AT_ONCE)]
        nearest = np.concatenate([np.zeros(0), *(_distances(part, self.rows).min(1) for part in parts)])
        return np.asarray(1 - np.minimum(1, self.reach / np.maximum(nearest, 1e-300)) ** 2)

    def outside(self, x: np.ndarray) -> np.ndarray:
        """Whether a row lies outside what was learnt: a column of it does, or it is far from all training rows: [n]."""
        return np.asarray(self.columns(x).any(1) | (self.unknown(x) > 0.75))

    def words(self, x: np.ndarray, names: Sequence[str]) -> list[str]:
        """Why each row lies outside, or nothing: `Year = 1975 (learnt from 70 to 82)`."""
        beyond, outside = self.columns(x), self.outside(x)
        found = []
        for row, columns, out in zip(x, beyond, outside, strict=True):
            each = [f"{names[j]} = {row[j]:.6g} (learnt from {self.low[j]:.6g} to {self.high[j]:.6g})"
                    for j in np.flatnonzero(columns)[:_SHOWN]]  # fmt: skip
            found.append(", ".join(each) or ("no training row is near" if out else ""))
        return found

    def arrays(self) -> dict[str, np.ndarray]:
        return {f"seen/{f.name}": getattr(self, f.name) for f in fields(self)}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray]) -> "Seen | None":
        """What `arrays` gave; None of a file of an older version."""
        return cls(*(arrays[f"seen/{f.name}"] for f in fields(cls))) if "seen/low" in arrays else None


def _distances(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    squares = np.sum(x * x, axis=1)[:, None] + np.sum(z * z, axis=1) - 2 * x @ z.T
    return np.asarray(np.sqrt(np.maximum(squares, 0.0)))

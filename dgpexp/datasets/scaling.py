"""Scaling to zero mean and unit deviation, fitted on the training part only and undone for metrics."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dgpexp.blocks import blocks

LARGEST, SMALLEST = 1e100, 1e-100  # squares of what lies between are still finite, and not 0
_QUARTILES = 1.3489795003921634  # between the quartiles of a Gaussian, in deviations


@dataclass(frozen=True)
class Scaler:
    """a -> (a - mean) / std, column by column for a matrix [n, D], with two numbers for a vector [n]."""

    mean: np.ndarray  # [D], or [] for a vector
    std: np.ndarray  # [D], or []; 1 where a column is constant

    @classmethod
    def fit(cls, a: Any) -> "Scaler":
        """The scaler of these rows, an array or streamed rows, from two passes over them.

        A constant column is only centred: naval has two, and 0/0 is no input.
        """
        n, total, low, high = 0, np.zeros(()), np.array(np.inf), np.array(-np.inf)
        for part in blocks(a):
            n, total = n + len(part), total + _column_sums(part)
            low, high = np.minimum(low, part.min(axis=0)), np.maximum(high, part.max(axis=0))
        mean = np.asarray(total / n)
        std = np.sqrt(sum(_column_sums(part, mean) for part in blocks(a)) / n)
        # A constant's mean can be off by rounding, which would leave 1e-17 instead of 0, and a deviation can underflow.
        constant = (low == high) | (std == 0)
        return cls(np.where(constant, low, mean), np.where(constant, 1.0, std))

    @classmethod
    def fit_once(cls, x: Any, y: Any) -> tuple["Scaler", "Scaler"]:
        """The scalers of x [n, D] and y [n], from one pass over both: for rows that are read from a disk.

        Blocks a and b of the rows, with means m and sums s of squares about them, have together (Chan et al., 1979)

            m = m_a + (m_b - m_a) n_b / n,  s = s_a + s_b + (m_b - m_a)² n_a n_b / n.
        """
        n, mean, squares, low, high = 0, np.zeros(()), np.zeros(()), np.array(np.inf), np.array(-np.inf)
        for part in map(np.column_stack, zip(blocks(x), blocks(y), strict=True)):
            of_part = _column_sums(part) / len(part)
            step, share = of_part - mean, len(part) / (n + len(part))
            mean, squares = mean + step * share, squares + _column_sums(part, of_part) + step**2 * n * share
            n, low, high = n + len(part), np.minimum(low, part.min(axis=0)), np.maximum(high, part.max(axis=0))
        std = np.sqrt(squares / n)
        constant = (low == high) | (std == 0)
        mean, std = np.where(constant, low, mean), np.where(constant, 1.0, std)
        return cls(mean[:-1], std[:-1]), cls(mean[-1], std[-1])

    @classmethod
    def robust(cls, a: np.ndarray) -> "Scaler":
        """The scaler by median and quartiles of the rows of a [n, D], for inputs with gross outliers.

        A Gaussian has the same deviation by either; a column whose quartiles coincide keeps its deviation.
        """
        low, median, high = np.quantile(a, (0.25, 0.5, 0.75), axis=0)
        usual = cls.fit(a)
        spread = high > low
        return cls(np.where(spread, median, usual.mean), np.where(spread, (high - low) / _QUARTILES, usual.std))

    @classmethod
    def identity(cls) -> "Scaler":
        """The scaler that leaves a vector as it is."""
        return cls(np.zeros(()), np.ones(()))

    def transform(self, a: np.ndarray) -> np.ndarray:
        """In units of deviations from the training mean."""
        scaled = a - self.mean
        scaled /= self.std
        return np.asarray(scaled)

    def inverse(self, a: np.ndarray) -> np.ndarray:
        """Back to the original units."""
        return np.asarray(a * self.std + self.mean)


def _column_sums(part: np.ndarray, mean: np.ndarray | None = None) -> np.ndarray:
    """Σ_n a_n, or Σ_n (a_n - mean)², of each column; one column at a time needs no second copy of a big block."""
    columns = part.reshape(len(part), -1).T  # [D, n]
    if mean is None:
        sums = [c.sum(dtype=np.float64) for c in columns]
    else:
        sums = [np.square(c - centre).sum() for c, centre in zip(columns, mean.reshape(-1), strict=True)]
    return np.array(sums).reshape(part.shape[1:])

"""Scaling to zero mean and unit deviation, fitted on the training part only and undone for metrics."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Scaler:
    """a -> (a - mean) / std, column by column for a matrix [n, D], with two numbers for a vector [n]."""

    mean: np.ndarray  # [D], or [] for a vector
    std: np.ndarray  # [D], or []; 1 where a column is constant

    @classmethod
    def fit(cls, a: np.ndarray) -> "Scaler":
        """The scaler of these rows. A constant column is only centred: naval has two, and 0/0 is no input."""
        columns = a.reshape(len(a), -1).T  # [D, n]; one column at a time needs no second copy of a big table
        mean = np.array([c.mean(dtype=np.float64) for c in columns]).reshape(a.shape[1:])
        std = np.array([c.std(dtype=np.float64) for c in columns]).reshape(a.shape[1:])
        # A constant's mean can be off by rounding, which would leave 1e-17 instead of 0, and a deviation can underflow.
        constant = np.array([c.min() == c.max() for c in columns]).reshape(a.shape[1:]) | (std == 0)
        return cls(np.where(constant, a[0], mean), np.where(constant, 1.0, std))

    def transform(self, a: np.ndarray) -> np.ndarray:
        """In units of deviations from the training mean."""
        scaled = a - self.mean
        scaled /= self.std
        return np.asarray(scaled)

    def inverse(self, a: np.ndarray) -> np.ndarray:
        """Back to the original units."""
        return np.asarray(a * self.std + self.mean)

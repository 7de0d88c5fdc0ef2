"""A predictive distribution over classes: their probabilities at every point, averaged over sampled paths."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Classes:
    """P(y_n = c) = exp(log_probabilities[n, c]). Logarithms, because a class that is ruled out must not weigh -inf."""

    log_probabilities: np.ndarray  # [n, C]
    labels: tuple[str, ...]  # of the classes 0, 1, ..., C - 1

    @classmethod
    def joined(cls, parts: Sequence["Classes"]) -> "Classes":
        """The points of all `parts`, in order."""
        return cls(np.concatenate([p.log_probabilities for p in parts]), parts[0].labels)

    def at(self, points: "np.ndarray | slice") -> "Classes":
        """The probabilities at these points."""
        return Classes(self.log_probabilities[points], self.labels)

    @property
    def probabilities(self) -> np.ndarray:
        """[n, C]"""
        return np.asarray(np.exp(self.log_probabilities))

    def most_probable(self) -> np.ndarray:
        """The number of the class: [n]."""
        return np.asarray(np.argmax(self.log_probabilities, axis=1))

    def confidence(self) -> np.ndarray:
        """The probability of that class: [n]."""
        return np.asarray(np.exp(self.log_probabilities.max(axis=1)))

    def log_density(self, y: np.ndarray) -> np.ndarray:
        """log P(y_n) of the classes with the numbers y [n]: [n]."""
        return np.asarray(self.log_probabilities[np.arange(len(y)), y.astype(int)])

    def hit(self, y: np.ndarray) -> np.ndarray:
        """1 where y [n] is the most probable class, else 0: [n]."""
        return np.asarray((self.most_probable() == y).astype(float))

    def brier(self, y: np.ndarray) -> np.ndarray:
        """Σ_c (P(c) - 1{y = c})² of y [n], from 0 to 2: [n]."""
        return np.asarray(np.sum((self.probabilities - np.eye(len(self.labels))[y.astype(int)]) ** 2, axis=1))

    def sample(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """`count` draws at every point, numbers of classes: [count, n]."""
        below = np.cumsum(self.probabilities, axis=1)[:, :-1]  # the last class takes what rounding leaves
        return np.asarray((rng.random((count, len(below)))[:, :, None] > below).sum(axis=2))

"""Which rows a step sees: every epoch a new permutation, the last, smaller minibatch kept.

The rows of step t depend on (seed, t) alone, so a run that continues sees what it would have seen.
"""

import math
from functools import lru_cache

import numpy as np

from dgpexp.config import Settings
from dgpexp.datasets.large import Shuffled, is_large


def total_steps(settings: Settings, rows: int) -> int:
    """epochs x ceil(N / batch size), or by root_steps max(least_steps, root_steps x √N); max_steps if that is less.

    A model of more rows has more to learn, but by far not in proportion: √N lies between as many steps for all sets
    and as many passes over each.
    """
    steps = settings.epochs * -(-rows // settings.batch_size)
    if settings.root_steps:
        steps = max(settings.least_steps, round(settings.root_steps * math.sqrt(rows)))
    return min(steps, settings.max_steps or steps)


class Minibatches:
    """Row numbers of every step of a training set of `rows` rows."""

    def __init__(self, rows: int, batch_size: int, seed: int) -> None:
        self.rows = rows
        self.batch_size = min(batch_size, rows)
        self.steps_per_epoch = -(-rows // self.batch_size)
        self._permutation = lru_cache(maxsize=2)(lambda epoch: _permutation(rows, seed, epoch))  # of row numbers

    def of_steps(self, first: int, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Row numbers [count, B] of the steps from `first` on, padded with 0, and how many of each count: [count]."""
        indices = np.zeros((count, self.batch_size), dtype=np.int32)
        sizes = np.empty(count, dtype=np.int32)
        for k in range(count):
            epoch, position = divmod(first + k, self.steps_per_epoch)
            part = self._permutation(epoch)[position * self.batch_size : (position + 1) * self.batch_size]
            indices[k, : len(part)], sizes[k] = part, len(part)
        return indices, sizes


def _permutation(rows: int, seed: int, epoch: int) -> np.ndarray | Shuffled:
    if is_large(rows):
        return Shuffled(rows, seed, epoch)
    generator = np.random.Generator(np.random.Philox(key=[seed, epoch]))
    return generator.permutation(rows).astype(np.int32)

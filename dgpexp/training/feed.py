"""Where the rows of a step come from: arrays in memory, or a file that is read a call at a time."""

from typing import Protocol

import numpy as np
import tensorflow as tf

from dgpexp.datasets import Split

Rows = tuple[tf.Tensor, tf.Tensor, np.ndarray]


class Feed(Protocol):
    """Gives what the steps of one call need of the training set."""

    def rows(self, indices: np.ndarray) -> Rows:
        """x [R, Q] and y [R, 1] that hold the rows `indices` [steps, B], and where: indices into them [steps, B]."""


class InMemory:
    """The whole training set, which every call shares."""

    def __init__(self, split: Split) -> None:
        self._x, self._y = tf.constant(split.x_train, tf.float64), tf.constant(split.y_train, tf.float64)

    def rows(self, indices: np.ndarray) -> Rows:
        return self._x, self._y, indices


class Streamed:
    """The rows of one call, read from the file that the split maps."""

    def __init__(self, split: Split) -> None:
        self._split = split

    def rows(self, indices: np.ndarray) -> Rows:
        flat = indices.reshape(-1)
        x, y = tf.constant(self._split.x_train[flat]), tf.constant(self._split.y_train[flat])
        return x, y, np.arange(len(flat), dtype=np.int32).reshape(indices.shape)

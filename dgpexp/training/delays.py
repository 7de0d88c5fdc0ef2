"""Asynchronous updates, emulated: which of N virtual workers finishes when, and how old its parameters are.

A worker takes a copy of the parameters, computes the gradient of a minibatch there, and the update is made with it as
soon as it is finished, whatever others have done meanwhile; then it takes the parameters as they are now. Nobody waits.
Here one process plays all N, in the order in which they would finish: their durations are random numbers of the seed,
so the same seed has the same bits. The staleness of an update counts the updates since its parameters were copied.
"""

import heapq
from collections.abc import Sequence

import numpy as np
import tensorflow as tf

_SHAPE = 10.0  # of the gamma distribution of durations, whose mean is 1: their deviation is 1/√10


class Workers:
    """The worker that finishes each update, of `count` that all began at update 0."""

    def __init__(self, count: int, seed: int) -> None:
        self._durations = np.random.Generator(np.random.Philox(key=[seed, count]))
        self._queue = [(self._duration(), worker) for worker in range(count)]
        heapq.heapify(self._queue)
        self._finished: list[int] = []

    def of_steps(self, first: int, count: int) -> np.ndarray:
        """The workers of the updates from `first` on: [count]."""
        while len(self._finished) < first + count:
            time, worker = self._queue[0]
            self._finished.append(worker)
            heapq.heapreplace(self._queue, (time + self._duration(), worker))
        return np.array(self._finished[first : first + count], dtype=np.int32)

    def _duration(self) -> float:
        return float(self._durations.gamma(_SHAPE, 1 / _SHAPE))


class Copies:
    """The parameters that each of `count` workers took, [count, ...] for every variable; nothing for 0 of them."""

    def __init__(self, variables: Sequence[tf.Variable], count: int) -> None:
        self.count, self._variables = count, variables if count else ()
        self.kept = [tf.Variable(tf.zeros([count, *v.shape], v.dtype), trainable=False) for v in self._variables]

    def start(self) -> None:
        """Give all of them the present parameters."""
        for copies, variable in zip(self.kept, self._variables, strict=True):
            copies.assign(tf.stack([variable] * self.count))

    def take(self, worker: tf.Tensor) -> list[tf.Tensor]:
        """Put a worker's parameters in the place of the present ones, which are returned."""
        now = [tf.identity(variable) for variable in self._variables]
        for copies, variable in zip(self.kept, self._variables, strict=True):
            variable.assign(copies[worker])
        return now

    def give_back(self, now: list[tf.Tensor]) -> None:
        """Make the parameters again what they were."""
        for variable, value in zip(self._variables, now, strict=True):
            variable.assign(value)

    def renew(self, worker: tf.Tensor) -> None:
        """Give a worker the present parameters."""
        for copies, variable in zip(self.kept, self._variables, strict=True):
            copies.scatter_nd_update([[worker]], [variable])

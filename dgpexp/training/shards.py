"""A gradient step in shards: each takes a part of the rows, and their gradients are summed in rank order.

An objective is an estimate from n rows of N: the mean of a term d_i of each row, N times, and a term p of the
parameters alone. Shard r takes the rows r, r + R, r + 2R, ... of the n, n_r of them, and the weight n_r / n. With
Σ_r n_r = n,

    Σ_r n_r/n (N/n_r Σ_{i in r} d_i + p) = N/n Σ_i d_i + p,

so the shards' gradients sum to the whole's, for every method. A shard draws random numbers of its own, those of
(seed, step, r): the expectation stays. A shard without rows has the gradient 0.

Which process computes which shard is the business of an `Exchange`; the numbers do not depend on it, because every
process runs the same graphs on the same shards and adds them in the same order.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from dgpexp.errors import NumericalFailure
from dgpexp.inference import Minibatch
from dgpexp.training.feed import Feed
from dgpexp.training.graphs import Graph, sums_as_written


class Exchange(Protocol):
    """Brings the gradients of all shards of a step together."""

    def mine(self, shards: int) -> Sequence[int]:
        """Which shards this process computes."""

    def gather(self, rows: tf.Tensor) -> tf.Tensor:
        """What every process has, in rank order: [shards, P], from the rows [shards of this process, P]."""


class Alone:
    """One process computes all shards."""

    def mine(self, shards: int) -> Sequence[int]:
        return range(shards)

    def gather(self, rows: tf.Tensor) -> tf.Tensor:
        return rows


class Shards:
    """The gradient of shard r at a step with the parameters as they are, and the step along the sum of them all."""

    def __init__(
        self,
        objective: Callable[[Minibatch], tf.Tensor],
        ascend: Callable[[list[tf.Tensor], tf.Tensor], None],
        variables: Sequence[tf.Variable],
        inputs: int,
        rows: int,
        shards: int,
        exchange: Exchange,
    ) -> None:
        self._variables, self._rows, self._shards, self._exchange = variables, rows, shards, exchange
        self.size = sum(int(np.prod(v.shape)) for v in variables) + 1  # the last entry is the objective
        self._gradient, self._ascend = self._trace_gradient(objective, inputs), self._trace_ascend(ascend)

    def gradient(
        self, x: tf.Tensor, y: tf.Tensor, index: np.ndarray, of: int, shard: int, step: int, seed: int
    ) -> tf.Tensor:
        """Shard's part of the gradient, then of the objective, [P + 1]: of its rows `index` of x, y, of `of` in all."""
        if not len(index):
            return tf.zeros(self.size, tf.float64)
        numbers = tf.constant([of, shard, step, seed], tf.int64)
        return self._gradient(x, y, tf.constant(index, tf.int32), numbers)

    def ascend(self, gradients: tf.Tensor, step: int) -> float:
        """One step along the sum over the rows of `gradients` [shards, P + 1]; the objective, NaN where one failed."""
        return float(self._ascend(gradients, tf.constant(step, tf.int64)).numpy())

    def advance(self, feed: Feed, indices: np.ndarray, sizes: np.ndarray, first: int, seed: int) -> float:
        """The steps from `first` on, with the rows `indices` [steps, B], of which `sizes` count; the sum of values."""
        shards, total = self._shards, 0.0
        parts = {r: feed.rows(indices[:, r::shards]) for r in self._exchange.mine(shards)}
        with sums_as_written():
            for k, size in enumerate(int(size) for size in sizes):
                found = []
                for r, (x, y, rows) in parts.items():
                    try:
                        count = len(range(r, size, shards))
                        found.append(self.gradient(x, y, rows[k, :count], size, r, first + k, seed))
                    except tf.errors.InvalidArgumentError:  # of Cholesky: every process must hear of it
                        found.append(tf.fill([self.size], tf.constant(np.nan, tf.float64)))
                value = self.ascend(self._exchange.gather(tf.stack(found)), first + k)
                if not np.isfinite(value):
                    raise NumericalFailure(f"a Cholesky factorisation failed or the objective grew, step {first + k}")
                total += value
        return total

    def _trace_gradient(self, objective: Callable[[Minibatch], tf.Tensor], inputs: int) -> Graph:
        signature = [
            tf.TensorSpec([None, inputs], tf.float64),
            tf.TensorSpec([None, 1], tf.float64),
            tf.TensorSpec([None], tf.int32),
            tf.TensorSpec([4], tf.int64),
        ]

        @tf.function(input_signature=signature, autograph=False)
        def gradient(x: tf.Tensor, y: tf.Tensor, index: tf.Tensor, numbers: tf.Tensor) -> tf.Tensor:
            of, shard, step, seed = tf.unstack(numbers)
            own = tf.random.experimental.stateless_fold_in(tf.stack([seed, step]), shard)
            weight = tf.cast(tf.size(index), tf.float64) / tf.cast(of, tf.float64)
            with tf.GradientTape() as tape:
                batch = Minibatch(tf.gather(x, index), tf.gather(y, index), index, self._rows, own)
                value = weight * objective(batch)
            parts = [tf.convert_to_tensor(g) for g in tape.gradient(value, self._variables)]
            return tf.concat([tf.reshape(part, [-1]) for part in (*parts, value)], axis=0)

        return Graph(gradient)

    def _trace_ascend(self, ascend: Callable[[list[tf.Tensor], tf.Tensor], None]) -> Graph:
        signature = [tf.TensorSpec([self._shards, self.size], tf.float64), tf.TensorSpec([], tf.int64)]
        sizes = [int(np.prod(v.shape)) for v in self._variables] + [1]

        @tf.function(input_signature=signature, autograph=False)
        def along(gradients: tf.Tensor, step: tf.Tensor) -> Any:
            total, *others = tf.unstack(gradients)
            for other in others:
                total = total + other
            *parts, value = tf.split(total, sizes)
            ascend([tf.reshape(p, v.shape) for p, v in zip(parts, self._variables, strict=True)], step)
            return value[0]

        return Graph(along)

"""The training of one model on one split: the loop, its clock, and its state as plain arrays.

    session = Session("aepmcm", layers=3, settings=settings, split=split, seed=0)
    session.advance(session.total_steps)
    print(session.evaluate())

Minibatches and random numbers are functions of (seed, step), so that a session restored from `state()` continues bit
for bit. Many steps run inside one call of a tf.function, traced once and used again for other splits (`restart`).
"""

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import tensorflow as tf

from dgpexp import inference
from dgpexp.config import Settings
from dgpexp.datasets import Split
from dgpexp.errors import NumericalFailure
from dgpexp.gp import likelihoods
from dgpexp.gp.initial import copy_values
from dgpexp.inference import Minibatch
from dgpexp.memory import keep_freed_memory
from dgpexp.methods import refuse_kernel, refuse_likelihood
from dgpexp.predictive.distribution import Distribution
from dgpexp.predictive.metrics import NEW, score, summary
from dgpexp.predictive.tally import Tally
from dgpexp.tasks import CLASSIFICATION, likelihood_of
from dgpexp.training.delays import Copies, Workers
from dgpexp.training.feed import Feed, InMemory, Streamed
from dgpexp.training.graphs import Graph
from dgpexp.training.minibatches import Minibatches, total_steps
from dgpexp.training.predictor import Predictor
from dgpexp.training.shards import Alone, Exchange, Shards

_STEPS_A_CALL = 50  # few enough to answer Ctrl-C soon, enough to forget the cost of a call


class Session:
    """Trains `method` with `layers` layers on the training part of a split."""

    def __init__(
        self, method: str, layers: int, settings: Settings, split: Split, seed: int, exchange: Exchange | None = None
    ) -> None:
        """`exchange` has other processes compute a part of the shards; without it this one computes them all."""
        keep_freed_memory()
        self._exchange = exchange or Alone()
        self._method = inference.get(method)
        refuse_kernel(method, settings.kernel, layers)
        refuse_likelihood(method, likelihood_of(settings.likelihood, len(split.classes)).name)
        self._name, self._layers, self._settings = method, layers, settings
        self._model = self._build(split, seed)
        self._rows = len(split.x_train)
        self._ascent = inference.ascent(self._method, self._model, settings, self.total_steps)
        asynchronous = settings.updates == "async"
        self._shards, virtual = (1, settings.shards) if asynchronous else (settings.shards, 0)
        self._copies = Copies(self._model.trainable_variables, virtual)
        self._take(split, seed)
        self._steps = self._trace() if self._shards == 1 else None
        self.shards = self._sharded() if self._shards > 1 else None
        self._predictor: Predictor | None = None  # traced when it is first asked for

    def restart(self, split: Split, seed: int) -> None:
        """Begin again on another split of the same shape, with fresh initial values and the graph already traced."""
        if split.x_train.shape != self._split.x_train.shape:
            raise ValueError("a session restarts on training data of the same shape; make a new one")
        copy_values(self._build(split, seed), self._model)
        for slot in self._ascent.slots:
            slot.assign(tf.zeros_like(slot))
        self._take(split, seed)
        self._predictor = self._predictor and self._new_predictor(self._predictor.components)

    def _build(self, split: Split, seed: int) -> Any:
        likelihood = likelihoods.make(self._settings, split.classes)
        likelihood.start_at(split.y_train)
        return self._method.build(self._settings, self._layers, split.x_train, likelihood, seed)

    def _take(self, split: Split, seed: int) -> None:
        self._split, self._seed = split, seed
        self._feed: Feed = InMemory(split) if isinstance(split.x_train, np.ndarray) else Streamed(split)
        self._minibatches = Minibatches(self._rows, self._settings.batch_size, seed)
        self._workers = Workers(max(1, self._copies.count), seed)
        self._copies.start()
        self.step, self.seconds = 0, 0.0

    @property
    def total_steps(self) -> int:
        """How long the protocol trains."""
        return total_steps(self._settings, self._rows)

    @property
    def jitter(self) -> float:
        return float(self._model.jitter.numpy())

    @jitter.setter
    def jitter(self, value: float) -> None:
        self._model.jitter.assign(value)

    def advance(self, count: int) -> float:
        """`count` more gradient steps; the mean over them of the objective per training row."""
        total = 0.0
        for first in range(self.step, self.step + count, _STEPS_A_CALL):
            total += self._call(first, min(_STEPS_A_CALL, self.step + count - first))
            if not math.isfinite(total):
                raise NumericalFailure(f"the objective became {total} before step {first + _STEPS_A_CALL}")
        self.step += count
        return total / (count * self._rows)

    def _call(self, first: int, count: int) -> float:
        indices, sizes = self._minibatches.of_steps(first, count)
        start = time.perf_counter()
        try:
            if self.shards is not None:
                total = self.shards.advance(self._feed, indices, sizes, first, self._seed)
            else:
                assert self._steps is not None
                x, y, indices = self._feed.rows(indices)  # reading a file is a part of training
                workers = self._workers.of_steps(first, count)
                total = self._steps(x, y, *_on_device(indices, sizes, workers, first, self._seed)).numpy()
        except tf.errors.InvalidArgumentError as error:
            raise NumericalFailure(f"a Cholesky factorisation failed near step {first}: {error.message}") from None
        self.seconds += time.perf_counter() - start
        return float(total)

    def _trace(self) -> Graph:
        """The steps of one call as a graph: `sizes` says how many, each takes its rows by number from the data."""
        q, b = self._split.x_train.shape[1], self._minibatches.batch_size
        signature = [
            tf.TensorSpec([None, q], tf.float64),
            tf.TensorSpec([None, 1], tf.float64),
            tf.TensorSpec([None, b], tf.int32),
            tf.TensorSpec([None], tf.int32),
            tf.TensorSpec([None], tf.int32),
            tf.TensorSpec([], tf.int64),
            tf.TensorSpec([], tf.int64),
        ]

        @tf.function(input_signature=signature, autograph=False)
        def steps(
            x: tf.Tensor,
            y: tf.Tensor,
            indices: tf.Tensor,
            sizes: tf.Tensor,
            workers: tf.Tensor,
            first: tf.Tensor,
            seed: tf.Tensor,
        ) -> Any:
            def one(k: tf.Tensor, total: tf.Tensor) -> Any:
                step = first + tf.cast(k, tf.int64)
                rows = indices[k, : sizes[k]]
                batch = Minibatch(tf.gather(x, rows), tf.gather(y, rows), rows, self._rows, tf.stack([seed, step]))
                now = self._copies.take(workers[k])
                with tf.GradientTape() as tape:
                    value = self._objective(batch)
                gradients = tape.gradient(value, self._model.trainable_variables)
                self._copies.give_back(now)
                self._ascent.ascend(gradients, step)
                self._copies.renew(workers[k])
                return k + 1, total + value

            start = (tf.constant(0), tf.constant(0.0, tf.float64))
            return tf.while_loop(lambda k, _: k < tf.size(sizes), one, start, parallel_iterations=1)[1]

        graph = Graph(steps)
        # No step at all: TensorFlow optimises the graph now, and the clock never sees it.
        x, y, nothing = self._feed.rows(np.zeros((0, b), np.int32))
        none = np.zeros(0, np.int32)
        graph(x, y, *_on_device(nothing, none, none, 0, 0))
        return graph

    def _sharded(self) -> Shards:
        inputs, variables = self._split.x_train.shape[1], self._model.trainable_variables
        return Shards(self._objective, self._ascent.ascend, variables, inputs, self._rows, self._shards, self._exchange)

    def _objective(self, batch: Minibatch) -> tf.Tensor:
        most = -(-self._minibatches.batch_size // self._shards)  # rows: no more than there are
        return self._method.objective(self._model, batch, self._settings.change({"batch_size": most, "shards": 1}))

    def _new_predictor(self, components: Callable[..., Any] | None = None) -> Predictor:
        return Predictor(
            model=self._model,
            method=self._name,
            layers=self._layers,
            settings=self._settings,
            rows=self._rows,
            x_scaler=self._split.x_scaler,
            y_scaler=self._split.y_scaler,
            features=self._split.features,
            target=self._split.target,
            classes=self._split.classes,
            seed=self._seed,
            components=components,
        )

    def predictor(self) -> Predictor:
        """Predictions by the model as it is now (and as it will be: the two share their variables)."""
        self._predictor = self._predictor or self._new_predictor()
        return self._predictor

    def evaluate(
        self, rows: np.ndarray | None = None, full: bool = True, between: Callable[[], None] | None = None
    ) -> dict[str, float]:
        """Metrics on the test part, or on its `rows`, in the units of y; `full`: CRPS and ll_rounded, slow ones, too.

        `between` is called between two parts of the test set, which may be large; it may raise to end it.
        """
        task, y, new = self._split.task, self._split.y_test, ~self._split.twins
        parts = []
        for at, prediction in self._tested(rows, between):
            points = score(task, prediction, y[at], self._split.rounding, full)
            parts.append(points if new.all() else points | {NEW: new[at]})
        return summary(task, parts)

    def tally(self, rows: np.ndarray | None = None, between: Callable[[], None] | None = None) -> Tally | None:
        """What the same points were taken for, where they are of classes."""
        if self._split.task is not CLASSIFICATION:
            return None
        tested = self._tested(rows, between)
        first, *others = (Tally.of(prediction, self._split.y_test[at]) for at, prediction in tested)
        return sum(others, first)

    def several_modes(self) -> float | None:
        """The share of at most 200 test rows whose predictive density has several modes; None of classes."""
        several = [
            np.sum(~np.isnan(prediction.modes()), axis=1) > 1
            for _, prediction in self.predictor().predict_scaled(self._split.x_test[:200])
            if isinstance(prediction, Distribution)
        ]
        return float(np.mean(np.concatenate(several))) if several else None

    def _tested(self, rows: np.ndarray | None, between: Callable[[], None] | None) -> Iterator[tuple[np.ndarray, Any]]:
        """Numbers of test rows, of all or of these `rows`, part by part, and the prediction for them."""
        x = self._split.x_test if rows is None else self._split.x_test[rows]
        numbers = np.arange(len(x)) if rows is None else rows
        for at, prediction in self.predictor().predict_scaled(x):
            yield numbers[at], prediction
            if between is not None:
                between()

    def state(self) -> dict[str, np.ndarray]:
        """Everything a continuation needs, as arrays by name."""
        arrays = {f"model/{i:03d}": v.numpy() for i, v in enumerate(self._model.variables)}
        arrays |= {f"adam/{i:03d}": v.numpy() for i, v in enumerate(self._ascent.slots)}
        arrays |= {f"copies/{i:03d}": v.numpy() for i, v in enumerate(self._copies.kept)}
        return arrays | {"step": np.int64(self.step), "seconds": np.float64(self.seconds)}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Be what `state()` said; the jitter is among the model's variables."""
        for i, variable in enumerate(self._model.variables):
            variable.assign(state[f"model/{i:03d}"])
        for i, variable in enumerate(self._ascent.slots):
            variable.assign(state[f"adam/{i:03d}"])
        for i, variable in enumerate(self._copies.kept):
            variable.assign(state[f"copies/{i:03d}"])
        self.step, self.seconds = int(state["step"]), float(state["seconds"])


def _on_device(
    indices: np.ndarray, sizes: np.ndarray, workers: np.ndarray, first: int, seed: int
) -> tuple[tf.Tensor, ...]:
    """The arguments that change from call to call, as the traced graph takes them."""
    return tuple(map(tf.constant, (indices, sizes, workers, np.int64(first), np.int64(seed))))

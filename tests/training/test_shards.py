"""Shards: the gradients of the parts of a minibatch sum to the whole's."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.config import RunSpec, Settings
from dgpexp.errors import NumericalFailure, UserError
from dgpexp.inference import Minibatch
from dgpexp.methods import METHODS
from dgpexp.training.session import Session
from tests.models import sine_split

# jitter: rounding errors grow with the condition of Kuu
SMALL = Settings(jitter=0.01, inducing_points=8, train_samples=3, test_samples=20, batch_size=32, epochs=50)


def _session(method: str, depth: int, shards: int) -> Session:
    settings = SMALL.change({"shards": shards, **({"features": 8} if method == "rff" else {})})
    session = Session(method, depth, settings, sine_split(), seed=3)
    session.advance(9)  # away from the symmetries of the start
    return session


def _whole(session: Session, rows: np.ndarray, seed: tf.Tensor) -> np.ndarray:
    """The gradient, and the objective, of these rows: by a tape around the method's own objective."""
    x, y, index = session._feed.rows(rows[None].astype(np.int32))
    with tf.GradientTape() as tape:
        batch = Minibatch(tf.gather(x, index[0]), tf.gather(y, index[0]), index[0], session._rows, seed)
        value = session._method.objective(session._model, batch, session._settings)
    gradients = [tf.convert_to_tensor(g) for g in tape.gradient(value, session._model.trainable_variables)]
    return np.concatenate([np.ravel(g) for g in (*gradients, value)])


def _shard(session: Session, rows: np.ndarray, r: int, shards: int, step: int = 5) -> np.ndarray:
    assert session.shards is not None
    x, y, index = session._feed.rows(rows[None, r::shards].astype(np.int32))
    return session.shards.gradient(x, y, index[0], len(rows), r, step, seed=3).numpy()


@pytest.mark.parametrize("method", METHODS)
def test_the_shards_gradients_sum_to_the_whole(method):
    """Where nothing is drawn: with one layer, or by the methods that do not sample."""
    session = _session(method, 1 if METHODS[method].samples else 2, 3)
    rows = np.arange(11, 31)  # 20 rows: shards of 7, 7 and 6
    whole = _whole(session, rows, tf.constant([3, 5], tf.int64))
    summed = sum(_shard(session, rows, r, 3) for r in range(3))
    assert np.max(np.abs(summed - whole)) <= 1e-12 * np.max(np.abs(whole))


@pytest.mark.parametrize("method", ["aepmcm", "rff"])
def test_a_shard_has_its_rows_its_random_numbers_and_its_weight(method):
    session, rows = _session(method, 2, 2), np.arange(7)
    for r, weight in enumerate((4 / 7, 3 / 7)):
        seed = tf.random.experimental.stateless_fold_in(tf.constant([3, 5], tf.int64), tf.constant(r, tf.int64))
        expected = weight * _whole(session, rows[r::2], seed)
        np.testing.assert_allclose(_shard(session, rows, r, 2), expected, rtol=1e-10, atol=1e-9)


def test_more_shards_than_rows_in_the_last_minibatch():
    session = _session("vi", 2, 9)  # 100 rows: the last minibatch of an epoch has 4
    assert np.isfinite(session.advance(8))
    assert not _shard(session, np.arange(4), 8, 9).any()
    assert all(np.isfinite(value).all() for value in session.state().values())


def test_a_failure_in_one_shard_is_a_numerical_failure_of_the_step(monkeypatch):
    session = _session("vi", 2, 2)
    honest = session.shards.gradient

    def failing(x, y, index, of, shard, step, seed):
        if (shard, step) == (1, 12):
            raise tf.errors.InvalidArgumentError(None, None, "Cholesky decomposition was not successful")
        return honest(x, y, index, of, shard, step, seed)

    monkeypatch.setattr(session.shards, "gradient", failing)
    with pytest.raises(NumericalFailure, match="step 12"):
        session.advance(9)


def test_more_shards_than_rows_of_a_minibatch_are_refused():
    with pytest.raises(UserError, match="a minibatch has 10 rows"):
        Settings(shards=11, batch_size=10)


def test_one_shard_is_the_method_as_it_always_was():
    """Its id, and its steps: the method's own objective of (seed, step), by a tape and an update at a time."""
    lean = Settings(batch_size=50, cooldown=0.5, paths="functions", precision="mixed", root_steps=200)
    cell = {"dataset": "boston", "method": "aepmcm", "layers": 2, "split": 0}
    ids = [RunSpec(**cell, settings=settings).run_id for settings in (lean, lean.change({"shards": 1}))]
    assert ids == ["boston-aepmcm-2-s00-73ce1758"] * 2, "as in results/measured/lean/runs.csv"
    session, reference = (Session("aepmcm", 2, SMALL, sine_split(), seed=3) for _ in range(2))
    assert session.shards is None
    session.advance(6)
    indices, sizes = reference._minibatches.of_steps(0, 6)
    x, y, indices = reference._feed.rows(indices)
    variables = reference._model.trainable_variables
    for step, size in enumerate(sizes):
        rows = indices[step, :size]
        batch = Minibatch(tf.gather(x, rows), tf.gather(y, rows), rows, 100, tf.constant([3, step], tf.int64))
        with tf.GradientTape() as tape:
            value = reference._method.objective(reference._model, batch, SMALL)
        reference._ascent.ascend(tape.gradient(value, variables), tf.constant(step, tf.int64))
    for ours, theirs in zip(session._model.trainable_variables, variables, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-10)

"""Paths by draws of functions: other noise, the same expectations as paths by marginals."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp import inference
from dgpexp.config import Settings
from dgpexp.inference import Minibatch
from tests.models import random_model

SEEDS = 800
ROWS = 19  # two paths have 9 functions each, so 3 rows share one, and the last part is filled up


def _data(rows: int = ROWS) -> tuple[tf.Tensor, tf.Tensor]:
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, size=(rows, 2))
    return tf.constant(x), tf.constant(np.sin(x[:, :1]) + 0.1 * rng.normal(size=(rows, 1)))


def _draws(method: str, paths: str, model, samples: int = 3, batch_size: int = 100) -> np.ndarray:
    """The objective and its gradient in every parameter, side by side, for many seeds: [seeds, 1 + parameters].

    The rows come in another order each time, as in minibatches; `batch_size` decides into how many parts they are cut.
    """
    x, y = _data()
    settings = Settings(train_samples=samples, paths=paths, batch_size=batch_size)
    variables = model.trainable_variables

    @tf.function
    def draw(k: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            seed = tf.stack([tf.constant(1 if paths == "functions" else 2, tf.int64), k])
            rows = tf.argsort(tf.random.stateless_uniform([ROWS], seed))
            batch = Minibatch(tf.gather(x, rows), tf.gather(y, rows), rows, 50, seed)
            value = inference.get(method).objective(model, batch, settings)
        return tf.concat([value[None], *(tf.reshape(g, [-1]) for g in tape.gradient(value, variables))], axis=0)

    @tf.function
    def many() -> tf.Tensor:
        return tf.map_fn(draw, tf.range(SEEDS, dtype=tf.int64), fn_output_signature=tf.float64)

    return many().numpy()


def _z(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Differences of the means in standard errors; 0 where nothing is random and both agree."""
    error = np.sqrt(a.var(axis=0) / len(a) + b.var(axis=0) / len(b))
    difference = a.mean(axis=0) - b.mean(axis=0)
    sure = error < 1e-12
    np.testing.assert_allclose(difference[sure], 0.0, atol=1e-9)
    return difference[~sure] / error[~sure]


@pytest.mark.parametrize(("method", "separate"), [("vi", False), ("aepmcm", True)])
def test_the_objective_and_its_gradient_have_the_expectations_of_marginal_paths(method, separate):
    """Three layers, so that functions are drawn at drawn inputs."""
    model = random_model(3, inducing_points=4, separate_inducing=separate)
    z = _z(_draws(method, "functions", model), _draws(method, "marginals", model))
    assert len(z) > 100
    assert np.abs(z).max() < 4.5
    assert 0.7 < np.mean(z**2) < 1.4  # parameters' differences are correlated, but are not many small biases


@pytest.mark.parametrize(("method", "samples"), [("vi", 1), ("aepmcm", 2)])
def test_so_have_those_of_many_rows_in_parts(method, samples):
    """Four parts of five rows, one of them filled up: the first teaches R in every layer, the others draw."""
    model = random_model(3, inducing_points=4)
    z = _z(_draws(method, "functions", model, samples, 400), _draws(method, "marginals", model, samples))
    assert len(z) > 100
    assert np.abs(z).max() < 4.5
    assert 0.7 < np.mean(z**2) < 1.4


@pytest.mark.parametrize("precision", ["float64", "mixed"])
def test_all_but_the_teacher_share_functions(precision):
    """Of one path, rows with equal inputs and without noise of their own get equal values: they share a function."""
    model = random_model(3, precision=precision, inner_noise=1e-12)
    conditional = model.given([layer.inducing_values for layer in model.layers])[1]
    h = tf.ones([2, 36, 2], model.dtype)
    values = conditional.sample_functions(h, tf.zeros_like(h), tf.constant([0, 1], tf.int64)).numpy()
    distinct = [len(np.unique(values[p, :, 0].round(4))) for p in range(2)]
    assert distinct == [9, 9]  # 18 functions for two paths
    assert len(np.unique(values[:, :, 0].round(4))) == 18


def test_one_path_is_the_marginal_one():
    model, (x, y) = random_model(3), _data()
    batch = Minibatch(x, y, tf.range(ROWS), 50, tf.constant([0, 1], tf.int64))
    values = [
        inference.get("vi").objective(model, batch, Settings(train_samples=1, paths=p)).numpy()
        for p in ("marginals", "functions")
    ]
    assert values[0] == values[1]

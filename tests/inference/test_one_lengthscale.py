"""`ard=false`: one lengthscale for all inputs of a layer, whatever the method."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp import inference
from dgpexp.config import Settings
from dgpexp.gp import likelihoods
from dgpexp.inference import Minibatch
from dgpexp.methods import METHODS

ROWS, INPUTS = 30, 3


def _value_and_gradients(name: str, ard: bool, **settings) -> tuple[float, list[np.ndarray]]:
    """The objective on all rows, and its gradient with respect to the log-lengthscales of each of two layers."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(ROWS, INPUTS))
    y = np.sin(x[:, :1]) + 0.1 * rng.normal(size=(ROWS, 1))
    settings = Settings(inducing_points=5, features=7, train_samples=3, ard=ard, **settings)
    method = inference.get(name)
    model = method.build(settings, 2, x, likelihoods.make(settings), 0)
    for v in model.trainable_variables:
        if "lengthscales" not in v.name:  # away from the start, where the inducing values are 0
            v.assign_add(0.1 * np.random.default_rng(1).normal(size=v.shape))
    batch = Minibatch(tf.constant(x), tf.constant(y), tf.range(ROWS), ROWS, tf.constant([3, 1], tf.int64))
    learned = [v for v in model.trainable_variables if "lengthscales" in v.name]
    with tf.GradientTape() as tape:
        value = method.objective(model, batch, settings)
    return float(value), [g.numpy() for g in tape.gradient(value, learned)]


@pytest.mark.parametrize("name", METHODS)
def test_it_is_equal_lengthscales_that_move_together(name):
    one, of_one = _value_and_gradients(name, ard=False)
    each, of_each = _value_and_gradients(name, ard=True)
    assert one == pytest.approx(each, rel=1e-12)
    for alone, together in zip(of_one, of_each, strict=True):
        assert alone.shape == (1,) and together.shape == (INPUTS,)
        np.testing.assert_allclose(alone, together.sum(keepdims=True), rtol=1e-8)


@pytest.mark.parametrize("kernel", ["matern32", "matern52"])
def test_other_kernels_have_it_too(kernel):
    one, of_one = _value_and_gradients("vi", ard=False, kernel=kernel)
    each, of_each = _value_and_gradients("vi", ard=True, kernel=kernel)
    assert one == pytest.approx(each, rel=1e-12)
    np.testing.assert_allclose(np.ravel(of_one), [g.sum() for g in of_each], rtol=1e-8)

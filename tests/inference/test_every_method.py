"""What holds for every method."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp import inference
from dgpexp.methods import METHODS
from tests.models import components, objective, random_model

SEED = tf.constant([7, 0], tf.int64)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("layers", [1, 4])
def test_depths_from_one_on(method, layers):
    module, rng = inference.get(method), np.random.default_rng(5)
    model, x = random_model(layers, method=module), rng.normal(size=(30, 2))
    with tf.GradientTape() as tape:
        value = objective(module, model, x, np.sin(x[:, :1]), 30, 3, SEED)
    gradients = tape.gradient(value, model.trainable_variables)
    assert all(np.isfinite(tf.convert_to_tensor(gradient)).all() for gradient in gradients)
    means, variances = components(module, model, x, 30, 4, SEED)
    assert np.isfinite(means).all() and np.all(variances > 0)

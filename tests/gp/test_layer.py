"""A layer's marginals against the textbook formulas in unwhitened form."""

import numpy as np
import pytest
import tensorflow as tf

from tests.models import random_model


@pytest.mark.parametrize("separate", [False, True], ids=["shared Z", "separate Z"])
@pytest.mark.parametrize("kernel", ["rbf", "matern32", "matern52"])
def test_marginals_equal_the_unwhitened_conditional(kernel, separate):
    """With u = L v: mean = W h + k Kuu⁻¹ L m, var = k(h,h) - k Kuu⁻¹ kᵀ + k Kuu⁻¹ (L Σ Lᵀ) Kuu⁻¹ kᵀ + noise."""
    model = random_model(2, inputs=3, kernel=kernel, separate_inducing=separate)
    layer = model.layers[0]
    x = np.random.default_rng(3).normal(size=(5, 3))
    mean, variance = layer.given(layer.inducing_values, model.jitter).marginals(tf.constant(x))

    r = np.tril(layer.factor.numpy())
    for d in range(layer.units):
        z = layer.inducing_inputs[d if separate else 0].numpy()
        kuu = layer.kernel(z, z).numpy() + 1e-6 * np.eye(len(z))
        lower = np.linalg.cholesky(kuu)
        k = layer.kernel(x, z).numpy()
        projection = k @ np.linalg.inv(kuu)
        s = lower @ r[d] @ r[d].T @ lower.T
        expected_mean = x @ layer.weights.numpy()[:, d] + projection @ lower @ layer.mean[d].numpy()
        expected = layer.kernel.variance - (projection * k).sum(1) + np.einsum("ni,ij,nj->n", projection, s, projection)
        np.testing.assert_allclose(mean[:, d], expected_mean, rtol=1e-8)
        np.testing.assert_allclose(variance[:, d], expected + np.exp(layer.log_noise.numpy()), rtol=1e-8)


@pytest.mark.parametrize("separate", [False, True], ids=["shared Z", "separate Z"])
@pytest.mark.parametrize(("precision", "tolerance"), [("float64", 1e-10), ("mixed", 2e-4)])
def test_a_layer_that_is_ready_for_predictions_has_the_same_marginals(separate, precision, tolerance):
    """A hidden layer of three units and the last, of one, which changes to the basis in which Σ is diagonal."""
    model = random_model(2, inputs=3, separate_inducing=separate, precision=precision)
    for layer in model.conditionals():
        h = tf.cast(np.random.default_rng(3).normal(size=(4, 5, 3)), model.dtype)
        for inputs in (h[0], h):
            ready, expected = layer.for_predictions().marginals(inputs), layer.marginals(inputs)
            for a, b in zip(ready, expected, strict=True):
                np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def test_separate_inducing_inputs_that_coincide_change_nothing():
    shared, separate = random_model(2), random_model(2, separate_inducing=True)
    for a, b in zip(shared.layers[0].variables, separate.layers[0].variables, strict=True):
        b.assign(tf.broadcast_to(a, b.shape))  # [1, M, Q] to [D, M, Q]; all the others have the same shape
    x = tf.constant(np.random.default_rng(3).normal(size=(5, 2)))
    results = [m.layers[0].given(m.layers[0].inducing_values, m.jitter).marginals(x) for m in (shared, separate)]
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_mixed_precision_agrees_to_float32():
    exact, mixed = random_model(2, inputs=3), random_model(2, inputs=3, precision="mixed")
    x = tf.constant(np.random.default_rng(3).normal(size=(50, 3)))
    results = []
    for model in (exact, mixed):
        values = [layer.inducing_values for layer in model.layers]
        results.append(model.given(values)[0].marginals(tf.cast(x, model.dtype)))
    assert results[1][0].dtype == tf.float32
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


def test_the_prior_is_recovered_when_nothing_is_known():
    """N(m, Σ) = N(0, I) is the prior of the inducing values: the layer then is its prior, variance and all."""
    model = random_model(1)
    layer = model.layers[0]
    layer.mean.assign(tf.zeros_like(layer.mean))
    layer.factor.assign(tf.eye(6, batch_shape=[1], dtype=tf.float64))
    mean, variance = layer.given(layer.inducing_values, model.jitter).marginals(tf.constant([[0.3, 0.1]], tf.float64))
    np.testing.assert_allclose(mean, 0.0, atol=1e-14)
    np.testing.assert_allclose(variance, layer.kernel.variance, rtol=1e-12)

"""AEP and AEPMCM: equal where they must be, and each right about log Z where the integral can be done."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp import inference
from dgpexp.gp import cavity
from dgpexp.inference import aep, aepmcm
from tests.differences import assert_gradients
from tests.models import components, objective, random_model


def _data(rows: int = 12, inputs: int = 2) -> tuple[tf.Tensor, tf.Tensor]:
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, size=(rows, inputs))
    return tf.constant(x), tf.constant(np.sin(x[:, :1]) + 0.1 * rng.normal(size=(rows, 1)))


def _seed(k: int) -> tf.Tensor:
    return tf.constant([7, k], tf.int64)


def test_with_one_layer_they_are_the_same():
    x, y = _data()
    model = random_model(1)
    np.testing.assert_allclose(
        objective(aep, model, x, y, 50, 1, _seed(0)), objective(aepmcm, model, x, y, 50, 20, _seed(0)), rtol=1e-14
    )
    predictions = (components(method, model, x, 50, 20, _seed(0)) for method in (aep, aepmcm))
    for a, b in zip(*predictions, strict=True):
        np.testing.assert_array_equal(a, b)


def _log_z_by_quadrature(model, x: tf.Tensor, y: tf.Tensor) -> np.ndarray:
    """log ∫ N(y | mean(h), var(h) + σ²) N(h | m, v) dh for a 2-layer model with one hidden unit: [n]."""
    first, last = model.given([layer.inducing_values for layer in model.layers])
    mean, variance = (a.numpy()[:, 0] for a in first.marginals(x))
    points, weights = np.polynomial.hermite_e.hermegauss(80)
    h = mean[:, None] + np.sqrt(variance)[:, None] * points  # [n, P]
    out_mean, out_variance = last.marginals(tf.constant(h.reshape(-1, 1)))
    out_mean, out_variance = out_mean.numpy().reshape(h.shape), out_variance.numpy().reshape(h.shape)
    total = out_variance + model.likelihood.noise.numpy()
    density = np.exp(-0.5 * (y.numpy() - out_mean) ** 2 / total) / np.sqrt(2 * np.pi * total)
    return np.log(density @ (weights / weights.sum()))


def _log_z(model, x, y, samples: int, seeds: int) -> np.ndarray:
    """The mean log Z of AEPMCM's objective, for each seed: what is left when the energies are taken away."""
    rows = 50
    energies = sum(cavity.energy(layer.inducing_values, rows).numpy() for layer in model.layers)

    @tf.function(autograph=False)
    def objectives() -> tf.Tensor:
        return tf.map_fn(
            lambda k: objective(aepmcm, model, x, y, rows, samples, tf.stack([tf.constant(7, tf.int64), k])),
            tf.range(seeds, dtype=tf.int64),
            fn_output_signature=tf.float64,
        )

    return (objectives().numpy() - energies) / rows


def test_the_estimate_of_log_z_rises_with_samples_to_the_integral():
    """Jensen: 1/S Σ inside the logarithm is biased downwards, less so the larger S is."""
    x, y = _data(inputs=1)
    model = random_model(2, inputs=1)
    truth = _log_z_by_quadrature(model, x, y).mean()
    means = [_log_z(model, x, y, samples, 200).mean() for samples in (1, 3, 10)]
    assert means[0] < means[1] < means[2] < truth
    np.testing.assert_allclose(_log_z(model, x, y, 200_000, 1), truth, atol=2e-3)
    assert truth - means[0] > 0.02  # the bias that the last line has to beat is there to be seen


def test_aep_matches_the_moments_that_sampled_paths_have():
    """Two layers: the first is exactly Gaussian given x, so AEP's mean and variance are those of the paths."""
    x, _ = _data(rows=4)
    model = random_model(2)
    means, variances = components(aepmcm, model, x, 50, 200_000, _seed(0))
    (mean,), (variance,) = components(aep, model, x, 50, 1, _seed(0))
    np.testing.assert_allclose(mean, np.mean(means, axis=0), atol=5 * np.std(means) / np.sqrt(200_000))
    np.testing.assert_allclose(variance, np.mean(variances, axis=0) + np.var(means, axis=0), rtol=2e-2)


@pytest.mark.parametrize("method", ["aep", "aepmcm"])
def test_predictions_come_from_the_posterior_not_from_the_cavity(method):
    """For small N the two differ: at depth 1 the posterior is N(m_q, Σ_q) in closed form."""
    x, _ = _data(rows=4)
    model = random_model(1)
    mean, variance = components(inference.get(method), model, x, 5, 3, _seed(0))
    (layer,) = model.layers
    q = cavity.posterior(layer.inducing_values, 5)
    right = layer.given(q, model.jitter).marginals(x)
    wrong = layer.given(layer.inducing_values, model.jitter).marginals(x)
    np.testing.assert_allclose(mean[0], right[0][:, 0], rtol=1e-12)
    np.testing.assert_allclose(variance[0], right[1][:, 0] + model.likelihood.noise, rtol=1e-12)
    assert np.abs(wrong[0] - right[0]).max() > 1e-2


@pytest.mark.parametrize("method", ["vi", "aep", "aepmcm", "nvc", "meanfield"])
@pytest.mark.parametrize("rows", [40, 40_000], ids=["small N", "large N"])
def test_gradients_equal_finite_differences(method, rows):
    """Every parameter of a 3-layer model with a mean function, in a random direction."""
    x, y = _data()
    model = random_model(3, method=inference.get(method))

    def value() -> tf.Tensor:
        return objective(inference.get(method), model, x, y, rows, 3, _seed(1))

    assert_gradients(value, model.trainable_variables, step=1e-5, atol=1e-6 * rows)

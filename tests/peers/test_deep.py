"""A deep GP of three layers with copied parameters is GPflux's, and GPyTorch's, layer by layer."""

import numpy as np
import pytest
import tensorflow as tf

from tests.peers.copies import DEEP, WHY_SKIPPED, parameters

gpflux = pytest.importorskip("gpflux", reason=WHY_SKIPPED)

from benchmarks.contestants import dgpexp_steps as ours  # noqa: E402
from benchmarks.contestants import gpflux_vi as theirs  # noqa: E402
from dgpexp import inference  # noqa: E402
from tests.models import components  # noqa: E402

pytestmark = pytest.mark.peers


@pytest.fixture(scope="module")
def start():
    return parameters(DEEP)


@pytest.fixture(scope="module")
def paths(start):
    """Inputs of every layer along drawn paths, as dgpexp propagates them, and its marginals there."""
    rng = np.random.default_rng(3)
    model = ours.model(start)
    h, seen = np.tile(start.x[: DEEP.batch], (DEEP.samples, 1)), []
    for conditional in model.given([layer.inducing_values for layer in model.layers]):
        mean, variance = (a.numpy() for a in conditional.marginals(tf.constant(h)))
        seen.append((h, mean, variance))
        h = mean + np.sqrt(variance) * rng.standard_normal(mean.shape)
    return seen


@pytest.mark.parametrize("depth", range(DEEP.layers))
def test_mean_and_variance_of_a_layer_are_gpfluxs(start, paths, depth):
    h, mean, variance = paths[depth]
    expected_mean, expected_variance = theirs.layer(start.layers[depth], len(start.x), None).predict(tf.constant(h))
    np.testing.assert_allclose(mean, expected_mean, rtol=0, atol=1e-8)
    np.testing.assert_allclose(variance, expected_variance, rtol=0, atol=1e-8)


@pytest.mark.parametrize("depth", range(DEEP.layers))
def test_the_divergence_of_a_layer_is_gpfluxs(start, depth):
    layer = ours.layer(start.layers[depth])
    expected = theirs.layer(start.layers[depth], len(start.x), None).prior_kl()
    np.testing.assert_allclose(layer.inducing_values.divergence(), expected, rtol=1e-10)


def test_the_bound_on_the_same_paths_is_gpfluxs(start, paths):
    """From GPflux's own parts: its likelihood's expectations at the last layer's marginals, its divergences."""
    _, mean, variance = paths[-1]
    y = np.tile(start.y[: DEEP.batch], (DEEP.samples, 1))
    deep_gp = theirs.model(DEEP, start)
    last = deep_gp.f_layers[-1].predict(tf.constant(paths[-1][0]))
    fit = deep_gp.likelihood_layer.likelihood.variational_expectations(None, *last, y)
    expected = len(start.x) * tf.reduce_mean(fit) - tf.add_n([layer.prior_kl() for layer in deep_gp.f_layers])
    model = ours.model(start)
    got = len(start.x) * tf.reduce_mean(model.likelihood.expected_log_density(y, mean, variance))
    got -= tf.add_n([layer.inducing_values.divergence() for layer in model.layers])
    np.testing.assert_allclose(got, expected, rtol=1e-8)


def test_the_bounds_agree_on_average(start):
    """Each program with its own random numbers: 400 draws each, four standard errors."""
    bounds = [ours.objective(DEEP, start), theirs.objective(DEEP, start)]
    draws = np.array([[bound() for _ in range(400)] for bound in bounds])
    error = np.sqrt(np.sum(draws.var(axis=1) / draws.shape[1]))
    assert abs(draws[0].mean() - draws[1].mean()) < 4 * error


def test_the_predictive_mixture_is_gpfluxs_on_average(start):
    """A thousand components at six points, each program with its own random numbers."""
    model = ours.model(start)
    x = tf.constant(start.x[:6])
    key = tf.constant([5, 6], tf.int64)
    means, variances = components(inference.get("vi"), model, x, len(start.x), 1000, key)
    deep_gp = theirs.model(DEEP, start)
    tf.random.set_seed(0)
    h = tf.tile(x, [1000, 1])
    for layer in deep_gp.f_layers[:-1]:
        mean, variance = layer.predict(h)
        h = mean + tf.sqrt(variance) * tf.random.normal(mean.shape, dtype=tf.float64)
    expected_means, expected_variances = (tf.reshape(a, [1000, 6]).numpy() for a in deep_gp.f_layers[-1].predict(h))
    error = np.sqrt((means.numpy().var(0) + expected_means.var(0)) / 1000)
    assert np.all(np.abs(means.numpy().mean(0) - expected_means.mean(0)) < 4.5 * error)
    error = np.sqrt((variances.numpy().var(0) + expected_variances.var(0)) / 1000)
    assert np.all(np.abs(variances.numpy().mean(0) - start.noise - expected_variances.mean(0)) < 4.5 * error)

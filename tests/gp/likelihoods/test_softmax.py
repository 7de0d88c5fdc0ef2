"""Softmax by the largest of f + Gumbel against many draws, and against quadrature in all three dimensions."""

import numpy as np
import pytest
import tensorflow as tf
from scipy.special import log_softmax

from dgpexp.gp.likelihoods.softmax import Softmax

SOFTMAX = Softmax(("a", "b", "c"))
RNG = np.random.default_rng(0)
MEAN, VARIANCE = RNG.normal(size=(5, 3)), RNG.uniform(0.1, 1.5, size=(5, 3))
Y = np.array([0.0, 1.0, 2.0, 1.0, 0.0])


@pytest.fixture(scope="module")
def log_p() -> np.ndarray:
    """log p of all classes under 200,000 draws of f: [K, n, C]."""
    f = MEAN + np.sqrt(VARIANCE) * np.random.default_rng(1).standard_normal((200_000, 5, 3))
    return log_softmax(f, axis=-1)


def _of_y(log_p: np.ndarray) -> np.ndarray:
    return log_p[:, np.arange(5), Y.astype(int)]


def test_the_expected_log_density(log_p):
    found = SOFTMAX.expected_log_density(tf.constant(Y[:, None]), tf.constant(MEAN), tf.constant(VARIANCE))
    np.testing.assert_allclose(found, _of_y(log_p).mean(0), atol=0.01)


@pytest.mark.parametrize("power", [1, 0.5])
def test_the_log_expected_density_of_a_power(log_p, power):
    found = SOFTMAX.log_expected_density(tf.constant(Y[:, None]), tf.constant(MEAN), tf.constant(VARIANCE), power)
    np.testing.assert_allclose(found, np.log(np.exp(power * _of_y(log_p)).mean(0)), atol=0.01)


def test_probabilities_add_up_to_one(log_p):
    (found,) = SOFTMAX.predictive(tf.constant(MEAN[None]), tf.constant(VARIANCE[None]))
    np.testing.assert_allclose(np.exp(found).sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(found), np.exp(log_p).mean(0), atol=0.01)


def test_without_uncertainty_it_is_the_softmax():
    zero = tf.constant(1e-12 * np.ones_like(MEAN))
    found = SOFTMAX.log_expected_density(tf.constant(Y[:, None]), tf.constant(MEAN), zero)
    np.testing.assert_allclose(found, log_softmax(MEAN, axis=1)[np.arange(5), Y.astype(int)], atol=1e-5)


@pytest.mark.parametrize("power", [1, 0.75, 0.1])
@pytest.mark.parametrize("variance", [0.01, 1.0, 4.0])
def test_it_equals_quadrature_in_three_dimensions(variance, power):
    """512 common draws were off by 0.04 at variance 4, and 128 by 0.11."""
    rng = np.random.default_rng(0)
    mean, var = 2 * rng.normal(size=(4, 3)), variance * rng.uniform(0.01, 1, size=(4, 3))
    var[:, 0] = variance
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    z = np.stack(np.meshgrid(nodes, nodes, nodes), axis=-1).reshape(-1, 1, 3)
    w = np.prod(np.meshgrid(*3 * [weights / weights.sum()]), axis=0).ravel()
    log_p = log_softmax(mean + np.sqrt(var) * z, axis=-1)  # [60³, 4, 3]
    (predicted,) = SOFTMAX.predictive(tf.constant(mean[None]), tf.constant(var[None]))
    np.testing.assert_allclose(predicted, np.log(np.tensordot(w, np.exp(log_p), axes=1)), atol=3e-4)
    for y in range(3):
        given = tf.fill([4, 1], float(y)), tf.constant(mean), tf.constant(var)
        np.testing.assert_allclose(SOFTMAX.expected_log_density(*given), w @ log_p[..., y], atol=3e-4)
        of_power = np.log(w @ np.exp(power * log_p[..., y]))
        np.testing.assert_allclose(SOFTMAX.log_expected_density(*given, power), of_power, atol=3e-4)


def test_a_hopeless_class_keeps_its_finite_logarithm():
    mean, tiny = tf.constant([[0.0, 300.0, -5.0]], tf.float64), tf.constant([[1e-9, 1e-9, 1e-9]], tf.float64)
    found = SOFTMAX.log_expected_density(tf.constant([[0.0]], tf.float64), mean, tiny)
    np.testing.assert_allclose(found, [-300.0], rtol=1e-6)
    np.testing.assert_allclose(SOFTMAX.predictive(mean[None], tiny[None])[0], [[-300.0, 0.0, -305.0]], atol=1e-5)

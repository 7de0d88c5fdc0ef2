"""Softmax with its common draws against many draws of our own."""

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
    np.testing.assert_allclose(found, _of_y(log_p).mean(0), atol=0.03)


@pytest.mark.parametrize("power", [1, 0.5])
def test_the_log_expected_density_of_a_power(log_p, power):
    found = SOFTMAX.log_expected_density(tf.constant(Y[:, None]), tf.constant(MEAN), tf.constant(VARIANCE), power)
    np.testing.assert_allclose(found, np.log(np.exp(power * _of_y(log_p)).mean(0)), atol=0.03)


def test_probabilities_add_up_to_one(log_p):
    (found,) = SOFTMAX.predictive(tf.constant(MEAN[None]), tf.constant(VARIANCE[None]))
    np.testing.assert_allclose(np.exp(found).sum(axis=1), 1.0)
    np.testing.assert_allclose(np.exp(found), np.exp(log_p).mean(0), atol=0.01)


def test_without_uncertainty_it_is_the_softmax():
    zero = tf.constant(1e-12 * np.ones_like(MEAN))
    found = SOFTMAX.log_expected_density(tf.constant(Y[:, None]), tf.constant(MEAN), zero)
    np.testing.assert_allclose(found, log_softmax(MEAN, axis=1)[np.arange(5), Y.astype(int)], atol=1e-5)


def test_a_wide_f_of_ten_classes_is_known_to_a_few_hundredths():
    """At variance 4 the 128 draws of before were off by 0.05."""
    rng = np.random.default_rng(0)
    mean, y = rng.normal(size=(20, 10)), rng.integers(10, size=20)
    f = [mean + 2 * rng.standard_normal((20_000, 20, 10)) for _ in range(5)]
    expected = np.mean([log_softmax(part, axis=-1)[:, np.arange(20), y].mean(0) for part in f], axis=0)
    ten = Softmax([str(c) for c in range(10)])
    found = ten.expected_log_density(tf.constant(y[:, None], tf.float64), tf.constant(mean), tf.fill([20, 10], 4.0))
    np.testing.assert_allclose(found, expected, atol=0.03)

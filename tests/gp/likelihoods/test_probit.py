"""The integrals of the probit likelihood against adaptive quadrature."""

import numpy as np
import pytest
import tensorflow as tf
from scipy.integrate import quad
from scipy.special import log_ndtr, ndtr
from scipy.stats import norm

from dgpexp.datasets import Scaler
from dgpexp.gp.likelihoods.probit import Probit

PROBIT = Probit(("no", "yes"))
MEANS, VARIANCES = np.array([-6.0, -0.7, 0.0, 0.4, 3.0]), np.array([0.01, 0.5, 1.0, 4.0, 2.0])
Y = np.array([1.0, 0.0, 1.0, 0.0, 1.0])


def _arrays() -> tuple[tf.Tensor, ...]:
    return tuple(tf.constant(a[:, None]) for a in (Y, MEANS, VARIANCES))


def _integral(g, mean: float, variance: float) -> float:
    return quad(lambda z: g(mean + np.sqrt(variance) * z) * norm.pdf(z), -12, 12, epsabs=1e-13, limit=200)[0]


def _each(g) -> list[float]:
    """E[g(t f)] of every point."""
    return [_integral(lambda f, t=2 * y - 1: g(t * f), m, v) for y, m, v in zip(Y, MEANS, VARIANCES, strict=True)]


def test_the_expected_log_density():
    np.testing.assert_allclose(PROBIT.expected_log_density(*_arrays()), _each(log_ndtr), rtol=1e-7)


@pytest.mark.parametrize("power", [1, 0.5, 0.1])
def test_the_log_expected_density_of_a_power(power):
    expected = np.log(_each(lambda f: ndtr(f) ** power))
    np.testing.assert_allclose(PROBIT.log_expected_density(*_arrays(), power=power), expected, rtol=1e-6)


def test_the_probabilities_are_the_mean_over_paths_and_add_up_to_one():
    mean, variance = np.stack([MEANS, -MEANS])[..., None], np.stack([VARIANCES, VARIANCES])[..., None]  # [2, n, 1]
    (found,) = PROBIT.predictive(tf.constant(mean), tf.constant(variance))
    second = ndtr(mean[..., 0] / np.sqrt(1 + variance[..., 0])).mean(0)
    np.testing.assert_allclose(np.exp(found), np.stack([1 - second, second], axis=1))
    classes = PROBIT.distribution([found.numpy()], Scaler(np.zeros(()), np.ones(())))
    assert classes.labels == ("no", "yes")


def test_a_hopeless_point_has_a_finite_loss_with_a_slope():
    mean = tf.constant([[-40.0]], tf.float32)
    one = tf.ones([1, 1], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(mean)
        vi = PROBIT.expected_log_density(one, mean, tf.constant([[0.01]]))
        ep = PROBIT.log_expected_density(one, mean, tf.constant([[0.01]]))
    np.testing.assert_allclose([vi[0], ep[0]], [-804.613, -796.689], rtol=1e-3)
    for value in (vi, ep):
        np.testing.assert_allclose(tape.gradient(value, mean), [[40.0]], rtol=2e-2)

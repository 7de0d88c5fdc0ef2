"""log Φ and its gradient to the last digits, far into both tails."""

import mpmath
import numpy as np
import pytest
import tensorflow as tf

from dgpexp.gp.likelihoods.base import hermite, log_cdf

EVERYWHERE = (-1e6, -300.0, -40.0, -37.6, -20.001, -20.0, -19.999, -5.0, -1.0, -1e-9, 0.0, 1e-9, 1.0, 5.0, 8.0, 40.0)


def _exact(x: float) -> tuple[float, float]:
    """log Φ and φ/Φ with 60 digits."""
    with mpmath.workdps(60):
        cdf = mpmath.erfc(-mpmath.mpf(x) / mpmath.sqrt(2)) / 2
        return float(mpmath.log(cdf)), float(mpmath.npdf(x) / cdf)


@pytest.mark.parametrize("x", EVERYWHERE)
@pytest.mark.parametrize("dtype", [tf.float64, tf.float32], ids=["float64", "float32"])
def test_value_and_gradient_are_right_in_the_body_and_in_the_tails(x, dtype):
    given = tf.constant(x, dtype)
    with tf.GradientTape() as tape:
        tape.watch(given)
        value = log_cdf(given)
    log_phi, ratio = _exact(float(given.numpy()))  # of the number that float32 has made of it
    gradient = tape.gradient(value, given)
    assert value.dtype == tf.float64 and gradient.dtype == dtype
    np.testing.assert_allclose(value, log_phi, rtol=1e-12)
    np.testing.assert_allclose(gradient, ratio, rtol=1e-12 if dtype is tf.float64 else 1e-6, atol=1e-300)


def test_hermite_points_integrate_polynomials_exactly():
    nodes, weights = hermite(6)
    np.testing.assert_allclose([weights @ nodes**k for k in (0, 2, 4, 10)], [1, 1, 3, 945])

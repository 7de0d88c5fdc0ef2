"""log Φ of the standard normal, and Gauss-Hermite points: what the likelihoods of classes are made of."""

import numpy as np
import tensorflow as tf

_SQRT_HALF = float(np.sqrt(0.5))
_LOG_SQRT_2PI = float(0.5 * np.log(2.0 * np.pi))
_TAIL = -20.0  # below it the series has 13 digits; erfc has its own down to -37


@tf.custom_gradient
def log_cdf(x):
    """log Φ(x), finite and right for every x, in float64 whatever the type of x; its gradient φ(x)/Φ(x) likewise.

    With e = ½ erfc(|x|/√2), which keeps its relative precision, Φ(x) is e for x < 0 and 1 - e above. Far below 0, where
    e underflows, integrating φ by parts gives Φ(x) = φ(x)/|x| · s with s = 1 - 1/x² + 3/x⁴ - 15/x⁶ + ..., hence
    log Φ = -½x² - log √2π - log|x| + log s and φ/Φ = |x|/s: no difference of large numbers in either.
    """
    given, x = x.dtype, tf.cast(x, tf.float64)
    far = x < _TAIL
    near = tf.maximum(x, _TAIL)
    e = 0.5 * tf.math.erfc(_SQRT_HALF * tf.abs(near))
    below = near < 0.0
    away = tf.minimum(x, _TAIL)
    inverse = 1.0 / tf.square(away)
    s = tf.ones_like(x)
    for odd in (11.0, 9.0, 7.0, 5.0, 3.0, 1.0):  # Horner: 1 - t (1 - 3t (1 - 5t (...)))
        s = 1.0 - odd * inverse * s
    body = tf.where(below, tf.math.log(e), tf.math.log1p(-e))
    value = tf.where(far, -0.5 * tf.square(away) - _LOG_SQRT_2PI - tf.math.log(-away) + tf.math.log(s), body)

    def gradient(upstream):
        density = tf.exp(-0.5 * tf.square(near) - _LOG_SQRT_2PI)
        ratio = tf.where(far, -away / s, density / tf.where(below, e, 1.0 - e))
        return tf.cast(upstream * ratio, given)

    return value, gradient


def hermite(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes z [P] and weights w [P] with E[g(f)] ≈ Σ_p w_p g(mean + √variance z_p) for f ~ N(mean, variance)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    return nodes, weights / weights.sum()

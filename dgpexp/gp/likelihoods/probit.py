"""The probit likelihood of two classes, p(y = 1 | f) = Φ(f), p(y = 0 | f) = Φ(-f)."""

import tensorflow as tf

from dgpexp.gp.likelihoods.base import OfClasses, log_cdf, log_mean_exp


class Probit(OfClasses):
    """Φ(t f) with t = 2y - 1 = ±1, of one output; it has no parameter, for the kernel's variance is the scale of f.

    With e ~ N(0, 1), Φ(t f) = P(e < t f), so E[Φ(t f)] = P(e - t f < 0) = Φ(t mean / √(1 + variance)): in closed form.
    E[log Φ] and E[Φ^α] are not, and are summed over Gauss-Hermite points.
    """

    def log_density(self, y: tf.Tensor, f: tf.Tensor) -> tf.Tensor:
        """log Φ(t f): [..., n, P]."""
        return log_cdf(_sign(y)[:, None] * f)

    def log_expected_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, power: float = 1) -> tf.Tensor:
        """log E[Φ(t f)^α]; α = 1 is what AEP and AEPMCM average: [..., n]."""
        if power == 1:
            return log_cdf(_sign(y) * _argument(mean, variance))
        return super().log_expected_density(y, mean, variance, power)

    def predictive(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """Log probabilities of the two classes, averaged over paths: [n, 2]."""
        argument = _argument(mean, variance)  # [S, n]
        return (log_mean_exp(log_cdf(tf.stack([-argument, argument], axis=-1))),)


def _sign(y: tf.Tensor) -> tf.Tensor:
    """±1 from the number of a class, 0 or 1: [n]."""
    return 2.0 * y[:, 0] - 1.0


def _argument(mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
    """mean / √(1 + variance): [..., n]."""
    mean, variance = tf.cast(mean[..., 0], tf.float64), tf.cast(variance[..., 0], tf.float64)
    return mean / tf.sqrt(1.0 + variance)

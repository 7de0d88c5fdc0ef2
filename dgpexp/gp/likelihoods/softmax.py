"""The softmax likelihood of C classes, p(y = c | f) = exp f_c / Σ_k exp f_k, integrated by way of a largest value.

Let G_k be independent standard Gumbel, P(G < u) = exp(-e^{-u}), and M = max_k (f_k + G_k). Given f,

    P(M < u | f) = exp(-e^{-u} Σ_k e^{f_k}),  so that  M = log Σ_k e^{f_k} + G  with one Gumbel G,        (1)

and f_y + G_y is the largest with probability p(y | f). For independent f_k ~ N(mean_k, variance_k) the distribution of
M is a product of integrals over one f_k each,

    B_k(u) = E exp(-e^{f_k - u}),   P(M < u) = Π_k B_k(u),   r_k = B_k'/B_k,                               (2)

so C dimensions become one, which the midpoint rule integrates with an error that falls exponentially in its step:

    E p(y | f)     = ∫ r_y(u) Π_k B_k(u) du,                                                               (3)
    E log p(y | f) = mean_y - E M + γ,   since E G = γ (Euler's constant),                                 (4)
    E p(y | f)^α   = E e^{α (f_y - M)} / Γ(1 + α),   since E e^{-αG} = Γ(1 + α).                           (5)

In (5) the factor e^{α f_y} moves f_y: E e^{α f_y} g(f_y) = e^{α mean_y + ½α² variance_y} E g(f_y + α variance_y).
"""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from dgpexp.gp.likelihoods.base import OfClasses, hermite, log_mean_exp

_NODES = 44  # of u; with 18 points of each f_k right to 3e-4 at variance 4, to 0.02 at 25
_POINTS = 18
_BELOW, _ABOVE = 3.0, 18.0  # the tails of a Gumbel: P(G < -3) = 2e-9, P(G > 18) = 2e-8


class Softmax(OfClasses):
    """One unit of the last layer for each class."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__(labels)
        self.outputs = len(self.labels)

    def expected_log_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """E[log p(y | f)] by (4): [..., n]."""
        mean, variance = tf.cast(mean, tf.float64), tf.cast(variance, tf.float64)
        u, log_density, _ = _largest(mean, variance)
        expected_m = tf.reduce_sum(tf.exp(log_density) * u, axis=-1)
        return tf.reduce_sum(self._chosen(y) * mean, axis=-1) - expected_m + np.euler_gamma

    def log_expected_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, power: float = 1) -> tf.Tensor:
        """log E[p(y | f)^power] by (5): [..., n]."""
        mean, variance = tf.cast(mean, tf.float64), tf.cast(variance, tf.float64)
        mine = power * self._chosen(y)  # [n, C]
        u, log_density, _ = _largest(mean + mine * variance, variance)
        moved = tf.reduce_sum(mine * mean + 0.5 * tf.square(mine) * variance, axis=-1)
        gamma = tf.math.lgamma(tf.constant(1.0 + power, tf.float64))
        return moved + tf.reduce_logsumexp(log_density - power * u, axis=-1) - gamma

    def predictive(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """Log probabilities of the classes by (3), averaged over paths: [n, C]."""
        _, log_density, rates = _largest(tf.cast(mean, tf.float64), tf.cast(variance, tf.float64))
        shares = tf.math.log(rates) - tf.math.log(tf.reduce_sum(rates, axis=-2, keepdims=True))  # of M's density
        return (log_mean_exp(tf.reduce_logsumexp(log_density[..., None, :] + shares, axis=-1)),)

    def _chosen(self, y: tf.Tensor) -> tf.Tensor:
        """Ones at the classes y [n, 1]: [n, C]."""
        return tf.one_hot(tf.cast(y[..., 0], tf.int32), self.outputs, dtype=tf.float64)


def _largest(mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """The distribution (2) of M for f [..., C]: nodes u, logs of their weights (sum 1) [..., U], r [..., C, U]."""
    std = tf.sqrt(variance)
    low = tf.reduce_max(mean - 5.0 * std, axis=-1, keepdims=True) - _BELOW
    high = tf.reduce_max(mean + 5.0 * std, axis=-1, keepdims=True) + _ABOVE
    u = low + (high - low) * (np.arange(_NODES) + 0.5) / _NODES
    z, weights = hermite(_POINTS)
    spread = tf.exp(std[..., None] * z)[..., None, :]  # [..., C, 1, P]
    x = tf.exp(mean[..., None] - u[..., None, :])[..., None] * spread  # e^{f - u} [..., C, U, P]
    least = x[..., :1]
    terms = weights * tf.exp(least - x)
    b = tf.reduce_sum(terms, axis=-1)
    rates = tf.reduce_sum(terms * x, axis=-1) / b
    log_b = tf.reduce_sum(tf.math.log(b) - least[..., 0], axis=-2)
    return u, tf.nn.log_softmax(log_b + tf.math.log(tf.reduce_sum(rates, axis=-2))), rates

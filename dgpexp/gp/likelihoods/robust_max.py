"""The robust-max likelihood of C classes: the class of the largest f, but for a small probability ε of any other."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from dgpexp.gp.likelihoods.base import OfClasses, log_mean_exp

_EPSILON = 1e-3
_FAR = 4.5  # deviations, beyond which a Gaussian is nothing: 3e-6
_T, _W = (0.5 * (np.polynomial.legendre.leggauss(24)[k] + (k == 0)) for k in (0, 1))  # on [0, 1]
_NODES, _WEIGHTS = 0.15 * _T + 0.85 * _T**2, _W * (0.15 + 1.7 * _T)  # closer to 0


class RobustMax(OfClasses):
    """p(y = c | f) = 1 - ε if f_c is the largest of f [C], else ε / (C - 1).

    It takes two values only, so every expectation follows from P = P(f_c > all others): with E[g(p)] =
    P g(1 - ε) + (1 - P) g(ε / (C - 1)) for any g. Given f_c, the others are below it independently of each other, so

        P = ∫ N(f | mean_c, variance_c) Π_{k≠c} Φ((f - mean_k) / √variance_k) df,

    one integral over f whatever C is; `largest` has its points.
    """

    scale_free = True

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__(labels)
        self.outputs = len(self.labels)
        self._right, self._wrong = float(np.log1p(-_EPSILON)), float(np.log(_EPSILON / (self.outputs - 1)))

    def expected_log_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """E[log p] = P log(1 - ε) + (1 - P) log(ε / (C - 1)): what VI averages."""
        p = largest(tf.one_hot(tf.cast(y[:, 0], tf.int32), self.outputs, dtype=tf.float64), mean, variance)
        return p * self._right + (1.0 - p) * self._wrong

    def log_expected_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, power: float = 1) -> tf.Tensor:
        """log E[p^α] = log [P (1 - ε)^α + (1 - P) (ε / (C - 1))^α]; α = 1 is what AEP and AEPMCM average."""
        p = largest(tf.one_hot(tf.cast(y[:, 0], tf.int32), self.outputs, dtype=tf.float64), mean, variance)
        return self._log_density(p, power)

    def _log_density(self, p: tf.Tensor, power: float) -> tf.Tensor:
        return tf.math.log(p * np.exp(power * self._right) + (1.0 - p) * np.exp(power * self._wrong))

    def predictive(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """Log probabilities of the classes, averaged over paths: [n, C].

        The C integrals add up to 1 but for the error of the points, which dividing by their sum takes away.
        """
        p = tf.stack([largest(row, mean, variance) for row in np.eye(self.outputs)], axis=-1)
        p /= tf.reduce_sum(p, axis=-1, keepdims=True)  # [S, n, C]
        return (log_mean_exp(self._log_density(p, 1)),)


def largest(chosen: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
    """P(f_c > all others): [..., n], for f ~ N(mean, diag variance) [..., n, C]; c is a 1 among 0s, [C] or [n, C].

    Below a = max_k (mean_k - z std_k) over the others, one of them is surely larger; above b = max_k (mean_k + z std_k)
    none is. So P = P(f_c > b) + ∫_a^b, where [a, b] is cut to z deviations about mean_c. However much narrower a rival
    is than f_c, its step lies within 2z of its own deviations from a, and there the points are closest. A product
    of Φ that underflows is 0 and harmless, for the density is at least ε / (C - 1): no logarithms are needed.
    """
    mean, std = tf.cast(mean, tf.float64), tf.sqrt(tf.cast(variance, tf.float64))
    own_mean, own_std = (tf.reduce_sum(chosen * a, axis=-1, keepdims=True) for a in (mean, std))  # [..., n, 1]
    never = -1e300 * chosen  # the chosen one is no rival of its own
    low = tf.reduce_max(mean - _FAR * std + never, axis=-1, keepdims=True)  # a
    high = tf.reduce_max(mean + _FAR * std + never, axis=-1, keepdims=True)  # b
    above = 0.5 * tf.math.erfc(np.sqrt(0.5) * (high - own_mean) / own_std)[..., 0]
    low, high = tf.maximum(low, own_mean - _FAR * own_std), tf.minimum(high, own_mean + _FAR * own_std)
    width = tf.maximum(high - low, 0.0)
    f = low + width * _NODES  # [..., n, P]
    cdf = 0.5 * tf.math.erfc((mean[..., None, :] - f[..., None]) * (np.sqrt(0.5) / std)[..., None, :])  # [..., n, P, C]
    own = chosen[..., None, :]
    others = tf.reduce_prod(own + (1.0 - own) * cdf, axis=-1)  # [..., n, P]
    density = tf.exp(-0.5 * tf.square((f - own_mean) / own_std)) / (own_std * np.sqrt(2.0 * np.pi))
    return above + tf.reduce_sum(width * _WEIGHTS * density * others, axis=-1)

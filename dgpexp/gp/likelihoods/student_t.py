"""The Student-t likelihood of regression: a number with noise that may now and then be very large.

p(y | f) = C (1 + r²/c)^-(ν+1)/2 with r = y - f, c = ν s², scale s and ν > 2 degrees of freedom, so that y has a
variance. It is a Gaussian whose precision is random: for any b > 0, by Gamma's integral,

    (1 + r²/c)^-b = E[exp(-λ r²/c)],  λ ~ Gamma(b, 1),        log(1 + r²/c) = ∫ (1 - exp(-λ r²/c)) exp(-λ) dλ/λ,

and over f ~ N(m, v) a Gaussian integrates to a Gaussian again. With d = y - m,

    E_f[exp(-λ r²/c)] = g(λ) = (1 + 2λv/c)^-½ exp(-λ d² / (c + 2λv)).

What is left is one smooth integral over u = log λ: the trapezoidal rule on a grid of u converges exponentially, however
much wider than s the uncertainty of f is (where Gauss-Hermite points of f would miss the peak), and far into the tails.
"""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import tensorflow as tf
from scipy.special import gammaln, ndtr, ndtri

from dgpexp.config import Settings
from dgpexp.gp.likelihoods.base import Likelihood
from dgpexp.predictive.compound import Family

_GRID = np.arange(-42.0, 4.5, 0.5)  # t: u = log(1 + b) + t / √(1 + b/4), as wide as λ ~ Gamma(b, 1) asks for
_COARSE = np.arange(-20.0, 4.5, 0.65)  # of predictions, to six digits
_LOGS = np.arange(-36.0, 4.5, 0.5)  # u of the integral of log(1 + r²/c), which has no b


class StudentT(Likelihood):
    """t_ν(y | f, s²) of one output, in scaled units; s and, unless it is held, ν are learned."""

    def __init__(self, scale: float, degrees: float, learn_scale: bool = True, learn_degrees: bool = True) -> None:
        super().__init__()
        self.log_scale = tf.Variable(np.log(scale), dtype=tf.float64, trainable=learn_scale, name="log_scale")
        self.log_degrees = tf.Variable(
            np.log(degrees - 2.0), dtype=tf.float64, trainable=learn_degrees, name="log_degrees"
        )

    @classmethod
    def start(cls, settings: Settings, labels: Sequence[str]) -> Self:
        scale = np.sqrt(settings.likelihood_noise)
        return cls(scale, settings.degrees_of_freedom, settings.learn_noise, settings.learn_degrees)

    @property
    def degrees(self) -> tf.Tensor:
        """ν > 2"""
        return 2.0 + tf.exp(self.log_degrees)

    def _log_peak(self) -> tf.Tensor:
        """log C, the log density at r = 0."""
        half = 0.5 * self.degrees
        return tf.math.lgamma(half + 0.5) - tf.math.lgamma(half) - 0.5 * tf.math.log(np.pi * self._spread())

    def _spread(self) -> tf.Tensor:
        """c = ν s²"""
        return self.degrees * tf.exp(2.0 * self.log_scale)

    def _log_g(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, u: tf.Tensor) -> tf.Tensor:
        """log g(λ) at the nodes u = log λ [J]: [..., n, J]."""
        c = self._spread()
        mean, variance = tf.cast(mean, tf.float64), tf.cast(variance, tf.float64)  # [..., n, 1]
        scaled = tf.exp(u) / c  # λ/c [J]
        wider = 1.0 + 2.0 * scaled * variance
        return -0.5 * tf.math.log(wider) - scaled * tf.square(y - mean) / wider

    def expected_log_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """log C - (ν+1)/2 E[log(1 + r²/c)]: [..., n].

        Below the grid 1 - g(λ) is E[r²] λ/c, whose sum over all further nodes is a geometric series.
        """
        h = _LOGS[1] - _LOGS[0]
        weights = h * np.exp(-np.exp(_LOGS))
        inside = tf.reduce_sum(-weights * tf.math.expm1(self._log_g(y, mean, variance, tf.constant(_LOGS))), axis=-1)
        square = tf.square(y - tf.cast(mean, tf.float64)) + tf.cast(variance, tf.float64)  # E[r²] [..., n, 1]
        below = h * np.exp(_LOGS[0]) / np.expm1(h) * square[..., 0] / self._spread()
        return self._log_peak() - 0.5 * (self.degrees + 1.0) * (inside + below)

    def log_expected_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, power: float = 1) -> tf.Tensor:
        """log E[p^α] = α log C + log E[g(λ)], λ ~ Gamma(α (ν+1)/2, 1): [..., n]."""
        b = 0.5 * power * (self.degrees + 1.0)
        step = 1.0 / tf.sqrt(1.0 + 0.25 * b)
        u = tf.math.log(1.0 + b) + step * _GRID
        h = step * (_GRID[1] - _GRID[0])
        log_weights = b * u - tf.exp(u)
        # below the grid g is 1, and the sum over all further nodes a geometric series; of a large b it is nothing
        below = b * u[0] - tf.exp(u[0]) - tf.math.log(tf.math.expm1(b * h))
        terms = self._log_g(y, mean, variance, u) + log_weights  # [..., n, J]
        total = tf.reduce_logsumexp(terms, axis=-1)
        peak = tf.maximum(total, below)
        total = peak + tf.math.log(tf.exp(total - peak) + tf.exp(below - peak))
        return power * self._log_peak() + total + tf.math.log(h) - tf.math.lgamma(b)

    def family(self) -> tuple[Family, Sequence[float]]:
        """Gaussians of precision λ, on a coarser grid of log λ: their sum is smooth whatever the variance of f is."""
        return gaussians, (float(tf.exp(self.log_scale)), float(self.degrees))


def gaussians(means: np.ndarray, variances: np.ndarray, scale: np.ndarray, degrees: np.ndarray) -> Any:
    """t_ν as Σ_j w_j N(f, s² ν / 2λ_j), λ ~ Gamma(ν/2, 1): log weights [J, n], Gaussians [S, J, n]."""
    b = 0.5 * degrees  # [n]
    u = np.log(1.0 + b) + _COARSE[:, None] / np.sqrt(1.0 + 0.25 * b)  # [J, n]
    log_weights = b * u - np.exp(u) - gammaln(b)
    log_weights -= np.log(np.exp(log_weights).sum(0))
    return log_weights, Normal(means[:, None], np.sqrt(variances[:, None] + scale**2 * b * np.exp(-u)))


class Normal:
    """N(loc, scale²) by scipy's names, without the import of its statistics, which takes a second."""

    def __init__(self, loc: np.ndarray, scale: np.ndarray) -> None:
        self.loc, self.scale = np.broadcast_arrays(loc, scale)

    def logpdf(self, y: np.ndarray) -> np.ndarray:
        return -0.5 * ((y - self.loc) / self.scale) ** 2 - np.log(self.scale * np.sqrt(2 * np.pi))

    def cdf(self, y: np.ndarray) -> np.ndarray:
        return np.asarray(ndtr((y - self.loc) / self.scale))

    def ppf(self, p: np.ndarray) -> np.ndarray:
        return self.loc + self.scale * ndtri(p)

    def mean(self) -> np.ndarray:
        return self.loc

    def var(self) -> np.ndarray:
        return self.scale**2

    def rvs(self, size: tuple[int, ...], random_state: np.random.Generator) -> np.ndarray:
        return self.loc + self.scale * random_state.standard_normal(size)

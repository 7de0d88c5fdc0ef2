"""The Poisson likelihood of counts: y = 0, 1, 2, ... with the rate ȳ exp(f), ȳ the mean of the training counts.

Counts are not scaled, or they would be none. The scale is in the rate: at f = 0 it is ȳ, as a scaled number is 0 at
its mean. The link is the logarithm, not the softplus: causes of counts multiply, which is adding in f, and E[log p] is
in closed form. The price are predictions that grow exponentially: far from the data the mean ȳ exp(m + v/2) may be
large, and the median is the better guess.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf
from scipy.special import gammaln, pdtr, pdtrik

from dgpexp.blocks import blocks
from dgpexp.gp.likelihoods.base import Likelihood
from dgpexp.predictive.compound import Counts

_ROUNDS = 8  # of Newton's method: it moves by at most about 1 a step from above, and then doubles its digits


class Poisson(Likelihood):
    """Poisson(y | ȳ exp f) of one output."""

    predicts = Counts

    def __init__(self) -> None:
        super().__init__()
        self.log_rate = tf.Variable(0.0, dtype=tf.float64, trainable=False, name="log_rate")  # log ȳ

    def start_at(self, y: Any) -> None:
        total = sum(float(np.sum(part)) for part in blocks(y))
        self.log_rate.assign(np.log(max(total, 0.5) / len(y)))  # half a count where all are 0

    def log_density(self, y: tf.Tensor, f: tf.Tensor) -> tf.Tensor:
        """y log λ - λ - log y! with λ = ȳ exp f: [..., n, P]."""
        log_rate = self.log_rate + f
        return y * log_rate - tf.exp(log_rate) - tf.math.lgamma(y + 1.0)

    def expected_log_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """y log ȳ + y m - ȳ exp(m + v/2) - log y!: [..., n]."""
        mean, variance = tf.cast(mean[..., 0], tf.float64), tf.cast(variance[..., 0], tf.float64)
        y, log_rate = y[:, 0], self.log_rate + mean
        return y * log_rate - tf.exp(log_rate + 0.5 * variance) - tf.math.lgamma(y + 1.0)

    def around(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, power: float) -> tuple[tf.Tensor, tf.Tensor]:
        """The mode of α log p(y | f) - (f - m)²/2v, which is concave, by Newton's method; and the curvature there.

        The start is a weighted mean of m and of the f at which the rate is y + ½.
        """
        y = power * y[:, 0]
        rate = power * tf.exp(self.log_rate)
        weight = variance * (y + 0.5)
        f = (mean + weight * tf.math.log((y + 0.5) / rate)) / (1.0 + weight)
        for _ in range(_ROUNDS):
            curvature = rate * tf.exp(f) + 1.0 / variance
            f += (y - rate * tf.exp(f) - (f - mean) / variance) / curvature
        return f, 1.0 / tf.sqrt(rate * tf.exp(f) + 1.0 / variance)

    def given(self) -> tuple[Callable[..., Any], Sequence[float]]:
        return counts, (float(tf.exp(self.log_rate)),)


def counts(f: np.ndarray, rate: np.ndarray) -> "Rates":
    """y given f."""
    return Rates(rate * np.exp(f))


class Rates:
    """Poisson distributions by scipy's names, at a fraction of the time of scipy.stats.poisson."""

    def __init__(self, rate: np.ndarray) -> None:
        self.rate = rate

    def logpmf(self, y: np.ndarray) -> np.ndarray:
        return y * np.log(self.rate) - self.rate - gammaln(y + 1.0)

    def cdf(self, y: np.ndarray) -> np.ndarray:
        return np.where(y < 0, 0.0, pdtr(np.maximum(np.floor(y), 0.0), self.rate))

    def ppf(self, p: np.ndarray) -> np.ndarray:
        return np.ceil(np.maximum(pdtrik(p, self.rate), 0.0))

    def mean(self) -> np.ndarray:
        return self.rate

    def var(self) -> np.ndarray:
        return self.rate

    def rvs(self, size: tuple[int, ...], random_state: np.random.Generator) -> np.ndarray:
        return random_state.poisson(self.rate, size).astype(float)

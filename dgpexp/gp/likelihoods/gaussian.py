"""The Gaussian likelihood of regression, p(y | f) = N(y | f, σ²), whose integrals are all in closed form."""

from collections.abc import Sequence
from typing import Self

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.datasets import Scaler
from dgpexp.gp.likelihoods.base import Likelihood
from dgpexp.predictive.mixture import Mixture

_LOG_2PI = float(np.log(2.0 * np.pi))


class Gaussian(Likelihood):
    """N(y | f, σ²) of one output, in scaled units."""

    def __init__(self, noise: float, learned: bool = True) -> None:
        super().__init__()
        self.log_noise = tf.Variable(np.log(noise), dtype=tf.float64, trainable=learned, name="log_noise")

    @classmethod
    def start(cls, settings: Settings, labels: Sequence[str]) -> Self:
        return cls(settings.likelihood_noise, settings.learn_noise)

    @property
    def noise(self) -> tf.Tensor:
        """σ²"""
        return tf.exp(self.log_noise)

    def expected_log_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """E[log N(y | f, σ²)] for f ~ N(mean, variance): what VI averages (4.2.52)."""
        mean, variance = tf.cast(mean[..., 0], tf.float64), tf.cast(variance[..., 0], tf.float64)
        return -0.5 * (_LOG_2PI + self.log_noise + (tf.square(y[:, 0] - mean) + variance) / self.noise)

    def log_expected_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, power: float = 1) -> tf.Tensor:
        """log E[N(y | f, σ²)^α] for f ~ N(mean, variance); α = 1 is what AEP and AEPMCM average (4.2.26), (4.3.19).

        N(y | f, σ²)^α = (2πσ²)^((1-α)/2) α^-½ N(y | f, σ²/α), a Gaussian again, so
        log E = (1-α)/2 · log 2πσ² - ½ log α + log N(y | mean, variance + σ²/α).
        """
        mean, variance = tf.cast(mean[..., 0], tf.float64), tf.cast(variance[..., 0], tf.float64)
        total = variance + (self.noise if power == 1 else self.noise / power)
        log_density = -0.5 * (_LOG_2PI + tf.math.log(total) + tf.square(y[:, 0] - mean) / total)
        if power == 1:
            return log_density
        return log_density + 0.5 * ((1.0 - power) * (_LOG_2PI + self.log_noise) - np.log(power))

    def predictive(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """Means and variances of the mixture's components, noise included: [S, n] each."""
        return tf.cast(mean[..., 0], tf.float64), tf.cast(variance[..., 0], tf.float64) + self.noise

    def distribution(self, arrays: list[np.ndarray], target: Scaler) -> Mixture:
        """The mixture in the units of y."""
        means, variances = arrays
        mean, std = float(np.squeeze(target.mean)), float(np.squeeze(target.std))
        noise = np.full(means.shape[1], std**2 * float(self.noise.numpy()))
        return Mixture(means * std + mean, variances * std**2, noise)

"""The Gaussian likelihood p(y | f) = N(y | f, σ²): what an inference method may ask of it.

A likelihood is an interface of two integrals against a Gaussian over f; others can stand beside this one.
"""

import numpy as np
import tensorflow as tf

_LOG_2PI = float(np.log(2.0 * np.pi))


class GaussianLikelihood(tf.Module):
    """p(y | f) = N(y | f, σ²)."""

    def __init__(self, noise: float) -> None:
        super().__init__()
        self.log_noise = tf.Variable(np.log(noise), dtype=tf.float64, name="log_noise")

    @property
    def noise(self) -> tf.Tensor:
        return tf.exp(self.log_noise)

    def expected_log_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """E[log N(y | f, σ²)] for f ~ N(mean, variance): what VI averages (4.2.52)."""
        mean, variance = tf.cast(mean, tf.float64), tf.cast(variance, tf.float64)
        return -0.5 * (_LOG_2PI + self.log_noise + (tf.square(y - mean) + variance) / self.noise)

    def log_expected_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """log E[N(y | f, σ²)] = log N(y | mean, variance + σ²): what AEP and AEPMCM average (4.2.26), (4.3.19)."""
        mean, total = tf.cast(mean, tf.float64), tf.cast(variance, tf.float64) + self.noise
        return -0.5 * (_LOG_2PI + tf.math.log(total) + tf.square(y - mean) / total)

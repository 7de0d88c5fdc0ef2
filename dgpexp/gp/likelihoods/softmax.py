"""The softmax likelihood of C classes, p(y = c | f) = exp f_c / Σ_k exp f_k, whose integrals are sampled."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf
from scipy.special import ndtri

from dgpexp.gp.likelihoods.base import OfClasses, log_mean_exp

_DRAWS = 512  # a power of 2, as the sequence likes it; with 128, E[log p] is off by 0.05 at variance 4


class Softmax(OfClasses):
    """Averages over K draws f = mean + √variance e_k whose e_k [K, C] are the same for every point and every step.

    Common draws, because an objective that is a fixed function of the paths keeps what the other likelihoods have: its
    gradient can be checked by differences, a run that continues repeats itself, two models are compared on the same
    draws, and nobody has to hand a seed down to here. The paths of VI and AEPMCM are drawn anew at every step, so
    that what is wrong with the K draws is a small constant error. It is half that of random draws: they are points
    of Sobol's sequence, which fill the cube evenly, shifted and scaled to mean 0 and variance 1 in every coordinate.
    """

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__(labels)
        self.outputs = len(self.labels)
        self._draws = _even_normals(self.outputs)  # [K, C]

    def expected_log_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """E[log p(y | f)]: what VI averages."""
        return tf.reduce_mean(self._log_densities(y, mean, variance), axis=-1)

    def log_expected_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, power: float = 1) -> tf.Tensor:
        """log E[p(y | f)^α]; α = 1 is what AEP and AEPMCM average."""
        return log_mean_exp(power * self._log_densities(y, mean, variance), axis=-1)

    def _log_densities(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """log p(y | f) at the draws: [..., n, K]."""
        chosen = tf.one_hot(tf.cast(y, tf.int32), self.outputs, dtype=tf.float64)  # [n, 1, C]
        return tf.reduce_sum(chosen * self._log_softmax(mean, variance), axis=-1)

    def _log_softmax(self, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """The logarithms of all probabilities at the draws: [..., n, K, C]."""
        mean, std = tf.cast(mean, tf.float64), tf.sqrt(tf.cast(variance, tf.float64))
        return tf.nn.log_softmax(mean[..., None, :] + std[..., None, :] * self._draws)

    def predictive(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """Log probabilities of the classes, averaged over draws and paths: [n, C]."""
        return (log_mean_exp(log_mean_exp(self._log_softmax(mean, variance), axis=-2)),)


def _even_normals(dimensions: int) -> np.ndarray:
    """Evenly spread points of a normal distribution, equal on every machine: [K, dimensions]."""
    from scipy.stats.qmc import Sobol  # here, since its import takes a second that other likelihoods need not wait for

    cube = Sobol(dimensions, scramble=False).random(_DRAWS) + 0.5 / _DRAWS
    normal = ndtri(cube)
    return (normal - normal.mean(axis=0)) / normal.std(axis=0)

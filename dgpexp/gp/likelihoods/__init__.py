"""Likelihoods p(y | f) of the last layer's units f [C]: what inference and prediction ask of one, whatever the task.

Every integral is against independent Gaussians f_c ~ N(mean_c, variance_c), arrays [..., n, C] (a leading [S] for
sampled paths); the targets y are [n, 1]. To add a likelihood, write its module beside `gaussian` and name it in `make`.
"""

from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.datasets import Scaler
from dgpexp.gp.likelihoods.gaussian import Gaussian


class Likelihood(Protocol):
    """A tf.Module, so that its parameters are trained and kept with the model's."""

    outputs: int  # C, units of the last layer

    def expected_log_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """E[log p(y | f)], which VI averages: [..., n]."""

    def log_expected_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, power: float = 1) -> tf.Tensor:
        """log E[p(y | f)^power], which the methods of expectation propagation average: [..., n]."""

    def predictive(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """The distribution of y for components of f [S, n, C], as the arrays that `distribution` takes."""

    @staticmethod
    def distribution(arrays: list[np.ndarray], target: Scaler) -> Any:
        """Those arrays as a predictive distribution (dgpexp/predictive) in the units of y."""


def make(settings: Settings) -> Likelihood:
    """The likelihood of a task with its initial values."""
    return Gaussian(settings.likelihood_noise)

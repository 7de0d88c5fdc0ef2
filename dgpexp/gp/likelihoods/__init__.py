"""Likelihoods p(y | f) of the last layer's units f [C]: what inference and prediction ask of one, whatever the task.

Every integral is against independent Gaussians f_c ~ N(mean_c, variance_c), arrays [..., n, C] (a leading [S] for
sampled paths); the targets y are [n, 1], of a classification the numbers of classes. Given a sampled path the units of
the last layer are independent; where AEP passes one Gaussian on, they are taken for independent. To add a likelihood,
write its module beside `gaussian`, name it in `make` and in dgpexp/tasks.py.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.datasets import Scaler
from dgpexp.gp.likelihoods.gaussian import Gaussian
from dgpexp.gp.likelihoods.probit import Probit
from dgpexp.gp.likelihoods.robust_max import RobustMax
from dgpexp.gp.likelihoods.softmax import Softmax
from dgpexp.tasks import likelihood_of

_OF_CLASSES: dict[str, Any] = {"probit": Probit, "robustmax": RobustMax, "softmax": Softmax}


class Likelihood(Protocol):
    """A tf.Module, so that its parameters are trained and kept with the model's."""

    outputs: int  # C, units of the last layer
    log_concave: bool  # log p(y | f) in f, so that natural gradients are safe
    scale_free: bool  # p(y | f) = p(y | c f) for c > 0: the last layer's variance is not learned, it would drift

    def expected_log_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """E[log p(y | f)], which VI averages: [..., n]."""

    def log_expected_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, power: float = 1) -> tf.Tensor:
        """log E[p(y | f)^power], which the methods of expectation propagation average: [..., n]."""

    def predictive(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """The distribution of y for components of f [S, n, C], as the arrays that `distribution` takes."""

    def distribution(self, arrays: list[np.ndarray], target: Scaler) -> Any:
        """Those arrays as a predictive distribution (dgpexp/predictive) in the units of y."""


def make(settings: Settings, classes: Sequence[str] = ()) -> Likelihood:
    """The likelihood that the settings ask for, with its initial values; `classes` are the labels, none for numbers."""
    name = likelihood_of(settings.likelihood, len(classes))
    return _OF_CLASSES[name](classes) if classes else Gaussian(settings.likelihood_noise, settings.learn_noise)

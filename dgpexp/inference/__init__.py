"""Three ways to train a deep GP. Siblings: each module has `objective` and `predict`, and says what N(m, Σ) stands for.

To add a method, write its module beside these, with the functions of `Method`, and name it in `get` and in
config.METHODS.
"""

from typing import Protocol, cast

import tensorflow as tf

from dgpexp.gp.dgp import DeepGP


class Method(Protocol):
    """What the training loop and the predictor ask of a method's module."""

    NEEDS_MOMENTS: bool  # whether the kernel must have closed-form moments

    @staticmethod
    def objective(model: DeepGP, x: tf.Tensor, y: tf.Tensor, rows: int, samples: int, seed: tf.Tensor) -> tf.Tensor:
        """An estimate, from the minibatch x [n, Q], y [n, 1] of a set of `rows` rows, of what is maximised."""

    @staticmethod
    def predict(model: DeepGP, x: tf.Tensor, rows: int, samples: int, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Means and variances of the predictive mixture's components, noise included: [S, n] each."""


def get(name: str) -> Method:
    """The module of a method, by its name in config.METHODS."""
    from dgpexp.inference import aep, aepmcm, vi

    return cast(Method, {"vi": vi, "aep": aep, "aepmcm": aepmcm}[name])

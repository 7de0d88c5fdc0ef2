"""Ways to train a deep GP. Siblings: each module builds a model, has an `objective` and predicts from it.

To add a method, write its module beside these, with the functions of `Inference`, and its entry in dgpexp/methods.py.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from dgpexp.config import Settings
from dgpexp.methods import find_method

if TYPE_CHECKING:
    import numpy as np
    import tensorflow as tf

    from dgpexp.gp.dgp import Predict
    from dgpexp.gp.likelihoods import Likelihood
    from dgpexp.inference.minibatch import Minibatch


class Inference(Protocol):
    """What the training loop and the predictor ask of a method's module.

    A module may also have `adjust(model, gradients, step, settings)`: it changes the gradients before Adam sees them.
    """

    @staticmethod
    def build(settings: Settings, depth: int, x: "np.ndarray", likelihood: "Likelihood", seed: int) -> Any:
        """A model, a tf.Module with initial values for scaled inputs x [N, Q], with `likelihood` and `jitter`."""

    @staticmethod
    def objective(model: Any, batch: "Minibatch", settings: Settings) -> "tf.Tensor":
        """An estimate, from a minibatch, of what is maximised."""

    @staticmethod
    def predictor(model: Any, rows: int, settings: Settings) -> "Predict":
        """A function of x [n, Q] and a seed, by a model of `rows` training rows: means and variances of f [S, n, C]."""


def get(name: str) -> Inference:
    """The module of a method."""
    return cast(Inference, import_module(f"dgpexp.inference.{find_method(name).name}"))

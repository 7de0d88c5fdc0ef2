"""Ways to train a deep GP. Siblings: each module builds a model, has an `objective` and predicts from it.

To add a method, write its module beside these, with the functions of `Inference`, and its entry in dgpexp/methods.py.
"""

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol, cast

from dgpexp.config import Settings
from dgpexp.methods import find_method

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import tensorflow as tf

    from dgpexp.gp.dgp import Predict
    from dgpexp.gp.likelihoods import Likelihood


@dataclass(frozen=True)
class Minibatch:
    """n of the `total` training rows, and the random numbers of the step."""

    x: "tf.Tensor"  # [n, Q] scaled
    y: "tf.Tensor"  # [n, 1] scaled, or the number of a class
    index: "tf.Tensor"  # [n], which rows they are; of a streamed set, which of the call's
    total: int  # N
    seed: "tf.Tensor"  # [2]: of the run and of the step


class Ascent(Protocol):
    """How the parameters follow the gradients of the objective."""

    slots: "Sequence[tf.Variable]"  # its state: 0 before the first step

    def ascend(self, gradients: "Sequence[tf.Tensor]", step: "tf.Tensor") -> None:
        """One step, counted from 0, of the model's trainable variables."""


class Inference(Protocol):
    """What the training loop and the predictor ask of a method's module.

    A module that does not follow its gradients by Adam has `ascent(model, settings, steps)`, as that of adam.py.
    """

    @staticmethod
    def build(settings: Settings, depth: int, x: "np.ndarray", likelihood: "Likelihood", seed: int) -> Any:
        """A model, a tf.Module with initial values for scaled inputs x [N, Q], with `likelihood` and `jitter`."""

    @staticmethod
    def objective(model: Any, batch: Minibatch, settings: Settings) -> "tf.Tensor":
        """An estimate, from a minibatch, of what is maximised."""

    @staticmethod
    def predictor(model: Any, rows: int, settings: Settings) -> "Predict":
        """A function of x [n, Q] and a seed, by a model of `rows` training rows: means and variances of f [S, n, C]."""


def get(name: str) -> Inference:
    """The module of a method."""
    return cast(Inference, import_module(f"dgpexp.inference.{find_method(name).name}"))


def ascent(method: Inference, model: Any, settings: Settings, steps: int) -> Ascent:
    """How a model of the method learns in so many steps: by Adam, unless the module says otherwise."""
    from dgpexp.inference import adam

    return cast(Ascent, getattr(method, "ascent", adam.ascent)(model, settings, steps))

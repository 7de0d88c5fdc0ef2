"""dgpexp itself: steps of the real training loop, and the model of a `Start` for comparisons of numbers."""

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from benchmarks.contestants import Contestant
from benchmarks.work import LayerStart, Start, Work
from dgpexp import inference
from dgpexp.config import Settings
from dgpexp.datasets import Scaler, Split
from dgpexp.gp.dgp import DeepGP
from dgpexp.gp.kernels.stationary import RBF
from dgpexp.gp.layer import Layer
from dgpexp.gp.likelihoods.gaussian import Gaussian
from dgpexp.inference import Minibatch
from dgpexp.training.session import Session


def contestant(work: Work, start: Start, method: str, **changes: Any) -> Contestant:
    """Steps as `dgpexp run` takes them: minibatches, objective, gradient and Adam; `changes` are settings."""
    session = Session(method, work.layers, settings(work).change(changes), split(start), seed=0)
    return Contestant(f"dgpexp {method.upper()}", session.advance)


def settings(work: Work) -> Settings:
    """The thesis's settings, with the sizes of `work`."""
    return Settings(
        inducing_points=work.inducing,
        hidden_width=work.width,
        train_samples=work.samples,
        batch_size=work.batch,
    )


def split(start: Start) -> Split:
    """The data of `start` as they are: scaled already, the first rows to test on."""
    q = start.x.shape[1]
    return Split(
        name="benchmark",
        x_train=start.x,
        y_train=start.y,
        x_test=start.x[:100],
        y_test=start.y[:100, 0],
        x_scaler=Scaler(np.zeros(q), np.ones(q)),
        y_scaler=Scaler(np.array(0.0), np.array(1.0)),
        features=tuple(f"x{i}" for i in range(q)),
        target="y",
    )


def layer(start: LayerStart) -> Layer:
    """One layer with copied parameters and, like the peers' layers, no noise of its own."""
    units = start.mean.shape[0]
    made = Layer(RBF(start.variance, start.lengthscales), start.inducing[None], units, 1.0, start.weights, noise=None)
    made.mean.assign(start.mean)
    made.factor.assign(start.factor)
    return made


def model(start: Start, mixed: bool = False) -> DeepGP:
    """The deep GP of `start`."""
    return DeepGP([layer(s) for s in start.layers], Gaussian(start.noise), start.jitter, mixed)


def objective(
    work: Work, start: Start, method: str = "vi", precision: str = "float64", paths: str = "marginals"
) -> Callable[[], float]:
    """One draw of the objective at the copied parameters, on the first minibatch; every call draws other paths."""
    deep_gp = model(start, precision == "mixed")
    x, y = tf.constant(start.x[: work.batch]), tf.constant(start.y[: work.batch])
    settings, index = Settings(train_samples=work.samples, paths=paths), tf.range(work.batch)

    @tf.function
    def draw(key: tf.Tensor) -> tf.Tensor:
        return inference.get(method).objective(deep_gp, Minibatch(x, y, index, len(start.x), key), settings)

    steps = iter(range(1_000_000))
    return lambda: float(draw(tf.constant([0, next(steps)], tf.int64)))

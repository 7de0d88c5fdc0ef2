"""Small deep GPs with parameters that are nobody's special case, for tests of identities."""

from typing import Any

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.datasets import Scaler, Split
from dgpexp.gp import initial, likelihoods
from dgpexp.inference import Minibatch


def random_model(
    depth: int,
    inputs: int = 2,
    rows: int = 30,
    seed: int = 0,
    method: Any = initial,
    classes: tuple[str, ...] = (),
    **settings: object,
) -> Any:
    """A model, as `method` builds it, whose every parameter has been moved away from its initial value."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, inputs))
    chosen = Settings(**{"inducing_points": 6, **settings})  # type: ignore[arg-type]
    model = method.build(chosen, depth, x, likelihoods.make(chosen, classes), seed)
    for variable in model.trainable_variables:
        if "factor" in variable.name:
            size = variable.shape[-1]
            variable.assign(np.tril(0.2 * rng.normal(size=variable.shape) + np.diag(0.3 + rng.random(size))))
        elif "mean" in variable.name:
            variable.assign(rng.normal(size=variable.shape))
        else:
            variable.assign_add(0.1 * rng.normal(size=variable.shape))
    return model


def objective(method: Any, model: Any, x: Any, y: Any, rows: int, samples: int, seed: tf.Tensor) -> tf.Tensor:
    """The objective of a method's module on the minibatch x [n, Q], y [n, 1] of `rows` rows, with S = `samples`."""
    batch = Minibatch(tf.convert_to_tensor(x), tf.convert_to_tensor(y), tf.range(len(x)), rows, seed)
    return method.objective(model, batch, Settings(train_samples=samples))


def components(method: Any, model: Any, x: tf.Tensor, rows: int, samples: int, seed: tf.Tensor) -> tuple[Any, ...]:
    """Means and variances of the predictive mixture's components, noise included: [S, n] each."""
    f = method.predictor(model, rows, Settings(test_samples=samples))(x, seed)
    return model.likelihood.predictive(*f)


def make_split(x: np.ndarray, y: np.ndarray, test: int) -> Split:
    """The last `test` rows of x [N, D], y [N] as the test part of a split, scaled by the others."""
    x_scaler, y_scaler = Scaler.fit(x[:-test]), Scaler.fit(y[:-test, None])
    return Split(
        name="made",
        x_train=x_scaler.transform(x[:-test]),
        y_train=y_scaler.transform(y[:-test, None]),
        x_test=x_scaler.transform(x[-test:]),
        y_test=y[-test:],
        x_scaler=x_scaler,
        y_scaler=y_scaler,
        features=tuple(f"x{i}" for i in range(x.shape[1])),
        target="y",
    )


def sine_split(rows: int = 120, inputs: int = 1, test: int = 20, seed: int = 0) -> Split:
    """y = 5 sin(2 x₀) + 100 with a little noise: easy, and in units of its own."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, size=(rows, inputs))
    return make_split(x, 100 + 5 * np.sin(2 * x[:, 0]) + 0.3 * rng.normal(size=rows), test)

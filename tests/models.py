"""Small deep GPs with parameters that are nobody's special case, for tests of identities."""

import numpy as np

from dgpexp.config import Settings
from dgpexp.datasets import Scaler, Split
from dgpexp.gp import initial
from dgpexp.gp.dgp import DeepGP


def random_model(depth: int, inputs: int = 2, rows: int = 30, seed: int = 0, **settings: object) -> DeepGP:
    """A model whose every parameter has been moved away from its initial value."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, inputs))
    chosen = Settings(**{"inducing_points": 6, **settings})  # type: ignore[arg-type]
    model = initial.build(chosen, depth, x, seed)
    for variable in model.trainable_variables:
        if "factor" in variable.name:
            size = variable.shape[-1]
            variable.assign(np.tril(0.2 * rng.normal(size=variable.shape) + np.diag(0.3 + rng.random(size))))
        elif "mean" in variable.name:
            variable.assign(rng.normal(size=variable.shape))
        else:
            variable.assign_add(0.1 * rng.normal(size=variable.shape))
    return model


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

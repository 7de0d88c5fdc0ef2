"""Four rows and a two-layer model with one hidden unit: small enough to know the evidence, to maximise a bound fast."""

from typing import Any

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp import likelihoods
from dgpexp.inference.adam import Adam
from dgpexp.reference.kernels import RBF
from dgpexp.reference.two_layers import TwoLayers
from tests.models import objective
from tests.reference.evidence import weighted_prior_draws

X = np.array([[-1.2], [-0.4], [0.5], [1.1]])
Y = np.array([[-0.7], [0.4], [0.9], [-0.2]])
SETTINGS = Settings(inducing_points=4, inner_covariance=0.1, inner_noise=0.1, likelihood_noise=0.1, jitter=1e-8)
SEED = tf.constant([0, 0], tf.int64)


def maximised(method: Any, learn: str, steps: int = 400) -> tuple[Any, float]:
    """The model that maximises the method's objective on all rows, over all parameters or those of q; the maximum."""
    model = method.build(SETTINGS, 2, X, likelihoods.make(SETTINGS), 0)
    fixed = [model.likelihood.log_noise, model.layers[0].log_noise]
    fixed += [v for layer in model.layers for v in layer.kernel.variables]
    learned = tuple(v for v in model.trainable_variables if learn == "all" or all(v is not f for f in fixed))
    adam = Adam(learned, lambda step: tf.constant(0.03, tf.float64))

    @tf.function(autograph=False)
    def step(number: tf.Tensor) -> None:
        with tf.GradientTape() as tape:
            value = objective(method, model, X, Y, 4, 1, SEED)
        adam.ascend(tape.gradient(value, learned), number)

    for number in range(steps):
        step(tf.constant(number, tf.int64))
    return model, float(objective(method, model, X, Y, 4, 1, SEED))


def evidence(model: Any, draws: int = 400_000) -> float:
    """log p(Y) of the model's kernels and noises, without inducing points, from draws of the prior."""
    first, last = model.layers
    kernels = [RBF(float(k.variance), float(k.lengthscales[0])) for k in (first.kernel, last.kernel)]
    exact = TwoLayers(
        kernels[0],
        kernels[1],
        float(model.likelihood.noise),
        X,
        Y[:, 0],
        inner_noise=float(np.exp(first.log_noise)),
        weights=first.weights.numpy(),
    )
    return weighted_prior_draws(exact, draws, np.random.default_rng(0))[2]

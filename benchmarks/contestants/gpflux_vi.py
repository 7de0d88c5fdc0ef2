"""GPflux: its own layers, likelihood and objective, Adam from Keras, and as many steps a tf.function call as we take.

It is given every advantage that its interface has: the first layer is evaluated once per input and fans out to S paths
(`num_samples`), units share kernel and inducing inputs, and the loop over steps is inside the graph.
"""

from collections.abc import Callable

import gpflow
import numpy as np
import tensorflow as tf
from gpflow.keras import tf_keras
from gpflux.layers import GPLayer, LikelihoodLayer
from gpflux.models import DeepGP

from benchmarks.contestants import Contestant
from benchmarks.work import LayerStart, Start, Work


def layer(start: LayerStart, rows: int, samples: int | None) -> GPLayer:
    """One GPflux layer with copied parameters; `samples` is how many paths it starts, None for one per row."""
    kernel = gpflow.kernels.SquaredExponential(variance=start.variance, lengthscales=start.lengthscales)
    units = start.mean.shape[0]
    weights = start.weights
    made = GPLayer(
        gpflow.kernels.SharedIndependent(kernel, output_dim=units),
        gpflow.inducing_variables.SharedIndependentInducingVariables(
            gpflow.inducing_variables.InducingPoints(start.inducing)
        ),
        num_data=rows,
        mean_function=gpflow.mean_functions.Zero() if weights is None else _fixed_linear(weights),
        num_samples=samples,
    )
    made.q_mu.assign(start.mean.T)  # [M, D]
    made.q_sqrt.assign(start.factor)
    return made


def model(work: Work, start: Start) -> DeepGP:
    """The deep GP of `start`, with S paths starting after the first layer."""
    gpflow.config.set_default_jitter(start.jitter)
    layers = [
        layer(s, len(start.x), work.samples if depth == 0 and work.layers > 1 else None)
        for depth, s in enumerate(start.layers)
    ]
    return DeepGP(layers, LikelihoodLayer(gpflow.likelihoods.Gaussian(start.noise)))


def contestant(work: Work, start: Start) -> Contestant:
    """Steps at the copied parameters."""
    return Contestant("GPflux VI float64", steps(model(work, start), start.x, start.y, work.batch))


def steps(deep_gp: DeepGP, x: np.ndarray, y: np.ndarray, batch: int, rate: float = 0.01) -> Callable[[int], object]:
    """Takes n steps of Adam, each on a minibatch drawn at random from x [N, Q], y [N, 1]."""
    inputs, targets, rows = tf.constant(x), tf.constant(y), len(x)
    optimizer = tf_keras.optimizers.Adam(rate)
    variables = deep_gp.trainable_variables
    optimizer.build(variables)

    @tf.function
    def advance(count: tf.Tensor) -> None:
        for _ in tf.range(count):
            chosen = tf.random.uniform([batch], 0, rows, dtype=tf.int32)
            with tf.GradientTape() as tape:
                loss = -deep_gp.elbo((tf.gather(inputs, chosen), tf.gather(targets, chosen))) / rows
            optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    return lambda count: advance(tf.constant(count))


def objective(work: Work, start: Start) -> Callable[[], float]:
    """One draw of the bound at the copied parameters, on the first minibatch."""
    deep_gp = model(work, start)
    batch = tf.constant(start.x[: work.batch]), tf.constant(start.y[: work.batch])
    draw = tf.function(lambda: deep_gp.elbo(batch))
    return lambda: float(draw())


def _fixed_linear(weights: np.ndarray) -> gpflow.mean_functions.Linear:
    mean = gpflow.mean_functions.Linear(A=weights, b=np.zeros(weights.shape[1]))
    gpflow.set_trainable(mean, False)
    return mean

"""RFF: deep GPs by random features (Cutajar, Bonilla, Michiardi, Filippone, 2017). q(W), q(Ω) are fully factorised.

The evidence lower bound, along paths that draw the weights W (and, where asked for, the frequencies Ω) of every hidden
layer once for all rows of the minibatch,

    Σ_n E_q[log p(y_n | f_n)] - Σ_l [KL(q(W_l) || N(0, 1)) + KL(q(Ω_l) || N(0, ℓ_l⁻²))].

Given a path, f of the last layer is Gaussian in each row, W integrated out: VI's closed forms apply to it, and only the
hidden layers are sampled. As in the paper, Ω, the kernels and the noise may wait while the weights find their place
(`frozen_steps`).
"""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp.dgp import Predict
from dgpexp.gp.features import FeatureLayer
from dgpexp.gp.initial import linear_maps
from dgpexp.gp.kernels import kernel_class
from dgpexp.gp.likelihoods import Likelihood
from dgpexp.inference import Minibatch
from dgpexp.inference.adam import Adam, schedule


class FeatureNetwork(tf.Module):
    """Feature layers one after the other, and a likelihood. `jitter` has nothing to be added to here."""

    def __init__(self, layers: Sequence[FeatureLayer], likelihood: Likelihood) -> None:
        super().__init__()
        self.layers, self.likelihood = list(layers), likelihood
        self.jitter = tf.Variable(0.0, dtype=tf.float64, trainable=False, name="jitter")


def build(settings: Settings, depth: int, x: np.ndarray, likelihood: Likelihood, seed: int) -> FeatureNetwork:
    """A network of `depth` layers for scaled training inputs x [N, Q], q at the prior, lengthscales √(inputs)."""
    rng = np.random.default_rng(seed)
    widths = [x.shape[1], *[settings.width(x.shape[1])] * (depth - 1), likelihood.outputs]
    maps: list[np.ndarray | None] = [None] * depth
    if settings.mean_function == "linear":
        maps[:-1] = linear_maps(x, settings.width(x.shape[1]), depth - 1)
    layers = [
        FeatureLayer(
            inputs,
            units,
            settings.features,
            kernel_class(settings.kernel),
            settings.ard,
            settings.kernel_variance,
            index < depth - 1 or not likelihood.scale_free,
            maps[index],
            rng,
            tf.float32 if settings.precision == "mixed" else tf.float64,
        )
        for index, (inputs, units) in enumerate(pairwise(widths))
    ]
    return FeatureNetwork(layers, likelihood)


def objective(model: FeatureNetwork, batch: Minibatch, settings: Settings) -> tf.Tensor:
    """The evidence lower bound, estimated from a minibatch and S paths."""
    mean, variance = _outputs(model, batch.x, settings.train_samples, batch.seed)
    fit = model.likelihood.expected_log_density(batch.y, mean, variance)  # [S, n]
    return float(batch.total) * tf.reduce_mean(fit) - tf.add_n([layer.divergence() for layer in model.layers])


class WeightsFirst(Adam):
    """Adam; in the first `frozen_steps` steps only q(W) moves: the gradient of all else is 0."""

    def __init__(self, model: FeatureNetwork, settings: Settings, steps: int) -> None:
        super().__init__(model.trainable_variables, schedule(settings, steps))
        weights = {id(v) for layer in model.layers for v in (layer.mean, layer.log_deviation)}
        self._free, self._frozen = [id(v) in weights for v in model.trainable_variables], settings.frozen_steps

    def ascend(self, gradients: Sequence[tf.Tensor], step: tf.Tensor) -> None:
        moves = tf.cast(step >= self._frozen, tf.float64)
        super().ascend([g if free else moves * g for g, free in zip(gradients, self._free, strict=True)], step)


ascent = WeightsFirst


def predictor(model: FeatureNetwork, rows: int, settings: Settings) -> Predict:
    """f along S paths, a component of the predictive mixture each."""
    return lambda x, seed: _outputs(model, x, settings.test_samples, seed)


def _outputs(model: FeatureNetwork, x: tf.Tensor, samples: int, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean and variance of f along S paths: [S, n, C] each ([1, n, C] where nothing is drawn)."""
    *hidden, last = model.layers
    h = tf.cast(x, last.dtype)[None]  # [1, n, Q]
    for index, layer in enumerate(hidden):
        h = layer.sample(h, samples, tf.random.experimental.stateless_fold_in(seed, 2 * index))  # [S, n, D]
    return last.marginals(h)

"""RFF: deep GPs by random features (Cutajar, Bonilla, Michiardi, Filippone, 2017). q(W), q(Ω) are fully factorised.

The evidence lower bound, along paths that draw the weights W (and, where asked for, the frequencies Ω) of every hidden
layer once for all rows of the minibatch,

    Σ_n E_q[log p(y_n | f_n)] - Σ_l [KL(q(W_l) || N(0, 1)) + KL(q(Ω_l) || N(0, ℓ_l⁻²))].

Given a path, f of the last layer is Gaussian in each row, W integrated out: VI's closed forms apply to it, and only the
hidden layers are sampled. As in the paper, Ω, the kernels and the noise may wait while the weights find their place
(`frozen_steps`), and x may be fed to every layer beside the output of the one below (`feed_inputs`).
"""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp.features import FeatureLayer
from dgpexp.gp.likelihoods import Likelihood
from dgpexp.gp.mean_functions import linear_maps
from dgpexp.inference.minibatch import Minibatch
from dgpexp.methods import refuse_kernel


class FeatureNetwork(tf.Module):
    """Feature layers one after the other, and a likelihood. `jitter` has nothing to be added to here."""

    def __init__(self, layers: Sequence[FeatureLayer], likelihood: Likelihood, feed_inputs: bool) -> None:
        super().__init__()
        self.layers, self.likelihood, self.feed_inputs = list(layers), likelihood, feed_inputs
        self.jitter = tf.Variable(0.0, dtype=tf.float64, trainable=False, name="jitter")

    @property
    def weights(self) -> list[tf.Variable]:
        """The parameters of q(W), which move while `frozen_steps` holds the others."""
        return [v for layer in self.layers for v in (layer.mean, layer.log_deviation)]


def build(settings: Settings, depth: int, x: np.ndarray, likelihood: Likelihood, seed: int) -> FeatureNetwork:
    """A network of `depth` layers for scaled training inputs x [N, Q], q at the prior, lengthscales √(inputs)."""
    refuse_kernel("rff", settings.kernel, depth)
    rng = np.random.default_rng(seed)
    q = x.shape[1]
    width = settings.hidden_width or min(q, settings.max_hidden_width)
    maps = linear_maps(x, width, depth - 1)
    layers = []
    for index in range(depth):
        hidden = index < depth - 1
        below = q if index == 0 else width
        extra = q if index and settings.feed_inputs else 0
        weights = None
        if hidden and settings.mean_function == "linear":
            weights = np.concatenate([maps[index], np.zeros((extra, width))])
        layers.append(
            FeatureLayer(
                below + extra,
                width if hidden else likelihood.outputs,
                settings.features,
                settings.kernel,
                settings.ard,
                settings.frequencies,
                settings.kernel_variance,
                hidden or not likelihood.scale_free,
                weights,
                rng,
                tf.float32 if settings.precision == "mixed" else tf.float64,
            )
        )
    return FeatureNetwork(layers, likelihood, settings.feed_inputs)


def objective(model: FeatureNetwork, batch: Minibatch, settings: Settings) -> tf.Tensor:
    """The evidence lower bound, estimated from a minibatch and S paths."""
    mean, variance = _outputs(model, batch.x, settings.train_samples, batch.seed)
    fit = model.likelihood.expected_log_density(batch.y, mean, variance)  # [S, n]
    return float(batch.total) * tf.reduce_mean(fit) - tf.add_n([layer.divergence() for layer in model.layers])


def predict(
    model: FeatureNetwork, x: tf.Tensor, rows: int, settings: Settings, seed: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """f along S paths, a component of the predictive mixture each: [S, n, C]."""
    return _outputs(model, x, settings.test_samples, seed)


def _outputs(model: FeatureNetwork, x: tf.Tensor, samples: int, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean and variance of f along S paths: [S, n, C] each ([1, n, C] where nothing is drawn)."""
    h = inputs = tf.cast(x, model.layers[0].dtype)[None]  # [1, n, Q]
    for index, layer in enumerate(model.layers):
        weights_seed, frequencies_seed = (
            tf.random.experimental.stateless_fold_in(seed, 2 * index + k) for k in range(2)
        )
        frequencies = layer.sample_frequencies(samples, frequencies_seed)
        if index == len(model.layers) - 1:
            break
        h = layer.sample(h, frequencies, samples, weights_seed)  # [S, n, D]
        if model.feed_inputs:
            h = tf.concat([h, tf.tile(inputs, [samples, 1, 1])], axis=2)
    return layer.marginals(h, frequencies)

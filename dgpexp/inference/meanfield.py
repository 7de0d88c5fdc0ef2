"""Mean field: q(h_l) = Π_n N(μ_nl, s_nl), free for every training row (Damianou and Lawrence 2013). N(m, Σ) is q(v).

The hidden values of a row are parameters of their own, independent of the layer below, and the bound ties the two
together. With f̄_l and V_l the mean and the variance of f_l for inputs of the distribution q(h_{l-1}), and σ_l² the
noise after the layer, E (h - f)² = (μ - f̄)² + s + V, so a hidden unit of a row has, with the entropy of its q(h),

    E[log N(h | f, σ²)] - E[log q(h)] = -KL(N(μ, s) || N(f̄, σ²)) - V / 2σ²

and the whole is, as in VI but for these terms (section 4.2.1 of the thesis),

    Σ_n E[log p(y_n | f_L)] - Σ_{l<L} Σ_{n,d} [KL(N(μ, s) || N(f̄_l, σ_l²)) + V_l / 2σ_l²] - Σ_l Σ_d KL(q(v) || p(v)).

f_L sees q(h_{L-1}). It bounds the evidence for a Gaussian likelihood, and nothing is sampled; one layer is VI. There
are 2 N Σ_l D_l parameters more than in the other methods, so it is for small sets. New rows have no μ: predictions
sample the whole of every layer. The bound is known to switch layers off, where V_l costs more than f_l gains.
"""

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.errors import UserError
from dgpexp.gp import initial
from dgpexp.gp.dgp import DeepGP
from dgpexp.gp.initial import linear_maps
from dgpexp.gp.likelihoods import Likelihood
from dgpexp.inference import Minibatch
from dgpexp.inference.vi import predictor

__all__ = ["build", "objective", "predictor"]

MOST_ROWS = 10_000  # and as many as a saved model is rebuilt for (training/predictor.py)


class MeanField(DeepGP):
    """A deep GP, and N(means[l][n], exp log_variances[l][n]) over the hidden values of every row: [N, D] a layer."""

    def __init__(self, model: DeepGP, start: list[np.ndarray], variance: float) -> None:
        super().__init__(model.layers, model.likelihood, model.jitter.numpy(), mixed=model.dtype == tf.float32)
        self.means = [tf.Variable(h, dtype=tf.float64, name="hidden_mean") for h in start]
        self.log_variances = [
            tf.Variable(np.full(h.shape, np.log(variance)), dtype=tf.float64, name="log_variance") for h in start
        ]


def build(settings: Settings, depth: int, x: np.ndarray, likelihood: Likelihood, seed: int) -> MeanField:
    """The deep GP of the other methods; q(h) begins where the linear mean functions and the noise put it."""
    rows, width = len(x), settings.width(x.shape[1])
    if depth > 1 and (settings.stream or rows > MOST_ROWS):
        raise UserError(
            f"meanfield would need {2 * rows * width * (depth - 1):,} parameters, two for every hidden unit of each of "
            f"{rows:,} rows: use the method nvc, or at most {MOST_ROWS:,} rows without stream."
        )
    start, h = [], x
    for weights in linear_maps(x, width, depth - 1):
        h = h @ weights
        start.append(h)
    return MeanField(initial.build(settings, depth, x, likelihood, seed), start, settings.inner_noise)


def objective(model: MeanField, batch: Minibatch, settings: Settings) -> tf.Tensor:
    """The bound, estimated from a minibatch."""
    values = [layer.inducing_values for layer in model.layers]
    first, *others = model.given(values)
    mean, variance = (tf.cast(a, tf.float64) for a in first.marginals(tf.cast(batch.x, first.dtype)))  # noise included
    penalty = tf.zeros_like(mean[:, 0])
    for layer, mu, log_s, conditional in zip(model.layers, model.means, model.log_variances, others, strict=False):
        mu, log_s = tf.gather(mu, batch.index), tf.gather(log_s, batch.index)  # [n, D]
        penalty += tf.reduce_sum(_apart(mu, log_s, mean, variance, layer.log_noise), axis=1)
        mean, variance = conditional.marginals_of_gaussian(mu, tf.exp(log_s))
    fit = model.likelihood.expected_log_density(batch.y, mean, variance) - penalty  # [n]
    return float(batch.total) * tf.reduce_mean(fit) - tf.add_n([v.divergence() for v in values])


def _apart(mu: tf.Tensor, log_s: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, log_noise: tf.Tensor) -> tf.Tensor:
    """KL(N(μ, s) || N(mean, σ²)) + V / 2σ², for variance = V + σ²: elementwise."""
    squares = tf.square(mu - mean) + tf.exp(log_s) + variance
    return 0.5 * (squares / tf.exp(log_noise) + log_noise - log_s) - 1.0

"""NVC: nested variational compression (Hensman and Lawrence 2014). N(m, Σ) is q(v); a layer passes a Gaussian on.

Write a_n = A_n v for the mean of f(h) given the inducing values v, and σ² for the noise after the layer. By Jensen's
inequality, with f integrated over p(f | v), the likelihood of a layer's outputs is compressed into v,

    log p(h' | v, h) ≥ Σ_n log N(h'_n | a_n(h_n), σ²) - (k_nn - A_n A_nᵀ) / 2σ²,

and the inputs are then averaged over q(h_n) = N(μ_n, s_n), which the layer below has left. With ψ1 for the mean kernel
vector, E[a_n] = ψ1ᵀ L⁻ᵀ v is again linear in v, so that log p(h' | v) is at least a Gaussian in h' less a penalty:

    Σ_n log N(h'_n | E[a_n], σ²) - (Var_h[a_n] + k_nn - E A_n A_nᵀ) / 2σ².

In a hidden layer this Gaussian, averaged over q(v), is what the next layer gets as its q(h'): N(f̄, c + σ²) with f̄ the
mean of f and c = ψ1ᵀ L⁻ᵀ Σ L⁻¹ ψ1. The penalty has V - c on average, V the variance of f over h, v and f | v. Therefore

    Σ_n E[log p(y_n | f_L)] - Σ_{l<L} Σ_{n,d} (V_l - c_l) / 2σ_l² - Σ_l Σ_d KL(N(m_ld, Σ_ld) || N(0, I))

bounds the evidence for a Gaussian likelihood, whose expectation needs no more of f_L than f̄_L and V_L. Nothing is
sampled. What a layer cannot say with certainty is punished, not passed on: σ_l² is both the price and the variance. A
mean function adds its terms to f̄ and V, and none to c. One layer is VI.
"""

from itertools import pairwise

import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp.conditional import AnyConditional
from dgpexp.gp.dgp import DeepGP
from dgpexp.gp.initial import build
from dgpexp.inference import Minibatch
from dgpexp.inference.vi import predictor

__all__ = ["build", "objective", "predictor"]  # predictions sample the whole of every layer, as VI's do


def objective(model: DeepGP, batch: Minibatch, settings: Settings) -> tf.Tensor:
    """The bound, estimated from a minibatch."""
    conditionals = model.conditionals()
    mean, variance, penalty = _compressed(conditionals, batch.x)
    fit = model.likelihood.expected_log_density(batch.y, mean, variance) - penalty  # [n]
    return float(batch.total) * tf.reduce_mean(fit) - tf.add_n([c.values.divergence() for c in conditionals])


def _compressed(conditionals: list[AnyConditional], x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
    """Mean and variance of f_L [n, C], and what the hidden layers cost on the way, Σ_l Σ_d (V - c) / 2σ² [n]."""
    first = conditionals[0]
    mean, known, left = (tf.cast(part, tf.float64) for part in first.explained(tf.cast(x, first.dtype)))  # [n, D]
    penalty = tf.zeros_like(mean[:, 0])
    for below, conditional in pairwise(conditionals):
        noise = tf.exp(below.log_noise)
        penalty += tf.reduce_sum(left, axis=1) / (2.0 * noise)
        mean, known, left = conditional.explained_of_gaussian(mean, known + noise)
    return mean, known + left, penalty

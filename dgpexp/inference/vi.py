"""VI: doubly stochastic variational inference. N(m, Σ) is q(v), the approximate posterior of the inducing values.

The evidence lower bound (4.2.52), with f_n drawn along sampled paths,

    Σ_n E_q[log p(y_n | f_n)] - Σ_l Σ_d KL(N(m_ld, Σ_ld) || N(0, I)).

Given a path up to the last layer the expectation over f_n is in closed form; only the path is sampled.
"""

import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp.dgp import DeepGP, sampled_paths
from dgpexp.gp.function_paths import training_paths
from dgpexp.gp.initial import build
from dgpexp.gp.layer import InducingValues
from dgpexp.gp.linalg import diagonals
from dgpexp.inference.minibatch import Minibatch

__all__ = ["build", "objective", "predict"]


def objective(model: DeepGP, batch: Minibatch, settings: Settings) -> tf.Tensor:
    """The evidence lower bound (4.2.52), estimated from a minibatch and S paths."""
    conditionals = [c.through_factor() for c in model.conditionals()]
    mean, variance = training_paths(conditionals, batch.x, settings, batch.seed)  # [S, n, C]
    fit = model.likelihood.expected_log_density(batch.y, mean, variance)  # [S, n]
    return float(batch.total) * tf.reduce_mean(fit) - tf.add_n([kl_divergence(c.values) for c in conditionals])


def predict(model: DeepGP, x: tf.Tensor, rows: int, settings: Settings, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """f along S paths, a component of the predictive mixture (4.2.53) each: [S, n, C]."""
    return sampled_paths(model.conditionals(), x, settings.test_samples, seed, settings.shared_paths)


def kl_divergence(values: InducingValues) -> tf.Tensor:
    """Σ_d KL(N(m_d, Σ_d) || N(0, I)) = ½ Σ_d (tr Σ_d + |m_d|² - M - log|Σ_d|)."""
    m = tf.cast(tf.size(values.mean), tf.float64)  # D·M
    if values.factor is None:
        spread = tf.reduce_sum(diagonals(values.covariance)) - tf.reduce_sum(values.log_determinants)
    else:
        spread = _trace_minus_log_determinant(values.factor)
    return 0.5 * (spread + tf.reduce_sum(tf.square(values.mean)) - m)


@tf.custom_gradient
def _trace_minus_log_determinant(r):
    """Σ_d tr R_d R_dᵀ - log|R_d R_dᵀ| for lower-triangular R [D, M, M]: R̄ = 2 (R - diag 1/R_ii), in few passes."""
    diagonal = diagonals(r)  # [D, M]
    identity = tf.eye(r.shape[1], dtype=r.dtype)

    def gradient(bar):
        return (2.0 * bar) * (r - identity * (1.0 / diagonal)[:, None, :])

    return tf.reduce_sum(r * r) - tf.reduce_sum(tf.math.log(tf.square(diagonal))), gradient

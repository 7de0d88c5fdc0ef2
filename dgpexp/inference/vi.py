"""VI: doubly stochastic variational inference. N(m, Σ) is q(v), the approximate posterior of the inducing values.

The evidence lower bound (4.2.52), with f_n drawn along sampled paths,

    Σ_n E_q[log p(y_n | f_n)] - Σ_l Σ_d KL(N(m_ld, Σ_ld) || N(0, I)).

Given a path up to the last layer the expectation over f_n is in closed form; only the path is sampled.
"""

import tensorflow as tf

from dgpexp.gp.dgp import DeepGP, sampled_paths
from dgpexp.gp.layer import InducingValues
from dgpexp.gp.linalg import diagonals

NEEDS_MOMENTS = False


def objective(model: DeepGP, x: tf.Tensor, y: tf.Tensor, rows: int, samples: int, seed: tf.Tensor) -> tf.Tensor:
    """The evidence lower bound (4.2.52), estimated from a minibatch and S paths."""
    conditionals = model.conditionals()
    mean, variance = sampled_paths(conditionals, x, samples, seed)  # [S, n]
    fit = model.likelihood.expected_log_density(y[:, 0], mean, variance)  # [S, n]
    return float(rows) * tf.reduce_mean(fit) - tf.add_n([kl_divergence(c.values) for c in conditionals])


def predict(model: DeepGP, x: tf.Tensor, rows: int, samples: int, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Components of the predictive mixture (4.2.53), noise included: [S, n] each."""
    mean, variance = sampled_paths(model.conditionals(), x, samples, seed)
    return tf.cast(mean, tf.float64), tf.cast(variance, tf.float64) + model.likelihood.noise


def kl_divergence(values: InducingValues) -> tf.Tensor:
    """Σ_d KL(N(m_d, Σ_d) || N(0, I)) = ½ Σ_d (tr Σ_d + |m_d|² - M - log|Σ_d|)."""
    m = tf.cast(tf.size(values.mean), tf.float64)  # D·M
    trace = tf.reduce_sum(diagonals(values.covariance))
    return 0.5 * (trace + tf.reduce_sum(tf.square(values.mean)) - m - tf.reduce_sum(values.log_determinants))

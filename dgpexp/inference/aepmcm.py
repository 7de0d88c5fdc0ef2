"""AEPMCM: approximate EP with Monte Carlo. N(m, Σ) is the cavity; log Z_n is estimated along sampled paths.

The energy (4.3.4), with (4.3.19) for each point,

    Σ_n log Z_n + Σ_l Σ_d F(m_ld, Σ_ld),       log Z_n ≈ log 1/S Σ_s N(y_n | mean_s, var_s + σ²).

The mean over paths stands inside the logarithm: a point is explained by the paths that pass near it, so the predictive
distribution may have several modes. The estimate of log Z_n is biased downwards (Jensen) and its bias falls with S.
"""

import tensorflow as tf

from dgpexp.gp.dgp import DeepGP, sampled_paths
from dgpexp.inference.cavity import energy, posterior

NEEDS_MOMENTS = False


def objective(model: DeepGP, x: tf.Tensor, y: tf.Tensor, rows: int, samples: int, seed: tf.Tensor) -> tf.Tensor:
    """The approximate log marginal likelihood (4.3.4), estimated from a minibatch and S paths."""
    conditionals = model.conditionals()
    mean, variance = sampled_paths(conditionals, x, samples, seed)  # [S, n]
    log_densities = model.likelihood.log_expected_density(y[:, 0], mean, variance)  # [S, n]
    log_z = tf.reduce_logsumexp(log_densities, axis=0) - tf.math.log(tf.cast(tf.shape(mean)[0], tf.float64))  # (4.3.19)
    return float(rows) * tf.reduce_mean(log_z) + tf.add_n([energy(c.values, rows) for c in conditionals])


def predict(model: DeepGP, x: tf.Tensor, rows: int, samples: int, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Components of the predictive mixture (4.3.22), from the posterior, noise included: [S, n] each."""
    conditionals = model.conditionals(lambda cavity: posterior(cavity, rows))
    mean, variance = sampled_paths(conditionals, x, samples, seed)
    return tf.cast(mean, tf.float64), tf.cast(variance, tf.float64) + model.likelihood.noise

"""AEPMCM: approximate EP with Monte Carlo. N(m, Σ) is the cavity; log Z_n is estimated along sampled paths.

The energy (4.3.4), with (4.3.19) for each point,

    Σ_n log Z_n + Σ_l Σ_d F(m_ld, Σ_ld),       log Z_n ≈ log 1/S Σ_s N(y_n | mean_s, var_s + σ²).

The mean over paths stands inside the logarithm: a point is explained by the paths that pass near it, so the predictive
distribution may have several modes. The estimate of log Z_n is biased downwards (Jensen) and its bias falls with S.
"""

import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp.cavity import energy, posterior
from dgpexp.gp.dgp import DeepGP, Predict, path_predictor
from dgpexp.gp.function_paths import training_paths
from dgpexp.gp.initial import build
from dgpexp.gp.likelihoods.base import log_mean_exp
from dgpexp.inference import Minibatch

__all__ = ["build", "objective", "predictor"]


def objective(model: DeepGP, batch: Minibatch, settings: Settings) -> tf.Tensor:
    """The approximate log marginal likelihood (4.3.4), estimated from a minibatch and S paths."""
    conditionals = model.conditionals()
    mean, variance = training_paths(conditionals, batch.x, settings, batch.seed)  # [S, n, C]
    log_z = log_mean_exp(model.likelihood.log_expected_density(batch.y, mean, variance))  # (4.3.19) [n]
    return float(batch.total) * tf.reduce_mean(log_z) + tf.add_n([energy(c.values, batch.total) for c in conditionals])


def predictor(model: DeepGP, rows: int, settings: Settings) -> Predict:
    """f along S paths of the posterior, a component of the predictive mixture (4.3.22) each."""
    conditionals = model.conditionals(lambda cavity: posterior(cavity, rows))
    return path_predictor(conditionals, settings.test_samples, settings.shared_paths)

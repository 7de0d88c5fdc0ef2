"""VI: doubly stochastic variational inference. N(m, Σ) is q(v), the approximate posterior of the inducing values.

The evidence lower bound (4.2.52), with f_n drawn along sampled paths,

    Σ_n E_q[log p(y_n | f_n)] - Σ_l Σ_d KL(N(m_ld, Σ_ld) || N(0, I)).

Given a path up to the last layer the expectation over f_n is in closed form; only the path is sampled.
"""

import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp.dgp import DeepGP, Predict, path_predictor
from dgpexp.gp.function_paths import training_paths
from dgpexp.gp.initial import build
from dgpexp.inference import Minibatch

__all__ = ["build", "objective", "predictor"]


def objective(model: DeepGP, batch: Minibatch, settings: Settings) -> tf.Tensor:
    """The evidence lower bound (4.2.52), estimated from a minibatch and S paths."""
    conditionals = model.conditionals()
    mean, variance = training_paths(conditionals, batch.x, settings, batch.seed)  # [S, n, C]
    fit = model.likelihood.expected_log_density(batch.y, mean, variance)  # [S, n]
    return float(batch.total) * tf.reduce_mean(fit) - tf.add_n([c.values.divergence() for c in conditionals])


def predictor(model: DeepGP, rows: int, settings: Settings) -> Predict:
    """f along S paths, a component of the predictive mixture (4.2.53) each."""
    return path_predictor(model.conditionals(), settings.test_samples, settings.shared_paths)

"""PEP: power expectation propagation, the family between VI and AEPMCM. N(m, Σ) is the cavity at power α.

Only a fraction α of a tied factor θ is taken out of the posterior: θ_q = θ_prior + N θ, θ_cav = θ_prior + (N - α) θ.
The energy is

    Σ_l [(1 - N/α) Φ(θ_q) - Φ(θ_prior) + (N/α) Φ(θ_cav)] + 1/α Σ_n log Z_n,      Z_n = E_cav[p(y_n | f_n)^α].

With θ' = α θ and N' = N/α, which need not be whole, θ_q = θ_prior + N' θ' and θ_cav = θ_prior + (N' - 1) θ': the
bracket and the way from the cavity to the posterior are those of approximate EP (cavity.py) with N' in the place of N.
So AEPMCM is the case α = 1. As α → 0, 1/α log E[p^α] → E[log p], the cavity becomes the posterior, and the bracket
tends to minus the divergence from the prior: VI.
"""

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp import initial
from dgpexp.gp.cavity import energy, posterior
from dgpexp.gp.dgp import DeepGP, Predict, path_predictor
from dgpexp.gp.function_paths import training_paths
from dgpexp.gp.likelihoods.base import Likelihood, log_mean_exp
from dgpexp.inference import Minibatch

__all__ = ["build", "objective", "predictor"]


def build(settings: Settings, depth: int, x: np.ndarray, likelihood: Likelihood, seed: int) -> DeepGP:
    """AEPMCM's model; natural parameters know that the cavity keeps N - α of N factors."""
    return initial.build(settings, depth, x, likelihood, seed, settings.alpha)


def objective(model: DeepGP, batch: Minibatch, settings: Settings) -> tf.Tensor:
    """The energy at power α, estimated from a minibatch and S paths."""
    factors = batch.total / settings.alpha  # N' = N/α
    conditionals = model.conditionals()
    mean, variance = training_paths(conditionals, batch.x, settings, batch.seed)  # [S, n, C]
    log_z = log_mean_exp(model.likelihood.log_expected_density(batch.y, mean, variance, settings.alpha))  # [n]
    return factors * tf.reduce_mean(log_z) + tf.add_n([energy(c.values, factors) for c in conditionals])


def predictor(model: DeepGP, rows: int, settings: Settings) -> Predict:
    """f along S paths of the posterior that belongs to the cavity."""
    conditionals = model.conditionals(lambda cavity: posterior(cavity, rows / settings.alpha))
    return path_predictor(conditionals, settings.test_samples, settings.shared_paths)

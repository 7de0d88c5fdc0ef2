"""AEP: approximate EP with Gaussian propagation. N(m, Σ) is the cavity; log Z_n is in closed form.

The energy (4.3.4) as in AEPMCM, but every layer's output is taken for a Gaussian with the exact mean and variance, so

    log Z_n ≈ log N(y_n | m_L, v_L + σ²)                                                          (4.2.21)-(4.2.26)

and nothing is sampled. The predictive distribution is one Gaussian (4.2.30): it cannot have several modes.
"""

import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp.cavity import energy, posterior
from dgpexp.gp.dgp import DeepGP, Predict, gaussian_propagation
from dgpexp.gp.initial import build
from dgpexp.inference import Minibatch

__all__ = ["build", "objective", "predictor"]


def objective(model: DeepGP, batch: Minibatch, settings: Settings) -> tf.Tensor:
    """The approximate log marginal likelihood (4.3.4), estimated from a minibatch; nothing is sampled."""
    conditionals = model.conditionals()
    mean, variance = gaussian_propagation(conditionals, batch.x)  # [n, C]
    log_z = model.likelihood.log_expected_density(batch.y, mean, variance)  # [n]
    return float(batch.total) * tf.reduce_mean(log_z) + tf.add_n([energy(c.values, batch.total) for c in conditionals])


def predictor(model: DeepGP, rows: int, settings: Settings) -> Predict:
    """The one Gaussian of f (4.2.30), from the posterior: S = 1."""
    first, *others = model.conditionals(lambda cavity: posterior(cavity, rows))
    conditionals = [first.for_predictions(), *others]  # only the first has inputs without variance

    def predict(x: tf.Tensor, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        mean, variance = gaussian_propagation(conditionals, x)
        return mean[None], variance[None]

    return predict

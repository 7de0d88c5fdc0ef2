"""AEP: approximate EP with Gaussian propagation. N(m, Σ) is the cavity; log Z_n is in closed form.

The energy (4.3.4) as in AEPMCM, but every layer's output is taken for a Gaussian with the exact mean and variance, so

    log Z_n ≈ log N(y_n | m_L, v_L + σ²)                                                          (4.2.21)-(4.2.26)

and nothing is sampled. The predictive distribution is one Gaussian (4.2.30): it cannot have several modes.
"""

import tensorflow as tf

from dgpexp.gp.dgp import DeepGP, gaussian_propagation
from dgpexp.inference.cavity import energy, posterior

NEEDS_MOMENTS = True


def objective(model: DeepGP, x: tf.Tensor, y: tf.Tensor, rows: int, samples: int, seed: tf.Tensor) -> tf.Tensor:
    """The approximate log marginal likelihood (4.3.4), estimated from a minibatch; samples and seed are not used."""
    conditionals = model.conditionals()
    mean, variance = gaussian_propagation(conditionals, x)  # [n]
    log_z = model.likelihood.log_expected_density(y[:, 0], mean, variance)  # [n]
    return float(rows) * tf.reduce_mean(log_z) + tf.add_n([energy(c.values, rows) for c in conditionals])


def predict(model: DeepGP, x: tf.Tensor, rows: int, samples: int, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """The one component of the predictive distribution (4.2.30), from the posterior, noise included: [1, n] each."""
    conditionals = model.conditionals(lambda cavity: posterior(cavity, rows))
    mean, variance = gaussian_propagation(conditionals, x)
    return tf.cast(mean, tf.float64)[None], (tf.cast(variance, tf.float64) + model.likelihood.noise)[None]

"""The energy of approximate EP with tied factors, in closed form, and the posterior that belongs to a cavity.

All N likelihood factors share one approximate factor over the whitened inducing values v ~ N(0, I). The parameters
N(m, Σ) are the *cavity*, the prior times N - 1 factors; the posterior is the prior times N of them. In natural
parameters (4.3.4) θ_q = θ_cav + (θ_cav - θ_prior) / (N - 1), and with Φ(θ) = ½ log|Σ| + ½ mᵀ Σ⁻¹ m a unit's energy is

    F = (1 - N) Φ(θ_q) - Φ(θ_prior) + N Φ(θ_cav).

Written out, it subtracts numbers N times larger than itself. But Λ_q = (N Σ⁻¹ - I) / (N - 1) = N / (N - 1) · Σ⁻¹ P with
P = I - Σ/N, which commutes with Σ, and η_q = N / (N - 1) · Σ⁻¹ m, so

    Σ_q = (N - 1) / N · P⁻¹ Σ,       m_q = P⁻¹ m,

    log|Σ_q| = -M log(N / (N - 1)) - log|P| + log|Σ|,
    N mᵀ Σ⁻¹ m - (N - 1) m_qᵀ Σ_q⁻¹ m_q = N mᵀ Σ⁻¹ (I - P⁻¹) m = -mᵀ P⁻¹ m,

    F = ½ log|Σ| + (N - 1)/2 · [M log(N / (N - 1)) + log|P|] - ½ mᵀ P⁻¹ m.

As N → ∞, F → -KL(N(m, Σ) || N(0, I)): AEP costs what VI costs. P is well conditioned as long as Σ stays well below N I,
and it is not positive definite for Σ ≥ N I, where no posterior belongs to the cavity.
"""

import numpy as np
import tensorflow as tf

from dgpexp.gp.layer import InducingValues
from dgpexp.gp.linalg import diagonals, inverse_cholesky

# From here on log|P| is cut after tr(E²), E = Σ/N: what is left out, N/2 Σ_k≥3 tr(Eᵏ)/k, is at most about
# M/(6 N²) · ‖Σ‖³ nats a unit, 2e-7 for M = 100 and Σ ≤ I. Below it, the factorisation is exact for any Σ < N I.
SERIES_FROM = 10_000


def energy(cavity: InducingValues, rows: int) -> tf.Tensor:
    """Σ_d F(m_d, Σ_d) for `rows` = N data points, (4.3.4): a scalar."""
    size = tf.cast(tf.size(cavity.mean), tf.float64)  # D·M
    log_p, quadratic = (_exact if rows < SERIES_FROM else _series)(cavity, rows)
    prior = -np.log1p(-1.0 / rows) * size  # M log(N / (N - 1)), summed over the units
    return 0.5 * (tf.reduce_sum(cavity.log_determinants) + (rows - 1.0) * (prior + log_p) - quadratic)


def posterior(cavity: InducingValues, rows: int) -> InducingValues:
    """q, the distribution predictions are made from: Σ_q = (N - 1)/N · P⁻¹ Σ, m_q = P⁻¹ m."""
    p_inverse = tf.linalg.inv(_p(cavity, rows))  # [D, M, M]
    mean = tf.linalg.matvec(p_inverse, cavity.mean)
    covariance = (rows - 1.0) / rows * tf.matmul(p_inverse, cavity.covariance)
    return InducingValues(mean, 0.5 * (covariance + tf.linalg.matrix_transpose(covariance)))


def _p(cavity: InducingValues, rows: int) -> tf.Tensor:
    """P = I - Σ/N: [D, M, M]."""
    return tf.eye(cavity.covariance.shape[-1], dtype=tf.float64) - cavity.covariance / rows


def _exact(cavity: InducingValues, rows: int) -> tuple[tf.Tensor, tf.Tensor]:
    """Σ_d log|P_d| and Σ_d m_dᵀ P_d⁻¹ m_d by factorisation; fails, as a Cholesky does, where Σ is not below N I."""
    return _log_determinant_and_quadratic(_p(cavity, rows), cavity.mean)


@tf.custom_gradient
def _log_determinant_and_quadratic(p, m):
    """Σ_d log|P_d| and Σ_d m_dᵀ P_d⁻¹ m_d of symmetric P [D, M, M] and m [D, M].

    Gradient, with w = P⁻¹ m and for the cotangents ā and b̄:  P̄ = ā P⁻¹ - b̄ w wᵀ,  m̄ = 2 b̄ w. No product of matrices.
    """
    y = inverse_cholesky(p)  # L⁻¹, P = L Lᵀ
    inverse = tf.matmul(y, y, transpose_a=True)
    w = tf.linalg.matvec(inverse, m)

    def gradient(a_bar, b_bar):
        return a_bar * inverse - b_bar * w[:, :, None] * w[:, None, :], 2.0 * b_bar * w

    return (-2.0 * tf.reduce_sum(tf.math.log(diagonals(y))), tf.reduce_sum(m * w)), gradient


def _series(cavity: InducingValues, rows: int) -> tuple[tf.Tensor, tf.Tensor]:
    """The same for large N: log|P| = -tr E - tr(E²)/2 - ..., P⁻¹ m = m + E m + E² m + ..., E = Σ/N; no M³ work."""
    e = cavity.covariance / rows
    log_p = -tf.reduce_sum(diagonals(e)) - 0.5 * tf.reduce_sum(tf.square(e))
    e_m = tf.linalg.matvec(e, cavity.mean)
    return log_p, tf.reduce_sum(cavity.mean * (cavity.mean + e_m) + tf.square(e_m))

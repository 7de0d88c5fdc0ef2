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

from collections.abc import Callable
from typing import Any

import numpy as np
import tensorflow as tf

from dgpexp.gp.inducing_values import Dense, Factored, InducingValues
from dgpexp.gp.linalg import diagonals, inverse_cholesky

# Three ways to one energy. A factorisation is right for any Σ < N I, and its M³ in float64 is too slow to be the rule.
# From N = 400 on log|P| is cut after tr(E⁴), E = Σ/N, which leaves out M/(10 N⁴) · ‖Σ‖⁵ nats a unit, 4e-10 for M = 100
# and Σ ≤ I; from 10,000 on after tr(E²), 2e-7. Where R is known, the small terms of that series need float32 alone.
SERIES_FROM = 400
_SHORT_FROM = 10_000


def energy(cavity: InducingValues, rows: float) -> tf.Tensor:
    """Σ_d F(m_d, Σ_d) for `rows` = N data points, (4.3.4): a scalar."""
    if rows >= SERIES_FROM and isinstance(cavity, Factored):
        return _series_by_factor(rows)(cavity.factor, cavity.mean)
    log_p, quadratic = _series(cavity, rows) if rows >= SERIES_FROM else _exact(cavity, rows)
    log_p += _prior(cavity.mean, rows)
    return 0.5 * (tf.reduce_sum(cavity.log_determinants) + (rows - 1.0) * log_p - quadratic)


def _prior(m: tf.Tensor, rows: float) -> tf.Tensor:
    """M log(N / (N - 1)), summed over the units."""
    return -np.log1p(-1.0 / rows) * tf.cast(tf.size(m), tf.float64)


def posterior(cavity: InducingValues, rows: float) -> Dense:
    """q, the distribution predictions are made from: Σ_q = (N - 1)/N · P⁻¹ Σ, m_q = P⁻¹ m."""
    p_inverse = tf.linalg.inv(_p(cavity, rows))  # [D, M, M]
    mean = tf.linalg.matvec(p_inverse, cavity.mean)
    covariance = (rows - 1.0) / rows * tf.matmul(p_inverse, cavity.covariance)
    return Dense(mean, 0.5 * (covariance + tf.linalg.matrix_transpose(covariance)))


def _p(cavity: InducingValues, rows: float) -> tf.Tensor:
    """P = I - Σ/N: [D, M, M]."""
    return tf.eye(cavity.covariance.shape[-1], dtype=tf.float64) - cavity.covariance / rows


def _exact(cavity: InducingValues, rows: float) -> tuple[tf.Tensor, tf.Tensor]:
    """Σ_d log|P_d| and Σ_d m_dᵀ P_d⁻¹ m_d by factorisation; fails, as a Cholesky does, where Σ is not below N I."""
    return _log_determinant_and_quadratic(_p(cavity, rows), cavity.mean)


@tf.custom_gradient
def _log_determinant_and_quadratic(p: tf.Tensor, m: tf.Tensor) -> tuple[tf.Tensor, Any]:
    """Σ_d log|P_d| and Σ_d m_dᵀ P_d⁻¹ m_d of symmetric P [D, M, M] and m [D, M].

    Gradient, with w = P⁻¹ m and for the cotangents ā and b̄:  P̄ = ā P⁻¹ - b̄ w wᵀ,  m̄ = 2 b̄ w. No product of matrices.
    """
    y = inverse_cholesky(p)  # L⁻¹, P = L Lᵀ
    inverse = tf.matmul(y, y, transpose_a=True)
    w = tf.linalg.matvec(inverse, m)

    def gradient(a_bar: tf.Tensor, b_bar: tf.Tensor) -> Any:
        return a_bar * inverse - b_bar * w[:, :, None] * w[:, None, :], 2.0 * b_bar * w

    return (-2.0 * tf.reduce_sum(tf.math.log(diagonals(y))), tf.reduce_sum(m * w)), gradient


def _series(cavity: InducingValues, rows: float) -> tuple[tf.Tensor, tf.Tensor]:
    """For large N, by series: log|P| = -tr E - tr(E²)/2 - ... - tr(E⁴)/4, P⁻¹ m = m + E m + E² m + ..., E = Σ/N."""
    both = cavity.covariance + tf.linalg.matrix_transpose(cavity.covariance)  # for `gram`: a symmetric gradient
    e = both / (2.0 * rows)
    a = tf.linalg.matvec(e, cavity.mean)
    b = tf.linalg.matvec(e, a)
    log_p = -tf.reduce_sum(diagonals(e)) - 0.5 * tf.reduce_sum(e * e)
    if rows < _SHORT_FROM:
        square = tf.matmul(e, e)
        log_p -= tf.reduce_sum(square * (e / 3.0 + square / 4.0))
    return log_p, tf.reduce_sum(cavity.mean * (cavity.mean + a) + a * (a + b))


def _series_by_factor(rows: float) -> Callable[..., tf.Tensor]:
    """The whole energy as a function of lower-triangular R [D, M, M] and m [D, M] in float64, without Σ in float64.

    tr Σ is the sum of R's squares and log|Σ| that of the logarithms of its diagonal's. What else E adds is small:
    tr(E²) counts for M/4N nats a unit and mᵀ E m for |m|²/2N, so that float32 is enough.

    Gradient, with a = E m, b = E a and c = E b:  m̄ = -(m + a + b + c), and R̄ is the lower triangle of
    diag(1/R_ii) - (N - 1)/N · R + 2/N · Ē R, where Ē = -(N - 1)/2 · (E + E² + E³) - ½ V and
    V = m mᵀ + (m aᵀ + a mᵀ) + (m bᵀ + a aᵀ + b mᵀ) = (m + a + b) mᵀ + (m + a) aᵀ + m bᵀ.
    """
    root = float(np.sqrt(rows))

    @tf.custom_gradient
    def of(r: tf.Tensor, m: tf.Tensor) -> tuple[tf.Tensor, Any]:
        scaled, m32 = tf.cast(r, tf.float32) / root, tf.cast(m, tf.float32)
        e = tf.matmul(scaled, scaled, transpose_b=True)
        a = tf.linalg.matvec(e, m32)
        b = tf.linalg.matvec(e, a)
        if rows >= _SHORT_FROM:
            powers, higher = e, 0.5 * tf.reduce_sum(e * e)
        else:
            square = tf.matmul(e, e)
            powers = e + square + tf.matmul(e, square)
            higher = tf.reduce_sum(0.5 * e * e + square * (e / 3.0 + square / 4.0))
        diagonal = diagonals(r)
        log_p = -tf.reduce_sum(r * r) / rows - tf.cast(higher, tf.float64)
        quadratic = tf.reduce_sum(m * m + tf.cast(a, tf.float64) * (m + tf.cast(a + b, tf.float64)))
        log_determinants = tf.reduce_sum(tf.math.log(tf.square(diagonal)))

        def gradient(bar: tf.Tensor) -> Any:
            left, right = tf.stack([m32 + a + b, m32 + a, m32], axis=2), tf.stack([m32, a, b], axis=1)
            e_bar = (-(rows - 1.0) / root) * powers - tf.matmul(left / root, right)  # 2/√N · Ē
            small = tf.cast(tf.linalg.band_part(tf.matmul(e_bar, scaled), -1, 0), tf.float64)
            large = tf.eye(r.shape[1], dtype=r.dtype) * (1.0 / diagonal)[:, None, :] - (1.0 - 1.0 / rows) * r
            return bar * (large + small), -bar * (m + tf.cast(a + b + tf.linalg.matvec(e, b), tf.float64))

        return 0.5 * (log_determinants + (rows - 1.0) * (_prior(m, rows) + log_p) - quadratic), gradient

    return of

"""Moments of a layer's output for Gaussian inputs: the ψ-statistics of the RBF kernel, (4.2.21)-(4.2.26).

For h ~ N(μ, diag s), unit d of a layer, and β_d = L⁻ᵀ m_d, C_d = L⁻ᵀ (Σ_d - I) L⁻¹ + β_d β_dᵀ,

    E[f_d]   = Σ_m ψ1_m β_dm                        ψ1_m  = E[k(h, z_m)]
    Var[f_d] = σ² + Σ_ij ψ2_ij C_d,ij - E[f_d]²     ψ2_ij = E[k(h, z_i) k(h, z_j)]

and with the mean function w(h) = h W beside the GP,

    Var[f_d + w_d] = Var[f_d] + Σ_j W_jd² s_j + 2 Σ_j W_jd Cov(h_j, f_d)
    Cov(h_j, f_d)  = s_j / (ℓ_j² + s_j) · Σ_m β_dm ψ1_m (z_mj - μ_j)

The last line: k(h, z) N(h | μ, s) is ψ1 times the Gaussian with mean (ℓ² μ + s z) / (ℓ² + s), so
E[h_j k(h, z_m)] = ψ1_m (μ_j + s_j (z_mj - μ_j) / (ℓ_j² + s_j)), and μ_j ψ1_m is what E[h_j] E[k] takes away.

ψ2 is symmetric: only the M (M + 1) / 2 pairs i ≤ j are computed, the others counted by doubling C. Both exponents are
quadratic in z with coefficients that depend on n, so each is one matrix product.
"""

from typing import Any

import numpy as np
import tensorflow as tf

from dgpexp.gp.kernels import Stationary
from dgpexp.gp.linalg import linear_forms


def propagate(
    kernel: Stationary,
    z: tf.Tensor,  # [M, Q]
    beta: tf.Tensor,  # β [D, M]
    excess: tf.Tensor,  # L⁻ᵀ (Σ - I) L⁻¹ [D, M, M]
    weights: tf.Tensor | None,  # W [Q, D]
    mean: tf.Tensor,  # μ [n, Q]
    variance: tf.Tensor,  # s [n, Q]
) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean and variance of f + w for inputs N(mean, diag variance): two arrays [n, D]."""
    c = excess + beta[:, :, None] * beta[:, None, :]  # C [D, M, M]

    psi1 = expected_kernel(kernel, z, mean, variance)  # [n, M]
    f_mean = linear_forms(psi1, beta)  # [n, D]
    pairs = Pairs(int(z.shape[0]))
    left, right = expected_kernel_products(kernel, z, mean, variance, pairs)  # of ψ2
    f_variance = kernel.variance + exponential_forms(left, right, pairs.weights(c)) - tf.square(f_mean)  # [n, D]
    if weights is None:
        return f_mean, f_variance

    shrink = variance / (tf.square(kernel.lengthscales) + variance)  # s / (ℓ² + s) [n, Q]
    beta_z = tf.transpose(beta)[:, :, None] * z[:, None, :]  # β_dm z_mj [M, D, Q]
    psi1_z = tf.tensordot(psi1, beta_z, 1)  # Σ_m ψ1_m β_dm z_mj [n, D, Q]
    covariance = shrink[:, None, :] * (psi1_z - f_mean[:, :, None] * mean[:, None, :])  # Cov(h_j, f_d) [n, D, Q]
    cross = tf.reduce_sum(covariance * tf.transpose(weights), axis=2)  # [n, D]
    linear = tf.matmul(variance, tf.square(weights))  # [n, D]
    return f_mean + tf.matmul(mean, weights), f_variance + linear + 2.0 * cross


def expected_kernel(kernel: Stationary, z: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
    """ψ1[n, m] = E[k(h_n, z_m)] = σ² Π_q (1 + s/ℓ²)^-½ exp(-½ Σ_q (μ - z)² / (ℓ² + s)): [n, M]."""
    l2 = tf.square(kernel.lengthscales)
    scale = 1.0 / (l2 + variance)  # [n, Q]
    constant = kernel.log_variance - 0.5 * tf.reduce_sum(tf.math.log1p(variance / l2), axis=1, keepdims=True)  # [n, 1]
    left, right = _minus_weighted_distance(0.5 * scale, mean, z, constant, tf.zeros_like(z[:, :1]))
    return tf.exp(tf.matmul(left, right, transpose_b=True))


def expected_kernel_products(
    kernel: Stationary, z: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, pairs: "Pairs"
) -> tuple[tf.Tensor, tf.Tensor]:
    """ψ2[n, (i, j)] = E[k(h_n, z_i) k(h_n, z_j)] for the pairs i ≤ j as factors of its logarithm: [n, K], [P, K].

    ψ2 = σ⁴ Π_q (1 + 2s/ℓ²)^-½ exp(-Σ_q (z_i - z_j)² / 4ℓ² - Σ_q (μ - (z_i + z_j)/2)² / (ℓ² + 2s)).
    """
    l2 = tf.square(kernel.lengthscales)
    z_i, z_j = tf.gather(z, pairs.first), tf.gather(z, pairs.second)  # [P, Q]
    apart = -0.25 * tf.reduce_sum(tf.square(z_i - z_j) / l2, axis=1, keepdims=True)  # [P, 1]
    scale = 1.0 / (l2 + 2.0 * variance)  # [n, Q]
    spread = tf.reduce_sum(tf.math.log1p(2.0 * variance / l2), axis=1, keepdims=True)  # [n, 1]
    constant = 2.0 * kernel.log_variance - 0.5 * spread
    return _minus_weighted_distance(scale, mean, 0.5 * (z_i + z_j), constant, apart)


def _minus_weighted_distance(
    a: tf.Tensor, mean: tf.Tensor, z: tf.Tensor, row: tf.Tensor, column: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Two factors, [n, K] and [P, K], K = 2Q + 2, of row_n + column_p - Σ_q a_nq (mean_nq - z_pq)².

    The last column of the first is 1, and so is the first column of the second: `exponential_forms` counts on it.
    """
    a_mean = a * mean
    row -= tf.reduce_sum(a_mean * mean, axis=1, keepdims=True)
    left = tf.concat([row, 2.0 * a_mean, -a, tf.ones_like(row)], axis=1)  # [n, 2Q + 2]
    right = tf.concat([tf.ones_like(column), z, tf.square(z), column], axis=1)  # [P, 2Q + 2]
    return left, right


@tf.custom_gradient
def exponential_forms(left: tf.Tensor, right: tf.Tensor, w: tf.Tensor) -> tuple[tf.Tensor, Any]:
    """v[n, d] = Σ_p w_dp exp(left_n · right_p) for left [n, K], its last column 1, right [P, K], its first 1, w [D, P].

    Gradient, with G the exponentials and E = G ∘ v̄ w:  w̄ = v̄ᵀ G, left̄ = E right, right̄ = Eᵀ left. For one unit
    E right = v̄ ∘ G (w ∘ right), a product whose first column is v itself, and Eᵀ left = w ∘ Gᵀ (v̄ ∘ left), one whose
    last column is w̄: two products in the place of four, and no pass over [n, P] for E.
    """
    g = tf.exp(tf.matmul(left, right, transpose_b=True))  # [n, P]
    if w.shape[0] > 1:

        def of_many(v_bar: tf.Tensor) -> Any:
            e = g * tf.matmul(v_bar, w)
            return tf.matmul(e, right), tf.matmul(e, left, transpose_a=True), tf.matmul(v_bar, g, transpose_a=True)

        return tf.matmul(g, w, transpose_b=True), of_many

    weights = tf.transpose(w)  # [P, 1]
    by_right = tf.matmul(g, weights * right)  # [n, K]

    def of_one(v_bar: tf.Tensor) -> Any:
        by_left = tf.matmul(g, v_bar * left, transpose_a=True)  # [P, K]
        return v_bar * by_right, weights * by_left, tf.transpose(by_left[:, -1:])

    return by_right[:, :1], of_one


class Pairs:
    """The P = M (M + 1) / 2 pairs (i, j), i ≤ j, of a symmetric M x M matrix."""

    def __init__(self, m: int) -> None:
        self.first, self.second = (index.astype(np.int32) for index in np.triu_indices(m))
        self._position = self.first * m + self.second  # of a pair in a matrix that is written as a row
        self._times = np.where(self.first == self.second, 1.0, 2.0)
        self._pair = np.empty((m, m), np.int32)  # of a position
        self._pair[self.first, self.second] = self._pair[self.second, self.first] = np.arange(len(self.first))

    def weights(self, c: tf.Tensor) -> tf.Tensor:
        """Symmetric C [D, M, M] as weights of the pairs, so that Σ_ij ψ_ij C_ij = Σ_p ψ_p weight_p: [D, P].

        The weight of i < j is C_ij + C_ji = 2 C_ij. The gradient of C_ij and of C_ji is that of the weight: symmetric,
        as gp.linalg.gram expects, and gathered, where autodiff would scatter.
        """

        @tf.custom_gradient
        def of(c: tf.Tensor) -> tuple[tf.Tensor, Any]:
            taken = tf.gather(tf.reshape(c, [c.shape[0], -1]), self._position, axis=1)
            return taken * self._times, lambda w_bar: tf.gather(w_bar, self._pair, axis=1)

        return of(c)

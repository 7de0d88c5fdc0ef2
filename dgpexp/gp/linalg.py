"""Linear algebra whose gradients cost a few matrix products: where a gradient step spends its time.

Each function is an ordinary expression with a derivation of its gradient; tests compare both with autodiff.
"""

from collections.abc import Callable
from typing import Any

import tensorflow as tf

Gradient = Callable[[tf.Tensor], tf.Tensor]


@tf.custom_gradient
def inverse_cholesky(k: tf.Tensor) -> tuple[tf.Tensor, Gradient]:
    """Y = L⁻¹ where K = L Lᵀ, for K [..., M, M] symmetric and positive definite.

    Gradient. dL = L Φ(Y dK Yᵀ), with Φ the lower triangle whose diagonal is halved, so dY = -Y dL Y = -Φ(Y dK Yᵀ) Y
    and, for the cotangent Ȳ,  ⟨Ȳ, dY⟩ = -⟨Φ(Ȳ Yᵀ), Y dK Yᵀ⟩,  hence  K̄ = -Yᵀ Φ(Ȳ Yᵀ) Y, made symmetric. Three products
    in the place of the gradient of a Cholesky factorisation and of a triangular solve.
    """
    l = tf.linalg.cholesky(k)  # noqa: E741
    identity = tf.eye(tf.shape(k)[-1], batch_shape=tf.shape(k)[:-2], dtype=k.dtype)
    y = tf.linalg.triangular_solve(l, identity)  # [..., M, M]

    def gradient(y_bar: tf.Tensor) -> tf.Tensor:
        lower = tf.linalg.band_part(tf.matmul(y_bar, y, transpose_b=True), -1, 0)
        phi = tf.linalg.set_diag(lower, 0.5 * tf.linalg.diag_part(lower))
        k_bar = -tf.matmul(y, tf.matmul(phi, y), transpose_a=True)
        return 0.5 * (k_bar + tf.linalg.matrix_transpose(k_bar))

    return y, gradient


@tf.custom_gradient
def gram(r: tf.Tensor) -> tuple[tf.Tensor, Gradient]:
    """Σ = R Rᵀ for lower-triangular R [D, M, M], used where the cotangent Σ̄ is symmetric, as of any function of Σ.

    Gradient: the lower triangle of 2 Σ̄ R, one product where autodiff makes two. Its upper triangle is exactly 0, so a
    parameter that begins as lower-triangular stays so under Adam and need not be masked at every use.
    """

    def gradient(s_bar: tf.Tensor) -> tf.Tensor:
        return tf.linalg.band_part(2.0 * tf.matmul(s_bar, r), -1, 0)

    return tf.matmul(r, r, transpose_b=True), gradient


def diagonals(a: tf.Tensor) -> tf.Tensor:
    """The diagonals of a [D, M, M]: [D, M]. A strided slice, whose gradient is ten times cheaper than diag_part's."""
    d, m, _ = a.shape
    return tf.reshape(a, [d, m * m])[:, :: m + 1]


@tf.custom_gradient
def quadratic_forms(a: tf.Tensor, b: tf.Tensor) -> tuple[tf.Tensor, Callable[..., tuple[tf.Tensor, tf.Tensor]]]:
    """v[n, d] = a_nᵀ B_d a_n for a [n, M] and symmetric B [D, M, M].

    With T_d = A B_d (all units in one product), v_d is the row sum of T_d ∘ A. Gradient, for v̄ [n, D]:
    Ā = 2 Σ_d v̄_d ∘ T_d, which needs no product because T is at hand, and B̄_d = Aᵀ diag(v̄_d) A, which needs one and is
    symmetric: with A = [A₁ A₂], the rows of A₁ᵀ and the block of A₂ are computed and the block below the diagonal is
    copied, three quarters of the product. Less than two products in all; through a factor of B (|A R_d|²) three.
    """
    n, m, d = tf.shape(a)[0], b.shape[1], b.shape[0]
    t = tf.matmul(a, tf.reshape(b, [d * m, m]), transpose_b=True)  # [n, D·M], B_d = B_dᵀ
    t = tf.reshape(t, [n, d, m])  # [n, D, M]
    v = tf.matmul(t, a[:, :, None])[:, :, 0]  # [n, D]

    def gradient(v_bar: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        a_bar = 2.0 * tf.matmul(v_bar[:, None, :], t)[:, 0, :]  # [n, M]
        half = m // 2
        columns, weights = tf.transpose(a), tf.transpose(v_bar)[:, None, :]  # [M, n], [D, 1, n]: rows are contiguous
        first = tf.reshape(weights * columns[:half], [d * half, n])  # A₁ᵀ diag(v̄_d), all units
        second = tf.reshape(weights * columns[half:], [d * (m - half), n])
        top = tf.reshape(tf.matmul(first, a), [d, half, m])
        corner = tf.reshape(tf.matmul(second, a[:, half:]), [d, m - half, m - half])
        bottom = tf.concat([tf.linalg.matrix_transpose(top[:, :, half:]), corner], axis=2)
        return a_bar, tf.concat([top, bottom], axis=1)

    return v, gradient


@tf.custom_gradient
def shrunk_identity(b: tf.Tensor, c: tf.Tensor) -> tuple[tuple[tf.Tensor, tf.Tensor], Callable[..., Any]]:
    """Σ = (I + c BᵀB)⁻¹ and log|Σ| for B [D, M, M] and a constant c ≥ 0: [D, M, M] and [D].

    Gradient, for the cotangents Σ̄ and ā, with W = Σ⁻¹: dΣ = -Σ dW Σ and d log|Σ| = -tr(Σ dW), so
    W̄ = -Σ Σ̄ Σ - ā Σ, made symmetric, and B̄ = 2 c B W̄: three products, and no gradient of a factorisation.
    """
    w = tf.eye(b.shape[-1], dtype=b.dtype) + c * tf.matmul(b, b, transpose_a=True)
    l = tf.linalg.cholesky(w)  # noqa: E741
    y = tf.linalg.triangular_solve(l, tf.eye(b.shape[-1], batch_shape=[b.shape[0]], dtype=b.dtype))
    sigma = tf.matmul(y, y, transpose_a=True)

    def gradient(sigma_bar: tf.Tensor, a_bar: tf.Tensor) -> tuple[tf.Tensor, None]:
        symmetric = 0.5 * (sigma_bar + tf.linalg.matrix_transpose(sigma_bar))
        w_bar = -tf.matmul(sigma, tf.matmul(symmetric, sigma)) - a_bar[:, None, None] * sigma
        return 2.0 * c * tf.matmul(b, w_bar), None

    return (sigma, 2.0 * tf.reduce_sum(tf.math.log(diagonals(y)), axis=1)), gradient

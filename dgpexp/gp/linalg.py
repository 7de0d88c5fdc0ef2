"""Linear algebra whose gradients cost a few matrix products: where a gradient step spends its time.

Each function is an ordinary expression with a derivation of its gradient; tests compare both with autodiff.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
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
    ones = np.ones(k.shape[-2:])
    lower = tf.constant(np.tril(ones, -1) + 0.5 * np.eye(len(ones)), k.dtype)

    def gradient(y_bar: tf.Tensor) -> tf.Tensor:
        phi = tf.matmul(y_bar, y, transpose_b=True) * lower
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
def trace_minus_log_determinant(r: tf.Tensor) -> tuple[tf.Tensor, Gradient]:
    """Σ_d tr R_d R_dᵀ - log|R_d R_dᵀ| for lower-triangular R [D, M, M]: R̄ = 2 (R - diag 1/R_ii), in few passes."""
    diagonal = diagonals(r)  # [D, M]
    identity = tf.eye(r.shape[1], dtype=r.dtype)

    def gradient(bar: tf.Tensor) -> tf.Tensor:
        return (2.0 * bar) * (r - identity * (1.0 / diagonal)[:, None, :])

    return tf.reduce_sum(r * r) - tf.reduce_sum(tf.math.log(tf.square(diagonal))), gradient


def at_least(x: tf.Tensor, floor: float) -> tf.Tensor:
    """max(x, floor), elementwise; where x is below, its gradient is 0."""

    @tf.custom_gradient
    def of(x: tf.Tensor) -> tuple[tf.Tensor, Any]:
        return tf.maximum(x, floor), lambda v_bar: v_bar * tf.cast(x >= floor, x.dtype)

    return of(x)


def scale_gradient(x: tf.Tensor, times: tf.Tensor) -> tf.Tensor:
    """x itself, whose gradient counts `times` times."""
    return tf.custom_gradient(lambda x: (tf.identity(x), lambda x_bar: tf.cast(times, x.dtype) * x_bar))(x)


@tf.custom_gradient
def gram_of_columns(y: tf.Tensor) -> tuple[tf.Tensor, Gradient]:
    """Yᵀ Y for Y [M, M], used where the cotangent C̄ is symmetric: Ȳ = 2 Y C̄, one product where autodiff makes two."""
    return tf.matmul(y, y, transpose_a=True), lambda c_bar: 2.0 * tf.matmul(y, c_bar)


@tf.custom_gradient
def congruence(y: tf.Tensor, e: tf.Tensor) -> tuple[tf.Tensor, Callable[..., tuple[tf.Tensor, tf.Tensor]]]:
    """C_d = Yᵀ E_d Y for Y [M, M] and symmetric E [D, M, M], used where the cotangent C̄ is symmetric.

    With P_d = E_d Y kept, Ȳ = 2 Σ_d P_d C̄_d and Ē_d = Y C̄_d Yᵀ: three products a unit, where autodiff makes four.
    """
    p = tf.matmul(e, y)  # [D, M, M]

    def gradient(c_bar: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        y_bar = 2.0 * tf.reduce_sum(tf.matmul(p, c_bar), axis=0)
        return y_bar, tf.matmul(tf.matmul(y, c_bar), y, transpose_b=True)

    return tf.matmul(y, p, transpose_a=True), gradient


@tf.custom_gradient
def factored_congruence(y: tf.Tensor, r: tf.Tensor) -> tuple[tf.Tensor, Callable[..., tuple[tf.Tensor, tf.Tensor]]]:
    """C_d = Yᵀ (R_d R_dᵀ - I) Y for Y [M, M] and lower-triangular R [D, M, M], where the cotangent C̄ is symmetric.

    With B_d = R_dᵀ Y, C_d = B_dᵀ B_d - Yᵀ Y. Gradient: with B̄_d = 2 B_d C̄_d, R̄_d = Y B̄_dᵀ, its lower triangle, and
    Ȳ = Σ_d R_d B̄_d - 2 Y Σ_d C̄_d. Five products a unit, where R Rᵀ and `congruence` make seven.
    """
    b = tf.matmul(r, y[None], transpose_a=True)  # [D, M, M]
    c = tf.matmul(b, b, transpose_a=True) - tf.matmul(y, y, transpose_a=True)

    def gradient(c_bar: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        b_bar = 2.0 * tf.matmul(b, c_bar)
        y_bar = tf.reduce_sum(tf.matmul(r, b_bar), axis=0) - 2.0 * tf.matmul(y, tf.reduce_sum(c_bar, axis=0))
        return y_bar, tf.linalg.band_part(tf.matmul(y[None], b_bar, transpose_b=True), -1, 0)

    return c, gradient


@tf.custom_gradient
def linear_forms(a: tf.Tensor, m: tf.Tensor) -> tuple[tf.Tensor, Callable[..., tuple[tf.Tensor, tf.Tensor]]]:
    """A mᵀ [n, D] for a [n, M] and m [D, M]; for D = 1 the gradient of A, an outer product, is no matrix product."""

    def gradient(v_bar: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        a_bar = v_bar * m if m.shape[0] == 1 else tf.matmul(v_bar, m)
        return a_bar, tf.matmul(v_bar, a, transpose_a=True)

    return tf.matmul(a, m, transpose_b=True), gradient


@tf.custom_gradient
def squared_rows(a: tf.Tensor) -> tuple[tf.Tensor, Gradient]:
    """|a_n|² of the rows of a [n, M]: [n, 1]."""
    return tf.reduce_sum(a * a, axis=1, keepdims=True), lambda v_bar: (2.0 * v_bar) * a


@tf.custom_gradient
def factored_forms(a: tf.Tensor, r: tf.Tensor) -> tuple[tf.Tensor, Callable[..., tuple[tf.Tensor, tf.Tensor]]]:
    """v[n, d] = a_nᵀ R_d R_dᵀ a_n for a [n, M] and lower-triangular R [D, M, M], without R_d R_dᵀ.

    With B_d = A R_d, v_d = |B_d|² by rows. Gradient, with W_d = 2 v̄_d ∘ B_d:  R̄_d = Aᵀ W_d, its lower triangle, and
    Ā = Σ_d W_d R_dᵀ. Three products of n rows; through Σ they are 1¾, and two more of M rows. With the R_d side by
    side, [M, D·M], each is one wide product, and the sum over d is inside the last.
    """
    n, (d, m, _) = tf.shape(a)[0], r.shape
    wide = tf.reshape(tf.transpose(r, [1, 0, 2]), [m, d * m])
    b = tf.reshape(tf.matmul(a, wide), [n, d, m])

    def gradient(v_bar: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        w = tf.reshape((2.0 * v_bar)[:, :, None] * b, [n, d * m])
        r_bar = tf.transpose(tf.reshape(tf.matmul(a, w, transpose_a=True), [m, d, m]), [1, 0, 2])
        return tf.matmul(w, wide, transpose_b=True), tf.linalg.band_part(r_bar, -1, 0)

    return tf.reduce_sum(b * b, axis=2), gradient


def quadratic_forms(a: tf.Tensor, b: tf.Tensor) -> tf.Tensor:
    """v[n, d] = a_nᵀ B_d a_n for a [n, M] and symmetric B [D, M, M]: [n, D]."""
    return _quadratic_form(a, b[0]) if b.shape[0] == 1 else _quadratic_forms(a, b)


@tf.custom_gradient
def _quadratic_form(a: tf.Tensor, b: tf.Tensor) -> tuple[tf.Tensor, Callable[..., tuple[tf.Tensor, tf.Tensor]]]:
    """One unit: with T = A B, v is the row sum of T ∘ A, Ā = 2 v̄ ∘ T and B̄ = (v̄ ∘ A)ᵀ A."""
    t = tf.matmul(a, b)  # [n, M]

    def gradient(v_bar: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return (2.0 * v_bar) * t, tf.matmul(v_bar * a, a, transpose_a=True)

    return tf.reduce_sum(t * a, axis=1, keepdims=True), gradient


@tf.custom_gradient
def _quadratic_forms(a: tf.Tensor, b: tf.Tensor) -> tuple[tf.Tensor, Callable[..., tuple[tf.Tensor, tf.Tensor]]]:
    """Several units. With T_d = A B_d, all in one product, v_d is the row sum of T_d ∘ A. Gradient, for v̄ [n, D]:
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

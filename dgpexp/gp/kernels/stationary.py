"""k(x, z) = σ² g(r²), r² = Σ_q (x_q - z_q)² / ℓ_q²: stationary kernels, ℓ_q of every dimension (ARD) or one ℓ.

The squared exponential is the only kernel of the thesis. Matérn kernels have no closed-form moments: AEP refuses them.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf

from dgpexp.gp.kernels.features import cos_and_sin

# √r² has an infinite slope at 0, where a point meets an inducing input; below this r² a Matérn is flat to 1e-18.
_TINY = 1e-36


class Stationary(tf.Module):
    """A kernel that depends on the scaled distance alone. Parameters are kept as logarithms: positive at any step."""

    def __init__(
        self, variance: float, lengthscales: Sequence[float] | np.ndarray, learn_variance: bool = True
    ) -> None:
        super().__init__()
        self.log_variance = tf.Variable(
            np.log(variance), dtype=tf.float64, trainable=learn_variance, name="log_variance"
        )
        self.log_lengthscales = tf.Variable(
            np.log(np.asarray(lengthscales, dtype=np.float64)), dtype=tf.float64, name="log_lengthscales"
        )

    @property
    def variance(self) -> tf.Tensor:
        return tf.exp(self.log_variance)

    @property
    def lengthscales(self) -> tf.Tensor:  # [Q], or [1]: the same in every dimension
        return tf.exp(self.log_lengthscales)

    def __call__(self, x: tf.Tensor, z: tf.Tensor, dtype: tf.DType = tf.float64) -> tf.Tensor:
        """k(x_n, z_m) for x [n, Q], z [m, Q]: [n, m], in `dtype`; distances are always taken in float64."""
        rates = tf.exp(-self.log_lengthscales)
        minus_half_r2 = shifted_distance(tf.float64)(x, z, rates, tf.zeros([], tf.float64))
        return tf.cast(self.of_squared_distance(-2.0 * minus_half_r2), dtype)

    def of_squared_distance(self, r2: tf.Tensor) -> tf.Tensor:
        """σ² g(r²), elementwise."""
        raise NotImplementedError


class RBF(Stationary):
    """k(x, z) = σ² exp(-½ Σ_q (x_q - z_q)² / ℓ_q²)."""

    features_per_frequency = 2

    def __call__(self, x: tf.Tensor, z: tf.Tensor, dtype: tf.DType = tf.float64) -> tf.Tensor:
        """σ² exp(-½ r²): [n, m]. The exponent d is rounded to `dtype`: an error of |d| eᵈ ≤ 0.4 roundings of 1."""
        rates = tf.exp(-self.log_lengthscales)
        return tf.exp(shifted_distance(dtype)(x, z, rates, tf.convert_to_tensor(self.log_variance)))

    def of_squared_distance(self, r2: tf.Tensor) -> tf.Tensor:
        return tf.exp(self.log_variance - 0.5 * r2)

    @staticmethod
    def random_features(waves: tf.Tensor, scale: tf.Tensor) -> tf.Tensor:
        """Φ = scale · [cos h Ω, sin h Ω], Ω of the density that Bochner's theorem gives: [S, n, 2R]."""
        return tf.cast(scale, waves.dtype) * cos_and_sin(waves)


class Matern32(Stationary):
    """k = σ² (1 + √3 r) exp(-√3 r)."""

    def of_squared_distance(self, r2: tf.Tensor) -> tf.Tensor:
        r = tf.sqrt(3.0 * tf.maximum(r2, _TINY))
        return self.variance * (1.0 + r) * tf.exp(-r)


class Matern52(Stationary):
    """k = σ² (1 + √5 r + 5 r² / 3) exp(-√5 r)."""

    def of_squared_distance(self, r2: tf.Tensor) -> tf.Tensor:
        r = tf.sqrt(5.0 * tf.maximum(r2, _TINY))
        return self.variance * (1.0 + r + tf.square(r) / 3.0) * tf.exp(-r)


def shifted_distance(dtype: tf.DType) -> Callable[..., tf.Tensor]:
    """A function of x [n, Q], z [m, Q], rates [Q] and a number `shift`: shift - ½ Σ_q (x_q - z_q)² rates_q²: [n, m].

    One matrix product, [shift - ½|x|², x, 1] · [1, z, -½|z|²] of the scaled rows: no pass over [n, m] but the product
    itself. They are centred first: distances are unchanged, rounding is smaller. Gradient, for the cotangent E and
    with scaled rows: x̄ = E z - (E 1) ∘ x, z̄ = Eᵀ x - (Eᵀ 1) ∘ z, all of it by one product each, and the sum of E for
    the shift is among them; rates̄ = (Σ_n x̄ ∘ x + Σ_m z̄ ∘ z) / rates, in which the centre cancels.
    Of a rate [1] for all dimensions it is the sum of these.

    All is float64 but the result, rounded to `dtype`, and the two products of the gradient, done in it.
    """

    @tf.custom_gradient
    def of(x: tf.Tensor, z: tf.Tensor, rates: tf.Tensor, shift: tf.Tensor) -> tuple[tf.Tensor, Any]:
        scaled_x, scaled_z = x * rates, z * rates
        centre = tf.reduce_mean(scaled_z, axis=0)
        scaled_x, scaled_z = scaled_x - centre, scaled_z - centre
        half_x = -0.5 * tf.reduce_sum(scaled_x * scaled_x, axis=1, keepdims=True)  # [n, 1]
        half_z = -0.5 * tf.reduce_sum(scaled_z * scaled_z, axis=1, keepdims=True)  # [m, 1]
        left = tf.concat([shift + half_x, scaled_x, tf.ones_like(half_x)], axis=1)  # [n, Q + 2]
        right = tf.concat([tf.ones_like(half_z), scaled_z, half_z], axis=1)  # [m, Q + 2]

        def gradient(e: tf.Tensor) -> Any:
            by_z, by_x = tf.matmul(e, tf.cast(right, dtype)), tf.matmul(e, tf.cast(left, dtype), transpose_a=True)
            by_z, by_x = tf.cast(by_z, tf.float64), tf.cast(by_x, tf.float64)  # [n, Q + 2], [m, Q + 2]
            of_rows = by_z[:, :1]  # E 1
            x_bar = by_z[:, 1:-1] - of_rows * scaled_x
            z_bar = by_x[:, 1:-1] - by_x[:, -1:] * scaled_z
            rates_bar = (tf.reduce_sum(x_bar * scaled_x, axis=0) + tf.reduce_sum(z_bar * scaled_z, axis=0)) / rates
            if rates.shape[0] == 1:
                rates_bar = tf.reduce_sum(rates_bar, keepdims=True)
            return x_bar * rates, z_bar * rates, rates_bar, tf.reduce_sum(of_rows)

        return tf.cast(tf.matmul(left, right, transpose_b=True), dtype), gradient

    return of

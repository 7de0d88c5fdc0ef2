"""k(x, z) = σ² g(r²), r² = Σ_q (x_q - z_q)² / ℓ_q²: a stationary kernel with one lengthscale a dimension (ARD)."""

from collections.abc import Sequence

import numpy as np
import tensorflow as tf


class Stationary(tf.Module):
    """A kernel that depends on the scaled distance alone. Parameters are kept as logarithms: positive at any step."""

    # Whether E[k(h, z)] and E[k(h, z) k(h, z')] are known in closed form for Gaussian h (gp/moments.py): AEP needs it.
    has_moments = False

    def __init__(self, variance: float, lengthscales: Sequence[float] | np.ndarray) -> None:
        super().__init__()
        self.log_variance = tf.Variable(np.log(variance), dtype=tf.float64, name="log_variance")
        self.log_lengthscales = tf.Variable(
            np.log(np.asarray(lengthscales, dtype=np.float64)), dtype=tf.float64, name="log_lengthscales"
        )

    @property
    def variance(self) -> tf.Tensor:
        return tf.exp(self.log_variance)

    @property
    def lengthscales(self) -> tf.Tensor:  # [Q]
        return tf.exp(self.log_lengthscales)

    def diag(self, x: tf.Tensor) -> tf.Tensor:
        """k(x_n, x_n) for every row of x [n, Q]: [n]."""
        return tf.fill(tf.shape(x)[:1], self.variance)

    def __call__(self, x: tf.Tensor, z: tf.Tensor) -> tf.Tensor:
        """k(x_n, z_m) for x [n, Q], z [m, Q]: [n, m]."""
        return self.of_squared_distance(-2.0 * self.minus_half_squared_distance(x, z))

    def minus_half_squared_distance(self, x: tf.Tensor, z: tf.Tensor) -> tf.Tensor:
        """-½ r² as one matrix product, [x, -½|x|², 1] · [z, 1, -½|z|²]: no pass over [n, m] but the product itself."""
        x, z = x / self.lengthscales, z / self.lengthscales
        centre = tf.stop_gradient(tf.reduce_mean(z, axis=0))  # distances are unchanged, rounding is smaller
        x, z = x - centre, z - centre
        half_x = -0.5 * tf.reduce_sum(tf.square(x), axis=1, keepdims=True)  # [n, 1]
        half_z = -0.5 * tf.reduce_sum(tf.square(z), axis=1, keepdims=True)  # [m, 1]
        left = tf.concat([x, half_x, tf.ones_like(half_x)], axis=1)  # [n, Q + 2]
        right = tf.concat([z, tf.ones_like(half_z), half_z], axis=1)  # [m, Q + 2]
        return tf.matmul(left, right, transpose_b=True)  # [n, m]

    def of_squared_distance(self, r2: tf.Tensor) -> tf.Tensor:
        """σ² g(r²), elementwise."""
        raise NotImplementedError

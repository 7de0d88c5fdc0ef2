"""The squared-exponential kernel, the thesis's only one: k = σ² exp(-½ r²)."""

import tensorflow as tf

from dgpexp.gp.kernels.stationary import Stationary, shifted_distance


class RBF(Stationary):
    """k(x, z) = σ² exp(-½ Σ_q (x_q - z_q)² / ℓ_q²)."""

    has_moments = True

    def __call__(self, x: tf.Tensor, z: tf.Tensor, dtype: tf.DType = tf.float64) -> tf.Tensor:
        """σ² exp(-½ r²): [n, m]. The exponent d is rounded to `dtype`: an error of |d| eᵈ ≤ 0.4 roundings of 1."""
        rates = tf.exp(-self.log_lengthscales)
        return tf.exp(shifted_distance(dtype)(x, z, rates, tf.convert_to_tensor(self.log_variance)))

    def of_squared_distance(self, r2: tf.Tensor) -> tf.Tensor:
        return tf.exp(self.log_variance - 0.5 * r2)

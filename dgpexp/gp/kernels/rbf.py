"""The squared-exponential kernel, the thesis's only one: k = σ² exp(-½ r²)."""

import tensorflow as tf

from dgpexp.gp.kernels.features import cos_and_sin
from dgpexp.gp.kernels.stationary import Stationary, shifted_distance


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

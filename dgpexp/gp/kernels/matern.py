"""Matérn kernels: proof that a kernel is an interface. They have no closed-form moments, so AEP refuses them."""

import tensorflow as tf

from dgpexp.gp.kernels.stationary import Stationary

# √r² has an infinite slope at 0, where a point meets an inducing input; below this r² the kernel is flat to 1e-18.
_TINY = 1e-36


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

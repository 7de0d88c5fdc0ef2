"""Random features of a kernel: functions of waves h Ω whose products are the kernel's values on average."""

from typing import Any, ClassVar, Protocol

import tensorflow as tf


class Features(Protocol):
    """What a deep GP of random features (gp/features.py) asks of a kernel."""

    features_per_frequency: ClassVar[int]

    @staticmethod
    def random_features(waves: tf.Tensor, scale: tf.Tensor) -> tf.Tensor:
        """Φ for waves h Ω [S, n, R], where scale = σ / √R: [S, n, R times features_per_frequency]."""


class ArcCosine:
    """The arc-cosine kernel of order 1, known by its features: Φ = √2 scale · max(h Ω, 0)."""

    features_per_frequency = 1

    @staticmethod
    def random_features(waves: tf.Tensor, scale: tf.Tensor) -> tf.Tensor:
        return tf.cast(2.0**0.5 * scale, waves.dtype) * tf.nn.relu(waves)


@tf.custom_gradient
def cos_and_sin(x: tf.Tensor) -> tuple[tf.Tensor, Any]:
    """[cos x, sin x] side by side: [S, n, 2R] of x [S, n, R]. Each is the other's gradient, so neither is taken twice.

    In float64 both come of t = tan(x/2), right to the last bit or two: one slow function in the place of two. In
    float32 TensorFlow takes many sines at once, and two of them are cheaper.
    """
    if x.dtype == tf.float64:
        t = tf.tan(0.5 * x)
        share = 1.0 / (1.0 + t * t)
        cos, sin = (1.0 - t * t) * share, 2.0 * t * share
    else:
        cos, sin = tf.cos(x), tf.sin(x)

    def gradient(bar: tf.Tensor) -> Any:
        of_cos, of_sin = tf.split(bar, 2, axis=2)
        return of_sin * cos - of_cos * sin

    return tf.concat([cos, sin], axis=2), gradient

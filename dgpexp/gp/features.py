"""A deep GP whose layers are linear in random features of the kernel: no inducing points, no factorisation.

A stationary kernel is the expected product of waves whose frequencies have its spectral density (Bochner); for the RBF
kernel Ω_qj ~ N(0, ℓ_q⁻²) and, with R frequencies,

    Φ(h) = √(σ²/R) [cos(h Ω), sin(h Ω)]  [2R],        E[Φ(h) Φ(h')ᵀ] = σ² exp(-½ Σ_q (h_q - h'_q)² / ℓ_q²).

Rectified features, Φ(h) = √(2σ²/R) max(h Ω, 0) [R], give the arc-cosine kernel of order 1. A layer is
f(h) = Φ(h) W + h A with weights W ~ N(0, 1) a priori, which makes f a GP with that kernel as R grows, and the mean
function h A of the other deep GPs. The posterior q(W) is N(μ, s) for each weight. So is q(Ω) for each frequency; it is
sampled by the same z ~ N(0, 1) at every step, so that the objective is smooth.

Parameters and divergences are in float64; `dtype` is that of the work on rows, of which h Ω, its waves and the products
with W are nearly all. In float32 (`precision=mixed`) a wave is wrong by about 1e-7 |h Ω|, little beside R^-½.
"""

import numpy as np
import tensorflow as tf

from dgpexp.gp.kernels import Features
from dgpexp.gp.shapes import shapes


class FeatureLayer(tf.Module):
    """`units` functions of `inputs` dimensions, linear in R random features; q(W) starts at its prior."""

    def __init__(
        self,
        inputs: int,
        units: int,
        features: int,
        kernel: type[Features],
        ard: bool,  # a lengthscale for every input, or one for all
        variance: float,
        learn_variance: bool,
        weights: np.ndarray | None,  # A [Q, D] of the mean function, or none
        rng: np.random.Generator,
        dtype: tf.DType = tf.float64,
    ) -> None:
        super().__init__()
        self.kernel, self.dtype = kernel, dtype
        self.log_variance = tf.Variable(
            np.log(variance), dtype=tf.float64, trainable=learn_variance, name="log_variance"
        )
        start = np.full(inputs if ard else 1, 0.5 * np.log(inputs))  # √Q
        self.log_lengthscales = tf.Variable(start, name="log_lengthscales")
        count = kernel.features_per_frequency * features
        self.mean = tf.Variable(np.zeros((count, units)), name="mean")
        self.log_deviation = tf.Variable(np.zeros((count, units)), name="log_deviation")
        self.draw = tf.Variable(rng.normal(size=(inputs, features)), trainable=False, name="draw")  # z
        self.linear = None if weights is None else tf.Variable(weights, trainable=False, name="linear")
        self.frequency_mean = tf.Variable(np.zeros((inputs, features)), name="frequency_mean")  # q(Ω) = its prior
        start = np.full((inputs, features), -0.5 * np.log(inputs))
        self.frequency_log_deviation = tf.Variable(start, name="frequency_log_deviation")

    def divergence(self) -> tf.Tensor:
        """KL(q(W) || N(0, 1)) + KL(q(Ω) || N(0, ℓ⁻²)): a scalar."""
        of_weights = _divergence(self.mean, self.log_deviation, tf.constant(0.0, tf.float64))
        prior = -self.log_lengthscales[:, None]  # log of the prior deviation 1/ℓ
        return of_weights + _divergence(self.frequency_mean, self.frequency_log_deviation, prior)

    @shapes(h="S n Q", returns="S n K")
    def features(self, h: tf.Tensor) -> tf.Tensor:
        """Φ(h), K of them at each row: [S, n, K]."""
        frequencies = self.frequency_mean + tf.exp(self.frequency_log_deviation) * self.draw  # Ω [Q, R]
        waves = tf.matmul(h, tf.cast(frequencies, self.dtype)[None])  # [S, n, R]
        scale = tf.exp(0.5 * self.log_variance) / np.sqrt(self.draw.shape[1])
        return self.kernel.random_features(waves, scale)

    @shapes(h="S n Q", returns="P n D")
    def sample(self, h: tf.Tensor, samples: int, seed: tf.Tensor) -> tf.Tensor:
        """One function for each of P = `samples` paths, W ~ q drawn once for all its rows, S = 1 or P: [P, n, D]."""
        noise = tf.random.stateless_normal([samples, *self.mean.shape], seed, dtype=self.dtype)
        drawn = tf.cast(self.mean, self.dtype) + tf.cast(tf.exp(self.log_deviation), self.dtype) * noise  # W [P, K, D]
        return tf.matmul(self.features(h), drawn) + self._linear(h)

    @shapes(h="S n Q", returns=("S n D", "S n D"))
    def marginals(self, h: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Mean and variance of every row over W, which is Gaussian given h: two arrays [S, n, D]."""
        phi = self.features(h)
        mean = tf.matmul(phi, tf.cast(self.mean, self.dtype)[None]) + self._linear(h)
        return mean, tf.matmul(tf.square(phi), tf.cast(tf.exp(2.0 * self.log_deviation), self.dtype)[None])

    def _linear(self, h: tf.Tensor) -> tf.Tensor:
        return tf.zeros([], self.dtype) if self.linear is None else tf.matmul(h, tf.cast(self.linear, self.dtype)[None])


def _divergence(mean: tf.Tensor, log_deviation: tf.Tensor, prior_log_deviation: tf.Tensor) -> tf.Tensor:
    """Σ KL(N(m, s²) || N(0, p²)) = Σ log p/s + (s² + m²) / 2p² - ½ of independent Gaussians."""
    ratio = log_deviation - prior_log_deviation
    scaled = tf.square(mean) * tf.exp(-2.0 * prior_log_deviation)
    return tf.reduce_sum(0.5 * (tf.exp(2.0 * ratio) + scaled - 1.0) - ratio)

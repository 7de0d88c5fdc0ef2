"""A deep GP whose layers are linear in random features of the kernel: no inducing points, no factorisation.

A stationary kernel is the expected product of waves whose frequencies have its spectral density (Bochner); for the RBF
kernel Ω_qj ~ N(0, ℓ_q⁻²) and, with R frequencies,

    Φ(h) = √(σ²/R) [cos(h Ω), sin(h Ω)]  [2R],        E[Φ(h) Φ(h')ᵀ] = σ² exp(-½ Σ_q (h_q - h'_q)² / ℓ_q²).

Rectified features, Φ(h) = √(2σ²/R) max(h Ω, 0) [R], give the arc-cosine kernel of order 1. A layer is
f(h) = Φ(h) W + h A with weights W ~ N(0, 1) a priori, which makes f a GP with that kernel as R grows, and the mean
function h A of the other deep GPs. The posterior q(W) is N(μ, s) for each weight. The frequencies are of three kinds:

    fixed         Ω = z / ℓ, z ~ N(0, 1) drawn once: only ℓ is learned
    variational   q(Ω) = N(μ, s) for each, sampled by the same z at every step, so that the objective is smooth
    resampled     the same q(Ω), sampled anew at every step and path

Parameters and divergences are in float64; `dtype` is that of the work on rows, of which h Ω, its waves and the products
with W are nearly all. In float32 (`precision=mixed`) a wave is wrong by about 1e-7 |h Ω|, little beside R^-½.
"""

import numpy as np
import tensorflow as tf


class FeatureLayer(tf.Module):
    """`units` functions of `inputs` dimensions, linear in R random features; q(W) starts at its prior."""

    def __init__(
        self,
        inputs: int,
        units: int,
        features: int,
        kernel: str,  # rbf or arccosine
        ard: bool,  # a lengthscale for every input, or one for all
        frequencies: str,  # fixed, variational or resampled
        variance: float,
        learn_variance: bool,
        weights: np.ndarray | None,  # A [Q, D] of the mean function, or none
        rng: np.random.Generator,
        dtype: tf.DType = tf.float64,
    ) -> None:
        super().__init__()
        self.kernel, self.frequencies, self.dtype = kernel, frequencies, dtype
        self.log_variance = tf.Variable(
            np.log(variance), dtype=tf.float64, trainable=learn_variance, name="log_variance"
        )
        start = np.full(inputs if ard else 1, 0.5 * np.log(inputs))  # √Q
        self.log_lengthscales = tf.Variable(start, name="log_lengthscales")
        count = 2 * features if kernel == "rbf" else features
        self.mean = tf.Variable(np.zeros((count, units)), name="mean")
        self.log_deviation = tf.Variable(np.zeros((count, units)), name="log_deviation")
        self.draw = tf.Variable(rng.normal(size=(inputs, features)), trainable=False, name="draw")  # z
        self.linear = None if weights is None else tf.Variable(weights, trainable=False, name="linear")
        if frequencies != "fixed":  # q(Ω) starts at its prior
            self.frequency_mean = tf.Variable(np.zeros((inputs, features)), name="frequency_mean")
            start = np.full((inputs, features), -0.5 * np.log(inputs))
            self.frequency_log_deviation = tf.Variable(start, name="frequency_log_deviation")

    def divergence(self) -> tf.Tensor:
        """KL(q(W) || N(0, 1)) + KL(q(Ω) || N(0, ℓ⁻²)): a scalar."""
        total = _divergence(self.mean, self.log_deviation, tf.constant(0.0, tf.float64))
        if self.frequencies != "fixed":
            prior = -self.log_lengthscales[:, None]  # log of the prior deviation 1/ℓ
            total += _divergence(self.frequency_mean, self.frequency_log_deviation, prior)
        return total

    def features(self, h: tf.Tensor, frequencies: tf.Tensor) -> tf.Tensor:
        """Φ(h) for h [S, n, Q] and Ω [S or 1, Q, R]: [S, n, 2R], rectified [S, n, R]."""
        waves = tf.matmul(h, frequencies)  # [S, n, R]
        scale = tf.exp(0.5 * self.log_variance) / np.sqrt(self.draw.shape[1])
        if self.kernel == "rbf":
            return tf.cast(scale, self.dtype) * _cos_and_sin(waves)
        return tf.cast(np.sqrt(2.0) * scale, self.dtype) * tf.nn.relu(waves)

    def sample_frequencies(self, samples: int, seed: tf.Tensor) -> tf.Tensor:
        """Ω as q has it: [S, Q, R], or [1, Q, R] where every path has the same."""
        if self.frequencies == "fixed":
            return tf.cast(self.draw * tf.exp(-self.log_lengthscales)[:, None], self.dtype)[None]
        z = self.draw[None]
        if self.frequencies == "resampled":
            z = tf.random.stateless_normal([samples, *self.draw.shape], seed, dtype=tf.float64)
        return tf.cast(self.frequency_mean + tf.exp(self.frequency_log_deviation) * z, self.dtype)

    def sample(self, h: tf.Tensor, frequencies: tf.Tensor, samples: int, seed: tf.Tensor) -> tf.Tensor:
        """One function a path, W ~ q drawn once for all its rows, at h [S or 1, n, Q]: [S, n, D]."""
        noise = tf.random.stateless_normal([samples, *self.mean.shape], seed, dtype=self.dtype)
        drawn = tf.cast(self.mean, self.dtype) + tf.cast(tf.exp(self.log_deviation), self.dtype) * noise  # W [S, 2R, D]
        return tf.matmul(self.features(h, frequencies), drawn) + self._linear(h)

    def marginals(self, h: tf.Tensor, frequencies: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Mean and variance of every row over W, which is Gaussian given h [S, n, Q]: two arrays [S, n, D]."""
        phi = self.features(h, frequencies)
        mean = tf.matmul(phi, tf.cast(self.mean, self.dtype)[None]) + self._linear(h)
        return mean, tf.matmul(tf.square(phi), tf.cast(tf.exp(2.0 * self.log_deviation), self.dtype)[None])

    def _linear(self, h: tf.Tensor) -> tf.Tensor:
        return tf.zeros([], self.dtype) if self.linear is None else tf.matmul(h, tf.cast(self.linear, self.dtype)[None])


@tf.custom_gradient
def _cos_and_sin(x):
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

    def gradient(bar):
        of_cos, of_sin = tf.split(bar, 2, axis=2)
        return of_sin * cos - of_cos * sin

    return tf.concat([cos, sin], axis=2), gradient


def _divergence(mean: tf.Tensor, log_deviation: tf.Tensor, prior_log_deviation: tf.Tensor) -> tf.Tensor:
    """Σ KL(N(m, s²) || N(0, p²)) = Σ log p/s + (s² + m²) / 2p² - ½ of independent Gaussians."""
    ratio = log_deviation - prior_log_deviation
    scaled = tf.square(mean) * tf.exp(-2.0 * prior_log_deviation)
    return tf.reduce_sum(0.5 * (tf.exp(2.0 * ratio) + scaled - 1.0) - ratio)

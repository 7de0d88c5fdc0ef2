"""One layer: D sparse GPs that share a kernel and, unless asked otherwise, their inducing inputs.

The inducing values are whitened, v = L⁻¹ u with Kuu = L Lᵀ, so that their prior is N(0, I) whatever the kernel. Given
N(m_d, Σ_d) over the values of unit d, the layer's marginals at inputs H, with A = k(H, Z) L⁻ᵀ, are

    mean[n, d] = (H W)[n, d] + A_n m_d
    var [n, d] = k(h, h) + A_n (Σ_d - I) A_nᵀ + the layer's noise variance

What N(m, Σ) stands for, posterior or cavity, is the business of the inference method.
"""

from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from dgpexp.gp import moments
from dgpexp.gp.kernels import Stationary
from dgpexp.gp.linalg import diagonals, gram, inverse_cholesky, quadratic_forms


@dataclass(frozen=True)
class InducingValues:
    """A Gaussian over whitened inducing values: unit d has N(mean[d], covariance[d])."""

    mean: tf.Tensor  # [D, M]
    covariance: tf.Tensor  # [D, M, M]
    log_determinants: tf.Tensor | None = None  # log |Σ_d| [D], where the parameters give it


class SparseLayer(tf.Module):
    """What every layer has, whatever the parameters of its inducing values are: kernel, Z, mean function and noise.

    `noise` is None in the last layer, whose noise is the likelihood's.
    """

    def __init__(
        self,
        kernel: Stationary,
        inducing_inputs: np.ndarray,  # [G, M, Q], G = 1 (shared) or D (one set a unit)
        units: int,
        weights: np.ndarray | None,  # W [Q, D] of the mean function, or none
        noise: float | None,
    ) -> None:
        super().__init__()
        self.kernel = kernel
        self.units = units
        self.inducing_inputs = tf.Variable(inducing_inputs, dtype=tf.float64, name="inducing_inputs")
        self.log_noise = None if noise is None else tf.Variable(np.log(noise), dtype=tf.float64, name="log_noise")
        self.weights = (
            None if weights is None else tf.Variable(weights, dtype=tf.float64, trainable=False, name="weights")
        )

    def values_given(self, whitening: "Whitening") -> InducingValues:
        """N(m, Σ) over the whitened inducing values, as the parameters have it."""
        raise NotImplementedError

    def whitening(self, jitter: tf.Tensor) -> "Whitening":
        z = self.inducing_inputs
        kuu = tf.stack([self.kernel(z[g], z[g]) for g in range(z.shape[0])])  # [G, M, M]
        kuu += jitter * tf.eye(z.shape[1], dtype=tf.float64)
        return Whitening(kuu, inverse_cholesky(kuu))

    def given(self, values: InducingValues, jitter: tf.Tensor, dtype: tf.DType = tf.float64) -> "Conditional":
        """The layer conditioned on `values`: all M x M work is done here, once, in float64."""
        return self.conditional(self.whitening(jitter), values, dtype)

    def conditional(self, whitening: "Whitening", values: InducingValues, dtype: tf.DType) -> "Conditional":
        excess = values.covariance - tf.eye(values.covariance.shape[-1], dtype=tf.float64)
        return Conditional(self, whitening.inverse_factor, values, excess, dtype)


class Layer(SparseLayer):
    """A layer whose parameters are the moments m_d and R_d, Σ_d = R_d R_dᵀ, of the whitened inducing values."""

    def __init__(
        self,
        kernel: Stationary,
        inducing_inputs: np.ndarray,  # [G, M, Q]
        units: int,
        covariance: float,
        weights: np.ndarray | None,
        noise: float | None,
    ) -> None:
        super().__init__(kernel, inducing_inputs, units, weights, noise)
        m = inducing_inputs.shape[1]
        self.mean = tf.Variable(np.zeros((units, m)), dtype=tf.float64, name="mean")
        # R_d, lower-triangular: it begins so, and its gradient is (gp/linalg.py: gram)
        self.factor = tf.Variable(np.tile(np.sqrt(covariance) * np.eye(m), (units, 1, 1)), name="factor")

    @property
    def inducing_values(self) -> InducingValues:
        """N(m, R Rᵀ); log |Σ_d| comes from the diagonal of R_d."""
        factor = tf.convert_to_tensor(self.factor)
        log_determinants = tf.reduce_sum(tf.math.log(tf.square(diagonals(factor))), axis=1)
        return InducingValues(self.mean, gram(factor), log_determinants)

    def values_given(self, whitening: "Whitening") -> InducingValues:
        return self.inducing_values


@dataclass(frozen=True)
class Whitening:
    """Kuu = L Lᵀ, jitter included, and L⁻¹, which turns inducing values u into v = L⁻¹ u."""

    kuu: tf.Tensor  # [G, M, M]
    inverse_factor: tf.Tensor  # L⁻¹ [G, M, M]

    @property
    def factor(self) -> tf.Tensor:
        """L = Kuu L⁻ᵀ: a product, where the gradient of a factorisation costs many: [G, M, M]."""
        return tf.matmul(self.kuu, self.inverse_factor, transpose_b=True)


@dataclass(frozen=True)
class Conditional:
    """A layer ready to be evaluated at any number of inputs; `dtype` is that of the work on them."""

    layer: SparseLayer
    inverse_factor: tf.Tensor  # L⁻¹ [G, M, M]
    values: InducingValues
    excess: tf.Tensor  # Σ - I [D, M, M]
    dtype: tf.DType

    def marginals(self, h: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Mean and variance of every unit at inputs h [n, Q]: two arrays [n, D], noise and mean function included."""
        layer, parts = self.layer, []
        for g, units in self._groups():
            k = tf.cast(layer.kernel(tf.cast(h, tf.float64), layer.inducing_inputs[g]), self.dtype)  # [n, M]
            a = tf.matmul(k, tf.cast(self.inverse_factor[g], self.dtype), transpose_b=True)  # [n, M]
            mean = tf.matmul(a, tf.cast(self.values.mean[units], self.dtype), transpose_b=True)  # [n, D]
            parts.append((mean, quadratic_forms(a, tf.cast(self.excess[units], self.dtype))))
        mean, extra = (tf.concat(p, axis=1) for p in zip(*parts, strict=True))
        # k(h, h) ≥ |A|² exactly; rounding, in float32 above all, must not make a variance negative.
        variance = tf.maximum(tf.cast(layer.kernel.variance, self.dtype) + extra, _FLOOR[self.dtype])
        if layer.weights is not None:
            mean += tf.matmul(h, tf.cast(layer.weights, self.dtype))
        return mean, self._with_noise(variance)

    def marginals_of_gaussian(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The same for Gaussian inputs h_n ~ N(mean[n], diag variance[n]) (4.2.21-26): exact moments, closed form."""
        layer, parts = self.layer, []
        for g, units in self._groups():
            weights = None if layer.weights is None else layer.weights[:, units]
            parts.append(
                moments.propagate(
                    layer.kernel,
                    layer.inducing_inputs[g],
                    self.inverse_factor[g],
                    self.values.mean[units],
                    self.excess[units],
                    weights,
                    mean,
                    variance,
                )
            )
        out_mean, out_variance = (tf.concat(p, axis=1) for p in zip(*parts, strict=True))
        return out_mean, self._with_noise(tf.maximum(out_variance, _FLOOR[tf.float64]))

    def _groups(self) -> list[tuple[int, slice]]:
        """Which units use which inducing inputs: all the only ones, or each its own."""
        groups = self.layer.inducing_inputs.shape[0]
        if groups == 1:
            return [(0, slice(0, self.layer.units))]
        return [(g, slice(g, g + 1)) for g in range(groups)]

    def _with_noise(self, variance: tf.Tensor) -> tf.Tensor:
        if self.layer.log_noise is None:
            return variance
        return variance + tf.cast(tf.exp(self.layer.log_noise), variance.dtype)


_FLOOR = {tf.float64: 1e-12, tf.float32: 1e-7}

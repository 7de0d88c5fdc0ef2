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

from dgpexp.gp.conditional import AnyConditional, Conditional, SeparateConditional
from dgpexp.gp.inducing_values import Factored, InducingValues
from dgpexp.gp.kernels import Stationary
from dgpexp.gp.linalg import inverse_cholesky


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
        kuu = tf.stack([self.kernel(points, points) for points in tf.unstack(z)])  # [G, M, M]
        kuu += jitter * tf.eye(z.shape[1], dtype=tf.float64)
        return Whitening(kuu, inverse_cholesky(kuu))

    def given(self, values: InducingValues, jitter: tf.Tensor, dtype: tf.DType = tf.float64) -> AnyConditional:
        """The layer conditioned on `values`: all M x M work is done here, once, in float64."""
        return self.conditional(self.whitening(jitter), values, dtype)

    def conditional(self, whitening: "Whitening", values: InducingValues, dtype: tf.DType) -> AnyConditional:
        """The layer conditioned on `values`, the work on M x M matrices already done."""
        z, y = tf.unstack(self.inducing_inputs), tf.unstack(whitening.inverse_factor)
        if len(z) == 1:
            return Conditional(self.kernel, z[0], y[0], values, self.weights, self.log_noise, dtype)
        parts = []
        for d in range(self.units):
            weights = None if self.weights is None else self.weights[:, d : d + 1]
            parts.append(Conditional(self.kernel, z[d], y[d], values.of_unit(d), weights, self.log_noise, dtype))
        return SeparateConditional(parts, values)


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
        """N(m, R Rᵀ)."""
        return Factored(tf.convert_to_tensor(self.mean), tf.convert_to_tensor(self.factor))

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

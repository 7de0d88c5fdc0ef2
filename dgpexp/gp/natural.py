"""A layer whose parameters are those of the tied factor itself: natural, and of the inducing values as they are.

In AEP and AEPMCM all N likelihood factors share one approximate factor. To the power N it is, for unit d,

    exp(-½ uᵀ Uᵀ U u + μᵀ u),        U upper-triangular, its diagonal kept as its logarithm,

with u = f(Z), the mean function included: its prior is N(w, Kuu), w = Z W. The cavity, prior times N - 1 factors, has

    precision  Kuu⁻¹ + c Uᵀ U,       shift  Kuu⁻¹ w + c μ,       c = (N - 1) / N;  at power α, (N - α) / N.

A layer wants it as N(m, Σ) over v = L⁻¹ (u - w), Kuu = L Lᵀ. With u = w + L v, the exponent of prior and factors is

    -½ vᵀ v - ½ c (w + L v)ᵀ Uᵀ U (w + L v) + c μᵀ (w + L v),

whose terms in v give, with B = U L,

    Σ = (I + c Bᵀ B)⁻¹,              m = c Σ Lᵀ (μ - Uᵀ U w).

Σ ≤ I whatever U is: a cavity is never wider than the prior, and I + c Bᵀ B can always be factorised. The energy and the
posterior are functions of (m, Σ) (gp/cavity.py), so the objective is that of one with moments as parameters.
What differs is the way an optimiser takes: a step in U or μ is another step in (m, Σ), and a step in Z or in the kernel
now moves (m, Σ), because the factor stays where it is in u.
"""

import numpy as np
import tensorflow as tf

from dgpexp.gp.inducing_values import Dense
from dgpexp.gp.kernels import Stationary
from dgpexp.gp.layer import Layer, SparseLayer, Whitening
from dgpexp.gp.linalg import shrunk_identity

_SMALLEST = 1e-10  # least precision of a factor, in units of the prior's: its logarithm must exist


class NaturalLayer(SparseLayer):
    """Parameters U and μ of the tied factor of N data points; at power α the cavity leaves out 1 of `factors` = N/α."""

    def __init__(
        self,
        kernel: Stationary,
        inducing_inputs: np.ndarray,  # [G, M, Q]
        units: int,
        weights: np.ndarray | None,
        noise: float | None,
        factors: float,
    ) -> None:
        super().__init__(kernel, inducing_inputs, units, weights, noise)
        m = inducing_inputs.shape[1]
        self.shift = tf.Variable(np.zeros((units, m)), dtype=tf.float64, name="shift")  # μ
        self.upper = tf.Variable(np.zeros((units, m, m)), dtype=tf.float64, name="upper")  # U, log U_ii on its diagonal
        # c: a variable, so that it is saved with the model
        self.share = tf.Variable((factors - 1) / factors, dtype=tf.float64, trainable=False, name="share")

    def values_given(self, whitening: Whitening) -> Dense:
        """The cavity, N(m, Σ) over whitened inducing values."""
        u, l = self._u(), whitening.factor  # [D, M, M], [G, M, M]  # noqa: E741
        covariance, log_determinants = shrunk_identity(tf.matmul(u, l), self.share)
        shift = self.shift - tf.linalg.matvec(u, tf.linalg.matvec(u, self._prior_mean()), transpose_a=True)  # [D, M]
        whitened = tf.linalg.matvec(l, shift, transpose_a=True)  # Lᵀ (μ - Uᵀ U w) [D, M]
        return Dense(self.share * tf.linalg.matvec(covariance, whitened), covariance, log_determinants)

    def start_at_random(self, rng: np.random.Generator) -> None:
        """U and μ ~ N(0, 1), the diagonal of U log-normal: initial values of the thesis's author."""
        self.shift.assign(rng.normal(size=self.shift.shape))
        self.upper.assign(np.triu(rng.normal(size=self.upper.shape)))

    def start_at(self, covariance: float, jitter: float) -> None:
        """The cavity N(0, covariance · I), covariance ≤ 1: Uᵀ U = (1 / covariance - 1) / c · Kuu⁻¹, μ = Uᵀ U w."""
        precision = max(1.0 / covariance - 1.0, _SMALLEST) / self.share.numpy()
        y = self.whitening(tf.constant(jitter, tf.float64)).inverse_factor  # L⁻¹ [G, M, M]
        factors = precision * tf.matmul(y, y, transpose_a=True)  # Uᵀ U [G, M, M]
        u = tf.linalg.matrix_transpose(tf.linalg.cholesky(factors))
        self.upper.assign(tf.broadcast_to(tf.linalg.set_diag(u, tf.math.log(tf.linalg.diag_part(u))), self.upper.shape))
        self.shift.assign(tf.linalg.matvec(factors, self._prior_mean()))

    def _u(self) -> tf.Tensor:
        """U: the strict upper triangle of the parameter and exp of its diagonal: [D, M, M]."""
        diagonal = tf.linalg.diag_part(self.upper)
        return tf.linalg.set_diag(tf.linalg.band_part(self.upper, 0, -1), tf.exp(diagonal))

    def _prior_mean(self) -> tf.Tensor:
        """w = Z W of every unit: [D, M]."""
        if self.weights is None:
            return tf.zeros_like(self.shift)
        at_z = tf.matmul(self.inducing_inputs, self.weights)  # [G, M, D]
        if at_z.shape[0] == 1:
            return tf.transpose(at_z[0])
        return tf.transpose(tf.linalg.diag_part(tf.transpose(at_z, [1, 0, 2])))  # unit d at its own Z


def with_moments_of(natural: NaturalLayer, jitter: float) -> Layer:
    """Make a layer with the same cavity that has moments for its parameters."""
    values = natural.values_given(natural.whitening(tf.constant(jitter, tf.float64)))
    noise = None if natural.log_noise is None else float(tf.exp(natural.log_noise))
    weights = None if natural.weights is None else natural.weights.numpy()
    layer = Layer(natural.kernel, natural.inducing_inputs.numpy(), natural.units, 1.0, weights, noise)
    layer.mean.assign(values.mean)
    layer.factor.assign(tf.linalg.cholesky(values.covariance))
    return layer

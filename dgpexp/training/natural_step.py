"""Natural gradients for the last layer of VI: steps in the natural parameters of q(v) = N(m, Σ), in the place of Adam.

In the natural parameters θ = (Λ m, -½ Λ), Λ = Σ⁻¹, of a Gaussian with expectations η = (m, Σ + m mᵀ), the natural
gradient of an objective is its ordinary gradient in η. By the chain rule, with g = ∂/∂m and G = ∂/∂Σ (symmetric),
∂/∂η = (g - 2 G m, G), so a step of length γ is

    Λ ← Λ - 2 γ G,          Λ m ← Λ m + γ (g - 2 G m).

Of the bound, fit - KL(q || N(0, I)), G = ∂fit/∂Σ + ½ (Λ - I), so Λ ← (1 - γ) Λ + γ (I - 2 ∂fit/∂Σ): an average of Λ and
of what the data ask for, positive definite as long as ∂fit/∂Σ ≤ 0, which holds for log-concave likelihoods. In a model
of one layer with a Gaussian likelihood one step with γ = 1 and all the rows arrives at the optimum.

What is at hand is R̄, the gradient in the factor of Σ = R Rᵀ, of which the lower triangle is known. That is enough: with
Φ the lower triangle whose diagonal is halved, Rᵀ R̄ = 2 Rᵀ G R on and below the diagonal, so

    G = ½ R⁻ᵀ (Φ(Rᵀ R̄) + Φ(Rᵀ R̄)ᵀ) R⁻¹.

The energy of AEPMCM is no such case: its fit is not concave in Σ, and Λ loses its definiteness.
"""

import tensorflow as tf

from dgpexp.gp.layer import Layer
from dgpexp.training.learning_rate import Schedule


class NaturalStep:
    """Ascends in m and R of one layer; `rate` is γ of a step."""

    def __init__(self, layer: Layer, rate: Schedule) -> None:
        self._layer, self._rate = layer, rate

    def ascend(
        self, variables: tuple[tf.Variable, ...], gradients: list[tf.Tensor], step: tf.Tensor
    ) -> list[tf.Tensor]:
        """One step; the gradients of all `variables` come back with 0 in the place of those that were used."""
        own = {v.ref(): g for v, g in zip(variables, gradients, strict=True)}
        mean, factor = self._layer.mean, self._layer.factor
        new_mean, new_factor = natural_step(
            tf.convert_to_tensor(mean),
            tf.convert_to_tensor(factor),
            own[mean.ref()],
            own[factor.ref()],
            self._rate(step),
        )
        mean.assign(new_mean)
        factor.assign(new_factor)
        return [tf.zeros_like(g) if v is mean or v is factor else g for v, g in zip(variables, gradients, strict=True)]


def natural_step(
    m: tf.Tensor, r: tf.Tensor, m_bar: tf.Tensor, r_bar: tf.Tensor, rate: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """m [D, M] and lower-triangular R [D, M, M] after a step of length γ along the gradients m̄ and R̄."""
    identity = tf.eye(r.shape[-1], batch_shape=r.shape[:1], dtype=r.dtype)
    y = tf.linalg.triangular_solve(r, identity)  # R⁻¹
    lower = tf.linalg.band_part(tf.matmul(r, r_bar, transpose_a=True), -1, 0)
    phi = tf.linalg.set_diag(lower, 0.5 * tf.linalg.diag_part(lower))
    g = 0.5 * tf.matmul(y, tf.matmul(phi + tf.linalg.matrix_transpose(phi), y), transpose_a=True)  # G [D, M, M]

    precision = tf.matmul(y, y, transpose_a=True)
    shift = tf.linalg.matvec(precision, m) + rate * (m_bar - 2.0 * tf.linalg.matvec(g, m))
    inverse = tf.linalg.triangular_solve(tf.linalg.cholesky(precision - 2.0 * rate * g), identity)
    covariance = tf.matmul(inverse, inverse, transpose_a=True)
    return tf.linalg.matvec(covariance, shift), tf.linalg.cholesky(covariance)

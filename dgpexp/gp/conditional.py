"""A layer conditioned on a Gaussian over its inducing values: its marginals at given and at Gaussian inputs.

How its products are done is chosen here and in inducing_values.py, and nowhere else: inputs h [n, Q] are the rows of a
minibatch, inputs h [S, n, Q] the rows of S paths, many times as many as inducing points.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import tensorflow as tf

from dgpexp.gp import moments
from dgpexp.gp.inducing_values import InducingValues
from dgpexp.gp.kernels import Stationary
from dgpexp.gp.linalg import at_least, gram_of_columns, linear_forms, quadratic_forms, squared_rows
from dgpexp.gp.shapes import shapes

_FLOOR = {tf.float64: 1e-12, tf.float32: 1e-7}
_DRAWS = 18  # functions of a layer and step, about: the fewer, the more rows share one


@dataclass(frozen=True)
class Conditional:
    """A layer ready to be evaluated at any number of inputs; `dtype` is that of the work on them."""

    kernel: Stationary
    inducing_inputs: tf.Tensor  # Z [M, Q]
    inverse_factor: tf.Tensor  # L⁻¹ [M, M], Kuu = L Lᵀ
    values: InducingValues  # of v = L⁻¹ u
    weights: tf.Tensor | None  # W [Q, D] of the mean function, or none
    log_noise: tf.Tensor | None  # none in the last layer, whose noise is the likelihood's
    dtype: tf.DType

    @property
    def units(self) -> int:
        """D."""
        return self.values.mean.shape[-2]

    @shapes(h="n Q | S n Q", returns=("n D | S n D", "n D | S n D"))
    def marginals(self, h: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Mean and variance of every unit at inputs h, [n, D] or [S, n, D] each, noise and mean function included."""
        rows, paths = _rows(h)
        a = self._projection(rows)
        return self._like(h, rows, self.values.means(a, paths), self.values.excess_forms(a, paths))

    def for_predictions(self) -> "Conditional":
        """The layer for evaluation alone: M x M work is done once, and one unit needs one product less for each row.

        With Σ - I = Q diag(λ) Qᵀ, the values v' = Qᵀ v have the prior N(0, I) too, and covariance I + diag λ. So Qᵀ L⁻¹
        serves as L⁻¹ did: with A' = k(h, Z) L⁻ᵀ Q, the mean is A' Qᵀ m, and the variance k + Σ_i λ_i a'_i².
        """
        q, values = self.values.prepared()
        y = self.inverse_factor if q is None else tf.matmul(q, self.inverse_factor, transpose_a=True)
        return replace(self, inverse_factor=y, values=values)

    @shapes(h="S n Q", returns=("S n D", "S n D"))
    def marginals_of_outputs(self, h: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The marginals of the last layer in training, without A where that costs less:

            A m = k β,    A (Σ - I) Aᵀ = k C kᵀ,    β = L⁻ᵀ m,  C = L⁻ᵀ (Σ - I) L⁻¹.

        Three products of the S n rows less, for five of M rows a unit. C has entries as large as 1 / jitter that
        cancel, so it is for float64, and for the last layer, to whose variance the likelihood adds its noise.
        """
        rows, paths = _rows(h)
        if self.dtype != tf.float64 or 2 * self.units > paths:
            return self.marginals(h)
        k, y = self._kernel_at(rows), self.inverse_factor
        mean = linear_forms(k, tf.matmul(self.values.mean, y))
        return self._like(h, rows, mean, quadratic_forms(k, self.values.excess_congruence(y)))

    @shapes(mean="n Q", variance="n Q", returns=("n D", "n D"))
    def marginals_of_gaussian(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The marginals for inputs h_n ~ N(mean[n], diag variance[n]) (4.2.21-26): exact moments, in closed form."""
        out_mean, out_variance = self._moments(mean, variance)
        return out_mean, self._with_noise(out_variance)

    @shapes(h="n Q", returns=("n D", "n D", "n D"))
    def explained(self, h: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """The mean of `marginals`, and its variance but for the noise in two parts: [n, D] each.

        A Σ Aᵀ is what the inducing values are uncertain of, k(h, h) - A Aᵀ what they do not know of f.
        """
        a = self._projection(h)
        mean = linear_forms(a, tf.cast(self.values.mean, self.dtype)) + self._mean_function(h)
        known = self.values.forms(a)
        return mean, known, self._prior_variance() - squared_rows(a) + tf.zeros_like(known)

    @shapes(mean="n Q", variance="n Q", returns=("n D", "n D", "n D"))
    def explained_of_gaussian(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """`explained` for Gaussian inputs: first at the mean kernel vector, ψ1ᵀ L⁻ᵀ Σ L⁻¹ ψ1, then the rest."""
        psi1 = moments.expected_kernel(self.kernel, self.inducing_inputs, mean, variance)  # [n, M]
        known = self.values.forms(tf.matmul(psi1, self.inverse_factor, transpose_b=True))  # [n, D]
        out_mean, out_variance = self._moments(mean, variance)
        return out_mean, known, out_variance - known

    @shapes(h="P n Q", noise="P n D", returns="P n D")
    def sample_functions(self, h: tf.Tensor, noise: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
        """Values [P, n, D] at the inputs h of P paths; each path draws some functions, for equal parts of its rows.

        f(h) = A v + √(k - |A|²) ε with v = m + R ξ and ε = `noise` (gp/function_paths.py); R has no gradient here.
        Float64 needs no A:  A v = k (L⁻ᵀ v) and |A|² = k Kuu⁻¹ kᵀ; Kuu⁻¹ is too large for float32.
        """
        paths, inputs = h.shape[0], h.shape[2]
        parts = max(1, _DRAWS // paths)
        n = tf.shape(h)[1]
        each = (n + parts - 1) // parts  # rows of a part; the last may be filled up
        rows = tf.reshape(tf.pad(h, [[0, 0], [0, parts * each - n], [0, 0]]), [paths * parts * each, inputs])
        v, y = self._drawn_values(paths * parts, seed), self.inverse_factor  # v [P', D, M], P' = P · parts
        if self.dtype == tf.float64:
            basis = self._kernel_at(rows)  # [P'·each, M]
            v = tf.reshape(tf.matmul(tf.reshape(v, [-1, y.shape[0]]), y), tf.shape(v))
            explained = quadratic_forms(basis, gram_of_columns(y)[None])
        else:
            basis = self._projection(rows)
            explained = squared_rows(basis)
        basis = tf.reshape(basis, [paths * parts, each, y.shape[0]])
        value = tf.matmul(basis, tf.cast(v, self.dtype), transpose_b=True)  # [P', each, D]
        value = tf.reshape(value, [paths, parts * each, self.units])[:, :n]
        left = tf.reshape(self._prior_variance() - explained, [paths, parts * each, 1])[:, :n]
        return value + self._mean_function(h) + tf.sqrt(self._with_noise(left)) * noise

    def scale_covariance_gradient(self, factor: tf.Tensor) -> "Conditional":
        """Scale the gradient of Σ by `factor`; values are unchanged."""
        return replace(self, values=self.values.scale_covariance_gradient(factor))

    def _drawn_values(self, count: int, seed: tf.Tensor) -> tf.Tensor:
        """`count` draws v = m + R ξ of the whitened inducing values, R held fixed: [count, D, M], float64."""
        units, m = self.values.mean.shape
        noise = normal([units, m, count], seed, self.dtype)
        around = tf.matmul(tf.cast(self.values.held_factor(), self.dtype), noise)  # [D, M, count]
        return self.values.mean + tf.cast(tf.transpose(around, [2, 0, 1]), tf.float64)

    def _moments(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Mean and variance of f for Gaussian inputs, without the noise: [n, D] each."""
        out_mean, out_variance = moments.propagate(
            self.kernel,
            self.inducing_inputs,
            tf.matmul(self.values.mean, self.inverse_factor),
            self.values.excess_congruence(self.inverse_factor),
            self.weights,
            mean,
            variance,
        )
        return out_mean, at_least(out_variance, _FLOOR[tf.float64])

    def _kernel_at(self, h: tf.Tensor) -> tf.Tensor:
        """k(h, Z): [n, M]."""
        return self.kernel(tf.cast(h, tf.float64), self.inducing_inputs, self.dtype)

    def _projection(self, h: tf.Tensor) -> tf.Tensor:
        """A = k(h, Z) L⁻ᵀ: [n, M]."""
        return tf.matmul(self._kernel_at(h), tf.cast(self.inverse_factor, self.dtype), transpose_b=True)

    def _prior_variance(self) -> tf.Tensor:
        """k(h, h), the same at every h."""
        return tf.cast(self.kernel.variance, self.dtype)

    def _mean_function(self, h: tf.Tensor) -> tf.Tensor:
        """h W, or 0: [..., D]."""
        return tf.zeros([], self.dtype) if self.weights is None else tf.matmul(h, tf.cast(self.weights, self.dtype))

    def _with_noise(self, variance: tf.Tensor) -> tf.Tensor:
        """The layer's noise added. k(h, h) ≥ |A|² exactly; rounding must not make a variance negative."""
        variance = at_least(variance, _FLOOR[variance.dtype])
        return variance if self.log_noise is None else variance + tf.cast(tf.exp(self.log_noise), variance.dtype)

    def _like(self, h: tf.Tensor, rows: tf.Tensor, mean: tf.Tensor, extra: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Mean and variance of all rows [S·n, D] with what every layer adds, as arrays whose axes are those of h.

        Where every path has inducing values of its own, they are [S, n, D] already, whether h has paths or not.
        """
        if len(mean.shape) == 3:
            return mean + self._mean_function(h), self._with_noise(self._prior_variance() + extra)
        both = mean + self._mean_function(rows), self._with_noise(self._prior_variance() + extra)
        if len(h.shape) == 2:
            return both
        mean, variance = (tf.reshape(part, [h.shape[0], tf.shape(h)[1], self.units]) for part in both)
        return mean, variance


@dataclass(frozen=True)
class SeparateConditional:
    """A layer whose every unit has inducing inputs of its own: D layers of one unit, side by side."""

    parts: Sequence[Conditional]
    values: InducingValues  # of all units

    @property
    def dtype(self) -> tf.DType:
        return self.parts[0].dtype

    @property
    def units(self) -> int:
        return len(self.parts)

    @property
    def log_noise(self) -> tf.Tensor | None:
        return self.parts[0].log_noise

    def marginals(self, h: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return _side_by_side([part.marginals(h) for part in self.parts])

    def marginals_of_outputs(self, h: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return _side_by_side([part.marginals_of_outputs(h) for part in self.parts])

    def marginals_of_gaussian(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return _side_by_side([part.marginals_of_gaussian(mean, variance) for part in self.parts])

    def for_predictions(self) -> "SeparateConditional":
        return replace(self, parts=[part.for_predictions() for part in self.parts])

    def explained(self, h: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        return _side_by_side([part.explained(h) for part in self.parts])

    def explained_of_gaussian(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        return _side_by_side([part.explained_of_gaussian(mean, variance) for part in self.parts])

    def sample_functions(self, h: tf.Tensor, noise: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
        seeds = (tf.random.experimental.stateless_fold_in(seed, d) for d in range(self.units))
        drawn = [
            part.sample_functions(h, noise[..., d : d + 1], own)
            for d, (part, own) in enumerate(zip(self.parts, seeds, strict=True))
        ]
        return tf.concat(drawn, axis=-1)

    def scale_covariance_gradient(self, factor: tf.Tensor) -> "SeparateConditional":
        return replace(self, parts=[part.scale_covariance_gradient(factor) for part in self.parts])


AnyConditional = Conditional | SeparateConditional


def normal(shape: list[Any], seed: tf.Tensor, dtype: tf.DType) -> tf.Tensor:
    """N(0, 1) by float32, at half the cost of float64: its 24 bits are enough for noise."""
    return tf.cast(tf.random.stateless_normal(shape, seed, dtype=tf.float32), dtype)


def _rows(h: tf.Tensor) -> tuple[tf.Tensor, int]:
    """All rows of h [n, Q] or [S, n, Q], and of how many paths they are: [S·n, Q]."""
    return (h, 1) if len(h.shape) == 2 else (tf.reshape(h, [-1, h.shape[2]]), h.shape[0])


def _side_by_side(parts: Sequence[tuple[tf.Tensor, ...]]) -> Any:
    """Arrays [..., 1] of every unit as arrays [..., D]."""
    return tuple(tf.concat(arrays, axis=-1) for arrays in zip(*parts, strict=True))

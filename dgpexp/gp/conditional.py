"""A layer conditioned on a Gaussian over its inducing values: its marginals at given and at Gaussian inputs."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import tensorflow as tf

from dgpexp.gp import moments
from dgpexp.gp.linalg import (
    at_least,
    congruence,
    factored_congruence,
    factored_forms,
    linear_forms,
    quadratic_forms,
    scale_gradient,
    squared_rows,
)

if TYPE_CHECKING:
    from dgpexp.gp.layer import InducingValues, SparseLayer


@dataclass(frozen=True)
class Conditional:
    """A layer ready to be evaluated at any number of inputs; `dtype` is that of the work on them."""

    layer: "SparseLayer"
    inverse_factor: tf.Tensor | None  # L⁻¹ [G, M, M]; none where mean and excess belong to k and not to A
    values: "InducingValues"
    excess: tf.Tensor  # Σ - I [D, M, M]
    dtype: tf.DType
    factored: bool = False  # whether R is used in the place of Σ: for few inputs, Gaussian inputs, and without A

    @classmethod
    def of(
        cls, layer: "SparseLayer", inverse_factor: tf.Tensor, values: "InducingValues", dtype: tf.DType
    ) -> "Conditional":
        """The layer, L⁻¹ of its Kuu and N(m, Σ)."""
        return cls(layer, inverse_factor, values, _minus_identity(values.covariance), dtype)

    def marginals(self, h: tf.Tensor, few: bool = False) -> tuple[tf.Tensor, tf.Tensor]:
        """Mean and variance of every unit at inputs h [n, Q]: two arrays [n, D], noise and mean function included.

        `few` says that n is about M, not many times it: only the cost depends on it.
        """
        parts = []
        for units, a in self._projections(h):
            if few and self.factored:
                forms = self._uncertainty(a, units) - squared_rows(a)
            else:
                forms = quadratic_forms(a, tf.cast(_of(self.excess, units), self.dtype))
            parts.append((linear_forms(a, tf.cast(_of(self.values.mean, units), self.dtype)), forms))
        mean, extra = _side_by_side(parts)  # [n, D]
        return mean + self.mean_function(h), self.with_noise(self.prior_variance() + extra)

    def through_factor(self) -> "Conditional":
        """The same numbers by R, if it is known, and not by Σ: less work where nobody else asks for Σ."""
        return replace(self, factored=self.values.factor is not None)

    def unwhitened(self) -> "Conditional":
        """The same layer without A:  A m = k β and A (Σ - I) Aᵀ = k C kᵀ  with  β = L⁻ᵀ m,  C = L⁻ᵀ (Σ - I) L⁻¹.

        Three products of n rows less, for five of M rows a unit. C has entries as large as 1 / jitter that cancel, so
        it is for float64, and for the last layer, to whose variance the likelihood adds its noise.
        """
        parts = []
        for g, units in self.groups():
            y = self.whitening(g)
            parts.append((tf.matmul(_of(self.values.mean, units), y), self._unwhitened_excess(g, units)))
        mean, excess = (tf.concat(p, axis=0) for p in zip(*parts, strict=True))
        return replace(self, inverse_factor=None, values=replace(self.values, mean=mean), excess=excess, factored=False)

    def taught_by_one_of(self, paths: int) -> "Conditional":
        """The same numbers, but the gradient of Σ, and of R, counts `paths` times."""
        covariance = scale_gradient(self.values.covariance, float(paths))
        factor = None if self.values.factor is None else scale_gradient(self.values.factor, float(paths))
        values = replace(self.values, covariance=covariance, factor=factor)
        return replace(self, values=values, excess=_minus_identity(covariance))

    def marginals_of_gaussian(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """The same for Gaussian inputs h_n ~ N(mean[n], diag variance[n]) (4.2.21-26): exact moments, closed form."""
        out_mean, out_variance = self._moments(mean, variance)
        return out_mean, self.with_noise(out_variance)

    def explained(self, h: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """The mean of `marginals`, and its variance but for the noise in two parts: [n, D] each.

        A Σ Aᵀ is what the inducing values are uncertain of, k(h, h) - A Aᵀ what they do not know of f.
        """
        parts = []
        for units, a in self._projections(h):
            mean = linear_forms(a, tf.cast(_of(self.values.mean, units), self.dtype))  # [n, D]
            known = self._uncertainty(a, units)  # [n, D]
            parts.append((mean, known, self.prior_variance() - squared_rows(a) + tf.zeros_like(known)))
        mean, known, left = _side_by_side(parts)
        return mean + self.mean_function(h), known, left

    def explained_of_gaussian(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor, tf.Tensor]:
        """The same for Gaussian inputs: the first part at the mean kernel vector, ψ1ᵀ L⁻ᵀ Σ L⁻¹ ψ1, then the rest."""
        layer, parts = self.layer, []
        for g, units in self.groups():
            psi1 = moments.expected_kernel(layer.kernel, tf.unstack(layer.inducing_inputs)[g], mean, variance)  # [n, M]
            a = tf.matmul(psi1, self.whitening(g), transpose_b=True)
            parts.append(self._uncertainty(a, units))
        known = tf.concat(parts, axis=1)  # [n, D]
        out_mean, out_variance = self._moments(mean, variance)
        return out_mean, known, out_variance - known

    def _moments(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        """Mean and variance of f for Gaussian inputs, without the noise: [n, D] each."""
        layer, parts = self.layer, []
        for g, units in self.groups():
            weights = None if layer.weights is None else layer.weights[:, units]
            parts.append(
                moments.propagate(
                    layer.kernel,
                    tf.unstack(layer.inducing_inputs)[g],
                    tf.matmul(_of(self.values.mean, units), self.whitening(g)),
                    self._unwhitened_excess(g, units),
                    weights,
                    mean,
                    variance,
                )
            )
        out_mean, out_variance = _side_by_side(parts)
        return out_mean, at_least(out_variance, _FLOOR[tf.float64])

    def _projections(self, h: tf.Tensor) -> Iterator[tuple[slice, tf.Tensor]]:
        """A [n, M] for every set of inducing inputs, and the units that use it."""
        for g, units in self.groups():
            yield units, self.projection(h, g)

    def _uncertainty(self, a: tf.Tensor, units: slice) -> tf.Tensor:
        """A Σ Aᵀ of these units: [n, D]."""
        if self.factored:
            return factored_forms(a, tf.cast(_of(self.values.factor, units), a.dtype))
        return quadratic_forms(a, tf.cast(_of(self.values.covariance, units), a.dtype))

    def _unwhitened_excess(self, g: int, units: slice) -> tf.Tensor:
        """L⁻ᵀ (Σ - I) L⁻¹ of the units of Z_g: [D, M, M]."""
        if self.factored:
            return factored_congruence(self.whitening(g), _of(self.values.factor, units))
        return congruence(self.whitening(g), _of(self.excess, units))

    def projection(self, h: tf.Tensor, g: int) -> tf.Tensor:
        """A = k(h, Z_g) L⁻ᵀ, or k itself where the values belong to it: [n, M]."""
        k = self.kernel_at(h, g)
        if self.inverse_factor is None:
            return k
        return tf.matmul(k, tf.cast(self.whitening(g), self.dtype), transpose_b=True)

    def kernel_at(self, h: tf.Tensor, g: int) -> tf.Tensor:
        """k(h, Z_g): [n, M]."""
        return self.layer.kernel(tf.cast(h, tf.float64), tf.unstack(self.layer.inducing_inputs)[g], self.dtype)

    def whitening(self, g: int) -> tf.Tensor:
        """L⁻¹ of the inducing inputs Z_g: [M, M]."""
        return tf.unstack(self.inverse_factor)[g]

    def groups(self) -> list[tuple[int, slice]]:
        """Which units use which inducing inputs: all the only ones, or each its own."""
        groups = self.layer.inducing_inputs.shape[0]
        if groups == 1:
            return [(0, slice(0, self.layer.units))]
        return [(g, slice(g, g + 1)) for g in range(groups)]

    def prior_variance(self) -> tf.Tensor:
        """k(h, h), the same at every h."""
        return tf.cast(self.layer.kernel.variance, self.dtype)

    def mean_function(self, h: tf.Tensor) -> tf.Tensor:
        """h W, or 0: [n, D]."""
        if self.layer.weights is None:
            return tf.zeros([], self.dtype)
        return tf.matmul(h, tf.cast(self.layer.weights, self.dtype))

    def with_noise(self, variance: tf.Tensor) -> tf.Tensor:
        """The layer's noise added. k(h, h) ≥ |A|² exactly; rounding must not make a variance negative."""
        variance = at_least(variance, _FLOOR[variance.dtype])
        if self.layer.log_noise is None:
            return variance
        return variance + tf.cast(tf.exp(self.layer.log_noise), variance.dtype)


def _of(array: tf.Tensor, units: slice) -> tf.Tensor:
    """The part of these units; the array itself where that is all of it, since a slice has a gradient to be filled."""
    return array if (units.start, units.stop) == (0, array.shape[0]) else array[units]


def _side_by_side(parts: list[tuple[tf.Tensor, ...]]) -> tuple[tf.Tensor, ...]:
    """Arrays of the units of every set of inducing inputs as arrays of all units: [n, D] each."""
    return parts[0] if len(parts) == 1 else tuple(tf.concat(p, axis=1) for p in zip(*parts, strict=True))


def _minus_identity(covariance: tf.Tensor) -> tf.Tensor:
    return covariance - tf.eye(covariance.shape[-1], dtype=covariance.dtype)


_FLOOR = {tf.float64: 1e-12, tf.float32: 1e-7}

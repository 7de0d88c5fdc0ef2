"""A Gaussian over whitened inducing values, known by its covariance Σ or by a factor R, Σ = R Rᵀ.

All that depends on which of the two is known is a method here. Layers and inference methods ask for what they need; the
values choose the products. Those with R cost more per row, those with Σ need R Rᵀ first. So R serves the rows of a
minibatch, about M of them, and Σ the rows of many paths.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import tensorflow as tf

from dgpexp.gp.linalg import (
    congruence,
    diagonals,
    factored_congruence,
    factored_forms,
    gram,
    linear_forms,
    quadratic_forms,
    scale_gradient,
    squared_rows,
    trace_minus_log_determinant,
)
from dgpexp.gp.shapes import shapes


class InducingValues:
    """Unit d has N(m_d, Σ_d). Subclasses say what is known of Σ."""

    mean: tf.Tensor  # m [D, M]
    covariance: tf.Tensor  # Σ [D, M, M]
    log_determinants: tf.Tensor | None  # log |Σ_d| [D]; None where nobody needs it

    @cached_property
    def excess(self) -> tf.Tensor:
        """Σ - I [D, M, M]: how the values differ from their prior N(0, I)."""
        return self.covariance - tf.eye(self.covariance.shape[-1], dtype=self.covariance.dtype)

    def of_unit(self, d: int) -> "InducingValues":
        """The values of unit d alone."""
        raise NotImplementedError

    def scale_covariance_gradient(self, factor: tf.Tensor) -> "InducingValues":
        """Scale the gradient of Σ by `factor`; values are unchanged."""
        raise NotImplementedError

    def held_factor(self) -> tf.Tensor:
        """R [D, M, M] without a gradient, for draws m + R ξ."""
        raise NotImplementedError

    def trace_minus_log_determinant(self) -> tf.Tensor:
        """Σ_d tr Σ_d - log|Σ_d|: a scalar."""
        raise NotImplementedError

    def prepared(self) -> tuple[tf.Tensor | None, "InducingValues"]:
        """These values for evaluation alone, in another basis Q [M, M] of v if there is one that saves a product."""
        if self.mean.shape[0] > 1:
            return None, Prepared(self.mean, self.excess)
        eigenvalues, q = tf.linalg.eigh(self.excess[0])
        return q, Rotated(tf.matmul(self.mean, q), eigenvalues)

    @shapes(a="n M", returns="n D | S m D")
    def means(self, a: tf.Tensor, paths: int) -> tf.Tensor:
        """a_n m_d: [n, D]."""
        return linear_forms(a, tf.cast(self.mean, a.dtype))

    @shapes(a="n M", returns="n D")
    def forms(self, a: tf.Tensor) -> tf.Tensor:
        """a_nᵀ Σ_d a_n: [n, D]."""
        return quadratic_forms(a, tf.cast(self.covariance, a.dtype))

    @shapes(a="n M", returns="n D | S m D")
    def excess_forms(self, a: tf.Tensor, paths: int) -> tf.Tensor:
        """a_nᵀ (Σ_d - I) a_n, where the n rows are those of so many paths: [n, D]."""
        return quadratic_forms(a, tf.cast(self.excess, a.dtype))

    @shapes(y="M M", returns="D M M")
    def excess_congruence(self, y: tf.Tensor) -> tf.Tensor:
        """Yᵀ (Σ_d - I) Y: [D, M, M]."""
        return congruence(y, self.excess)

    def divergence(self) -> tf.Tensor:
        """Σ_d KL(N(m_d, Σ_d) || N(0, I)) = ½ Σ_d (tr Σ_d + |m_d|² - M - log|Σ_d|): a scalar."""
        size = tf.cast(tf.size(self.mean), tf.float64)  # D·M
        return 0.5 * (self.trace_minus_log_determinant() + tf.reduce_sum(tf.square(self.mean)) - size)


@dataclass(frozen=True)
class Dense(InducingValues):
    """N(m, Σ) by Σ itself."""

    mean: tf.Tensor
    covariance: tf.Tensor
    log_determinants: tf.Tensor | None = None

    def of_unit(self, d: int) -> "Dense":
        determinant = None if self.log_determinants is None else self.log_determinants[d : d + 1]
        return Dense(self.mean[d : d + 1], self.covariance[d : d + 1], determinant)

    def scale_covariance_gradient(self, factor: tf.Tensor) -> "Dense":
        return replace(self, covariance=scale_gradient(self.covariance, factor))

    def held_factor(self) -> tf.Tensor:
        return tf.linalg.cholesky(tf.stop_gradient(self.covariance))

    def trace_minus_log_determinant(self) -> tf.Tensor:
        return tf.reduce_sum(diagonals(self.covariance)) - tf.reduce_sum(self.log_determinants)


@dataclass(frozen=True)
class Prepared(InducingValues):
    """What forms of any number of rows need, computed before the first of them is seen."""

    mean: tf.Tensor
    difference: tf.Tensor  # Σ - I [D, M, M]

    def excess_forms(self, a: tf.Tensor, paths: int) -> tf.Tensor:
        return quadratic_forms(a, tf.cast(self.difference, a.dtype))


@dataclass(frozen=True)
class Rotated(InducingValues):
    """One unit in the basis in which its Σ - I is diag λ: a form is a weighted sum of squares, not a product."""

    mean: tf.Tensor  # [1, M]
    eigenvalues: tf.Tensor  # λ [M]

    def excess_forms(self, a: tf.Tensor, paths: int) -> tf.Tensor:
        return tf.matmul(a * a, tf.cast(self.eigenvalues, a.dtype)[:, None])


@dataclass(frozen=True)
class Points(InducingValues):
    """Values that are known, v [S, D, M], for each of S paths: Σ = 0. The first layer, too, differs by path."""

    mean: tf.Tensor

    def of_unit(self, d: int) -> "Points":
        return Points(self.mean[:, d : d + 1])

    def prepared(self) -> tuple[None, "Points"]:
        return None, self

    def means(self, a: tf.Tensor, paths: int) -> tf.Tensor:
        return tf.matmul(self._by_path(a, paths), tf.cast(self.mean, a.dtype), transpose_b=True)

    def excess_forms(self, a: tf.Tensor, paths: int) -> tf.Tensor:
        known = self._by_path(squared_rows(a), paths)  # [S or 1, n, 1]
        return tf.zeros([self.mean.shape[0], 1, self.mean.shape[1]], a.dtype) - known

    def _by_path(self, rows: tf.Tensor, paths: int) -> tf.Tensor:
        """Rows [S·n, K] of the paths as [S, n, K]; those of the first layer serve all: [1, n, K]."""
        return tf.reshape(rows, [paths, -1, rows.shape[1]])


@dataclass(frozen=True)
class Factored(InducingValues):
    """N(m, R Rᵀ) by lower-triangular R [D, M, M]; Σ is computed once somebody asks for it."""

    mean: tf.Tensor
    factor: tf.Tensor

    @cached_property
    def covariance(self) -> tf.Tensor:
        return gram(self.factor)

    @cached_property
    def log_determinants(self) -> tf.Tensor:  # type: ignore[override]
        return tf.reduce_sum(tf.math.log(tf.square(diagonals(self.factor))), axis=1)

    def of_unit(self, d: int) -> "Factored":
        return Factored(self.mean[d : d + 1], self.factor[d : d + 1])

    def scale_covariance_gradient(self, factor: tf.Tensor) -> "Factored":
        return replace(self, factor=scale_gradient(self.factor, factor))

    def held_factor(self) -> tf.Tensor:
        return tf.stop_gradient(self.factor)

    def trace_minus_log_determinant(self) -> tf.Tensor:
        return trace_minus_log_determinant(self.factor)

    def forms(self, a: tf.Tensor) -> tf.Tensor:
        return factored_forms(a, tf.cast(self.factor, a.dtype))

    def excess_forms(self, a: tf.Tensor, paths: int) -> tf.Tensor:
        return super().excess_forms(a, paths) if paths > 1 else self.forms(a) - squared_rows(a)

    def excess_congruence(self, y: tf.Tensor) -> tf.Tensor:
        return factored_congruence(y, self.factor)

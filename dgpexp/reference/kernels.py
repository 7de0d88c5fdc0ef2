"""Covariance functions in numpy. k(x, z) takes x [n, D] and z [m, D] and gives [n, m]; kernels add and multiply."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Kernel:
    """What every kernel can do: be called, give its diagonal, and be combined with another one."""

    def __call__(self, x: Array, z: Array) -> Array:
        raise NotImplementedError

    def diag(self, x: Array) -> Array:
        """k(x_n, x_n) for every row. [n]"""
        return np.array([self(row[None], row[None])[0, 0] for row in x])

    def __add__(self, other: "Kernel") -> "Kernel":
        return Sum(self, other)

    def __mul__(self, other: "Kernel") -> "Kernel":
        return Product(self, other)


@dataclass(frozen=True)
class Sum(Kernel):
    """A function that is the sum of two independent ones."""

    left: Kernel
    right: Kernel

    def __call__(self, x: Array, z: Array) -> Array:
        return self.left(x, z) + self.right(x, z)

    def diag(self, x: Array) -> Array:
        return self.left.diag(x) + self.right.diag(x)


@dataclass(frozen=True)
class Product(Kernel):
    """Two properties at once, e.g. periodic but only over a few periods."""

    left: Kernel
    right: Kernel

    def __call__(self, x: Array, z: Array) -> Array:
        return self.left(x, z) * self.right(x, z)

    def diag(self, x: Array) -> Array:
        return self.left.diag(x) * self.right.diag(x)


@dataclass(frozen=True)
class RBF(Kernel):
    """variance · exp(-½ Σ_d (x_d - z_d)² / ℓ_d²): smooth functions; one lengthscale, or one a dimension (ARD)."""

    variance: float = 1.0
    lengthscales: float | Array = 1.0

    def __call__(self, x: Array, z: Array) -> Array:
        return self.variance * np.exp(-0.5 * squared_distance(x / self.lengthscales, z / self.lengthscales))

    def diag(self, x: Array) -> Array:
        return np.full(len(x), self.variance)


@dataclass(frozen=True)
class RationalQuadratic(Kernel):
    """variance · (1 + r² / (2 α ℓ²))^-α: a mixture of RBF kernels of many lengthscales."""

    variance: float = 1.0
    lengthscale: float = 1.0
    alpha: float = 1.0

    def __call__(self, x: Array, z: Array) -> Array:
        r2 = squared_distance(x / self.lengthscale, z / self.lengthscale)
        return self.variance * (1.0 + r2 / (2.0 * self.alpha)) ** -self.alpha

    def diag(self, x: Array) -> Array:
        return np.full(len(x), self.variance)


@dataclass(frozen=True)
class Periodic(Kernel):
    """variance · exp(-2 sin²(π |x - z| / period) / ℓ²), for one input column: functions that repeat exactly."""

    variance: float = 1.0
    lengthscale: float = 1.0
    period: float = 1.0

    def __call__(self, x: Array, z: Array) -> Array:
        phase = np.pi * (x[:, :1] - z[:, :1].T) / self.period  # [n, m]
        return self.variance * np.exp(-2.0 * (np.sin(phase) / self.lengthscale) ** 2)

    def diag(self, x: Array) -> Array:
        return np.full(len(x), self.variance)


@dataclass(frozen=True)
class Polynomial(Kernel):
    """variance · (offset + xᵀz)^degree: polynomials of that degree; degree 1 gives straight lines."""

    degree: int = 1
    variance: float = 1.0
    offset: float = 1.0

    def __call__(self, x: Array, z: Array) -> Array:
        return self.variance * (self.offset + x @ z.T) ** self.degree

    def diag(self, x: Array) -> Array:
        return np.asarray(self.variance * (self.offset + np.sum(x * x, axis=1)) ** self.degree)


def squared_distance(x: Array, z: Array) -> Array:
    """|x_n - z_m|² from the differences themselves, so that it is exact where the two nearly agree. [n, m]"""
    return np.asarray(np.sum((x[:, None, :] - z[None, :, :]) ** 2, axis=-1))

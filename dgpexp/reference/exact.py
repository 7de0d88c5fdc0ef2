"""Exact Gaussian process regression: y = f(x) + e, f ~ GP(0, k), e ~ N(0, noise).

Costs N³ once; everything else follows from one Cholesky factor (thesis, section 2.2).
"""

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from dgpexp.reference.kernels import Array, Kernel


class ExactGP:
    """The posterior of f given x [N, D] and y [N]. `noise` is a variance."""

    def __init__(self, kernel: Kernel, noise: float, x: Array, y: Array):
        self.kernel, self.noise, self.x, self.y = kernel, noise, x, y
        self.L = cholesky(kernel(x, x) + noise * np.eye(len(x)), lower=True)  # K + σ²I = LLᵀ [N, N]
        self.white = solve_triangular(self.L, y, lower=True)  # L⁻¹y [N]

    def log_likelihood(self) -> float:
        """log N(y | 0, K + σ²I)."""
        n = len(self.y)
        return float(-0.5 * self.white @ self.white - np.log(np.diag(self.L)).sum() - 0.5 * n * np.log(2 * np.pi))

    def posterior(self, x: Array) -> tuple[Array, Array]:
        """Mean [n] and covariance [n, n] of f(x) | y; x [n, D]."""
        A = solve_triangular(self.L, self.kernel(self.x, x), lower=True)  # L⁻¹k(X, x) [N, n]
        return A.T @ self.white, self.kernel(x, x) - A.T @ A

    def predict(self, x: Array) -> tuple[Array, Array]:
        """Mean [n] and variance [n] of f(x) | y; add `noise` to the variance for a new observation."""
        A = solve_triangular(self.L, self.kernel(self.x, x), lower=True)  # [N, n]
        return A.T @ self.white, self.kernel.diag(x) - np.sum(A * A, axis=0)


def sample(mean: Array, covariance: Array, count: int, rng: np.random.Generator, jitter: float = 1e-10) -> Array:
    """`count` draws of N(mean, covariance). [count, n]

    A smooth kernel on a fine grid gives a singular matrix: `jitter` times its mean diagonal makes the factor exist, and
    is far too little to be seen.
    """
    n = len(mean)
    L = cholesky(covariance + jitter * np.trace(covariance) / n * np.eye(n), lower=True)
    return np.asarray(mean + rng.standard_normal((count, n)) @ L.T)

"""FITC: Gaussian process regression through M inducing points, in N·M² (thesis, section 2.3).

The values of f at the N inputs are made independent given the inducing values u = f(Z). That is the exact GP with
another covariance, Q + Λ, Q = Kfu Kuu⁻¹ Kuf of rank M and Λ = diag(Kff - Q) + σ²I: on the diagonal it is right.
"""

import numpy as np
from scipy.linalg import cholesky, solve_triangular

from dgpexp.reference.kernels import Array, Kernel


class FITC:
    """The posterior of f given x [N, D], y [N] and inducing inputs z [M, D]. `noise` is a variance."""

    def __init__(self, kernel: Kernel, noise: float, z: Array, x: Array, y: Array, jitter: float = 1e-8):
        self.kernel, self.noise, self.z, self.x, self.y = kernel, noise, z, x, y
        m = len(z)
        self.Lu = cholesky(kernel(z, z) + jitter * np.eye(m), lower=True)  # Kuu = Lu Luᵀ [M, M]
        V = solve_triangular(self.Lu, kernel(z, x), lower=True)  # Q = VᵀV [M, N]
        self.Lambda = kernel.diag(x) - np.sum(V * V, axis=0) + noise  # [N]
        self.L = cholesky(np.eye(m) + (V / self.Lambda) @ V.T, lower=True)  # I + V Λ⁻¹ Vᵀ = LLᵀ [M, M]
        self.white = solve_triangular(self.L, V @ (y / self.Lambda), lower=True)  # [M]

    def log_likelihood(self) -> float:
        """log N(y | 0, Q + Λ), by the matrix inversion and determinant lemmas."""
        quadratic = self.y @ (self.y / self.Lambda) - self.white @ self.white
        log_det = np.log(self.Lambda).sum() + 2.0 * np.log(np.diag(self.L)).sum()
        return float(-0.5 * (quadratic + log_det + len(self.y) * np.log(2 * np.pi)))

    def predict(self, x: Array) -> tuple[Array, Array]:
        """Mean [n] and variance [n] of f(x) | y; add `noise` to the variance for a new observation."""
        A = solve_triangular(self.Lu, self.kernel(self.z, x), lower=True)  # [M, n]
        B = solve_triangular(self.L, A, lower=True)  # [M, n]
        return B.T @ self.white, self.kernel.diag(x) - np.sum(A * A, axis=0) + np.sum(B * B, axis=0)

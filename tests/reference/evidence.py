"""The two-layer deep GP with one hidden unit, by brute force: prior draws, each with the likelihood that it has."""

import numpy as np

from dgpexp.reference.kernels import RBF, Array
from dgpexp.reference.two_layers import TwoLayers


def weighted_prior_draws(model: TwoLayers, count: int, rng: np.random.Generator) -> tuple[Array, Array, float]:
    """Draws of h [count, N] from the prior, their posterior weights [count], which sum to 1, and log p(y).

    All draws at once, from the formulas: nothing of dgpexp/reference is used but the numbers in `model`.
    """
    first, second = model.first, model.second
    assert isinstance(first, RBF) and isinstance(second, RBF) and model.x.shape[1] == 1
    n = len(model.x)
    covariance = _rbf(first, model.x[:, 0]) + model.inner_noise * np.eye(n)
    centre = 0.0 if model.weights is None else (model.x @ model.weights)[:, 0]
    h = centre + rng.multivariate_normal(np.zeros(n), covariance, size=count)
    k = _rbf(second, h) + model.noise * np.eye(n)  # [count, N, N]
    factor = np.linalg.cholesky(k)
    white = np.linalg.solve(factor, np.broadcast_to(model.y[:, None], (count, n, 1)))[..., 0]
    log_det = np.log(np.diagonal(factor, axis1=1, axis2=2)).sum(1)
    log_density = -0.5 * np.sum(white**2, axis=1) - log_det - 0.5 * n * np.log(2 * np.pi)
    density = np.exp(log_density - log_density.max())
    return h, density / density.sum(), float(np.log(density.mean()) + log_density.max())


def _rbf(kernel: RBF, h: Array) -> Array:
    """k(h_i, h_j) for h [..., N]: [..., N, N]."""
    return kernel.variance * np.exp(-0.5 * (h[..., :, None] - h[..., None, :]) ** 2 / kernel.lengthscales**2)

"""Moments of a layer with one input and one unit by Gauss-Hermite quadrature: for tests of the closed forms."""

from dataclasses import dataclass

import numpy as np

from dgpexp.gp.layer import Layer

_POINTS, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)


@dataclass(frozen=True)
class Output:
    """Of f at inputs h_n ~ N(mean_n, variance_n): [n] each."""

    mean: np.ndarray  # f̄
    variance: np.ndarray  # V, over h, the inducing values, and f given both
    known: np.ndarray  # c, over the inducing values at the mean kernel vector


def propagate(layer: Layer, jitter: float, mean: np.ndarray, variance: np.ndarray) -> Output:
    """From the definitions, with v ~ N(m, Σ) whitened and A = k(h, Z) L⁻ᵀ."""
    z, m = layer.inducing_inputs[0].numpy(), layer.mean.numpy()[0]
    factor = layer.factor.numpy()[0]
    inverse = np.linalg.inv(np.linalg.cholesky(layer.kernel(z, z).numpy() + jitter * np.eye(len(z))))
    h = mean[:, None] + np.sqrt(variance)[:, None] * _POINTS  # [n, P]
    a = layer.kernel(h.reshape(-1, 1), z).numpy().reshape(*h.shape, -1) @ inverse.T  # [n, P, M]
    line = h * layer.weights.numpy()[0, 0] if layer.weights is not None else 0.0
    given_h = a @ m + line  # E[f | h] [n, P]
    uncertain = np.sum((a @ factor) ** 2, axis=-1)  # A Σ Aᵀ
    left = layer.kernel.variance.numpy() - np.sum(a * a, axis=-1)  # k - A Aᵀ
    f_mean = _average(given_h)
    f_variance = _average(given_h**2) - f_mean**2 + _average(uncertain + left)
    mean_a = np.tensordot(a, _WEIGHTS / _WEIGHTS.sum(), axes=([1], [0]))  # [n, M]
    return Output(f_mean, f_variance, np.sum((mean_a @ factor) ** 2, axis=-1))


def _average(values: np.ndarray) -> np.ndarray:
    return values @ (_WEIGHTS / _WEIGHTS.sum())

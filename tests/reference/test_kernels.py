"""Kernels are symmetric, positive semi-definite, and their diagonal is the diagonal."""

import numpy as np
import pytest

from dgpexp.reference.kernels import RBF, Kernel, Periodic, Polynomial, RationalQuadratic

KERNELS = [
    RBF(1.3, 0.7),
    RationalQuadratic(0.8, 0.5, 2.0),
    Periodic(0.9, 1.1, 0.6),
    Polynomial(3, 0.2, 0.5),
    RBF(2.0, 3.0) * Periodic(1.0, 0.8, 1.0) + Polynomial(1),
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: type(k).__name__)
def test_a_kernel_is_a_covariance(kernel: Kernel) -> None:
    x = np.random.default_rng(0).uniform(-1, 1, (25, 1))
    K = kernel(x, x)
    assert np.allclose(K, K.T, rtol=0, atol=1e-13)
    assert np.linalg.eigvalsh(K)[0] > -1e-10
    assert np.allclose(kernel.diag(x), np.diag(K), rtol=1e-13)
    assert np.allclose(kernel(x[:3], x[3:]), K[:3, 3:])


def test_values_by_hand() -> None:
    x, z = np.array([[0.0, 0.0]]), np.array([[1.0, 2.0]])
    assert RBF(2.0, np.array([1.0, 4.0]))(x, z)[0, 0] == pytest.approx(2.0 * np.exp(-0.5 * (1.0 + 0.25)))
    assert RationalQuadratic(1.0, 1.0, 2.0)(x, z)[0, 0] == pytest.approx((1 + 5 / 4) ** -2)
    assert Polynomial(2, 3.0, 1.0)(z, z)[0, 0] == pytest.approx(3.0 * 36.0)
    assert Periodic(1.5, 0.3, 0.5)(x[:, :1], z[:, :1])[0, 0] == pytest.approx(1.5)  # two whole periods apart


def test_rational_quadratic_tends_to_the_rbf() -> None:
    x = np.linspace(0, 3, 7)[:, None]
    assert np.allclose(RationalQuadratic(1.0, 0.8, 1e7)(x, x), RBF(1.0, 0.8)(x, x), atol=1e-6)

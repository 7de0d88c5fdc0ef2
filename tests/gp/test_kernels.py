"""Kernels against the reference ones in plain numpy, and against their definitions."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.gp.kernels import kernel_class
from dgpexp.gp.kernels.stationary import RBF, Matern32, Matern52
from dgpexp.kernels import KERNELS

LENGTHSCALES = np.array([0.7, 1.5, 3.0])


def _distance(x: np.ndarray, z: np.ndarray) -> np.ndarray:
    return np.sqrt((((x[:, None] - z[None]) / LENGTHSCALES) ** 2).sum(-1))


STATIONARY = {name: kernel_class(name) for name, entry in KERNELS.items() if entry.stationary}
PROFILES = {
    RBF: lambda r: np.exp(-0.5 * r**2),
    Matern32: lambda r: (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r),
    Matern52: lambda r: (1 + np.sqrt(5) * r + 5 * r**2 / 3) * np.exp(-np.sqrt(5) * r),
}


@pytest.mark.parametrize("kind", STATIONARY.values(), ids=list(STATIONARY))
def test_a_kernel_is_its_profile_of_the_scaled_distance(kind):
    rng = np.random.default_rng(0)
    x, z = 10 + rng.normal(size=(6, 3)), 10 + rng.normal(size=(4, 3))
    kernel = kind(2.5, LENGTHSCALES)
    np.testing.assert_allclose(kernel(x, z), 2.5 * PROFILES[kind](_distance(x, z)), rtol=1e-12)
    np.testing.assert_allclose(np.diag(kernel(x, x)), 2.5, rtol=1e-7)


@pytest.mark.parametrize("kind", STATIONARY.values(), ids=list(STATIONARY))
def test_a_kernel_and_its_gradient_are_finite_where_points_meet(kind):
    x = tf.constant(np.random.default_rng(0).normal(size=(5, 3)))
    kernel = kind(1.0, LENGTHSCALES)
    with tf.GradientTape() as tape:
        tape.watch(x)
        k = kernel(x, x)
    np.testing.assert_allclose(np.diag(k), 1.0, rtol=1e-7)
    assert np.isfinite(tape.gradient(k, x)).all()

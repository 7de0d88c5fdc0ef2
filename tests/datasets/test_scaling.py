"""Scaling and its inverse."""

import hypothesis.extra.numpy as hnp
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dgpexp.datasets import Scaler


def test_scaled_columns_have_mean_zero_and_deviation_one() -> None:
    a = np.random.RandomState(0).normal(5, 3, (200, 4))
    scaled = Scaler.fit(a).transform(a)
    np.testing.assert_allclose(scaled.mean(0), 0, atol=1e-12)
    np.testing.assert_allclose(scaled.std(0), 1)


def test_a_constant_column_becomes_exactly_zero() -> None:
    a = np.full((1000, 2), 0.1)  # the mean of many 0.1 is not 0.1
    scaler = Scaler.fit(a)
    assert np.all(scaler.std == 1)
    assert np.all(scaler.transform(a) == 0)
    np.testing.assert_allclose(scaler.transform(np.array([[1.1, 0.1]])), [[1, 0]])  # a new value is only centred


def test_a_vector_has_scalar_statistics() -> None:
    scaler = Scaler.fit(np.array([1.0, 3.0]))
    assert scaler.mean.shape == scaler.std.shape == ()
    np.testing.assert_array_equal(scaler.transform(np.array([1.0, 3.0])), [-1, 1])


@given(hnp.arrays(np.float64, (7, 2), elements=st.floats(-1e3, 1e3)))
def test_inverse_undoes_transform(a: np.ndarray) -> None:
    scaler = Scaler.fit(a)
    np.testing.assert_allclose(scaler.inverse(scaler.transform(a)), a, atol=1e-9)


def test_robust_scaling_is_the_usual_one_for_a_gaussian_and_blind_to_outliers():
    rng = np.random.default_rng(0)
    rare = (np.arange(100_000) % 10 == 0).astype(float)  # its quartiles coincide
    a = np.column_stack([5 + 2 * rng.standard_normal(100_000), np.full(100_000, 3.0), rare])
    clean = Scaler.robust(a)
    np.testing.assert_allclose(clean.mean, [5, 3, 0.1], atol=0.05)
    np.testing.assert_allclose(clean.std, [2, 1, 0.3], atol=0.05)
    a[:4, 0] = 1e6
    np.testing.assert_allclose(Scaler.robust(a).std, clean.std, rtol=1e-3)
    assert Scaler.fit(a).std[0] > 1000

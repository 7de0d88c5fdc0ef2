"""The generated sets have the density that they say they have."""

import numpy as np
import pytest

from dgpexp.datasets import synthetic


@pytest.mark.parametrize("name", synthetic.GENERATORS)
def test_density_integrates_to_one(name: str) -> None:
    x = np.array([-1.7, -0.3, 0.4, 1.9])[:, None]
    y = np.linspace(-25, 25, 200_001)
    np.testing.assert_allclose(np.trapezoid(synthetic.density(name, x, y), y, axis=1), 1, rtol=1e-6)


@pytest.mark.parametrize("name", synthetic.GENERATORS)
def test_data_follow_the_density(name: str) -> None:
    """The probability integral transform of y given x is uniform (Kolmogorov's distance, 20,000 rows)."""
    from scipy.stats import kstest, norm

    x, y = synthetic.generate(name, 20_000, seed=3)
    means, std = synthetic.branches(name, x[:, 0]), synthetic.noise_std(name, x[:, 0])
    u = norm.cdf((y - means) / std).mean(0)
    assert kstest(u, "uniform").pvalue > 1e-3


def test_sincos_has_two_equally_likely_branches() -> None:
    x = np.array([0.0])
    np.testing.assert_allclose(synthetic.branches("sincos", x)[:, 0], [0, 10])
    np.testing.assert_allclose(synthetic.density("sincos", x, [0.0]), synthetic.density("sincos", x, [10.0]))
    np.testing.assert_allclose(synthetic.mean("sincos", x), 5)


def test_heteroscedastic_noise_vanishes_at_pi() -> None:
    np.testing.assert_allclose(synthetic.noise_std("heteroscedastic", np.array([0.0, np.pi])), [3, 0], atol=1e-12)
    assert np.isfinite(synthetic.density("heteroscedastic", np.pi, 0.0))


def test_the_step_is_at_zero() -> None:
    np.testing.assert_array_equal(synthetic.mean("step", np.array([-0.01, 0.0, 0.01])), [0, 1, 1])

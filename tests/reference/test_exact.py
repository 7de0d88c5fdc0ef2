"""Exact GP regression against the textbook's dense formulas."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from dgpexp.reference.exact import ExactGP, sample
from dgpexp.reference.kernels import RBF

KERNEL, NOISE = RBF(1.4, 0.6), 0.05


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    x = rng.uniform(-2, 2, (30, 1))
    return x, np.sin(3 * x[:, 0]) + 0.2 * rng.standard_normal(30)


def test_log_likelihood_is_the_density_of_y(data) -> None:
    x, y = data
    dense = multivariate_normal(np.zeros(30), KERNEL(x, x) + NOISE * np.eye(30)).logpdf(y)
    assert ExactGP(KERNEL, NOISE, x, y).log_likelihood() == pytest.approx(dense, rel=1e-10)


def test_log_likelihood_is_the_sum_of_one_step_predictions(data) -> None:
    """log p(y) = Σ log p(y_n | y_<n): ties the predictions to the likelihood."""
    x, y = data
    total = multivariate_normal(0.0, KERNEL.variance + NOISE).logpdf(y[0])
    for n in range(1, 30):
        mean, variance = ExactGP(KERNEL, NOISE, x[:n], y[:n]).predict(x[n : n + 1])
        total += multivariate_normal(mean[0], variance[0] + NOISE).logpdf(y[n])
    assert ExactGP(KERNEL, NOISE, x, y).log_likelihood() == pytest.approx(total, rel=1e-10)


def test_posterior_is_the_conditional_of_the_joint(data) -> None:
    x, y = data
    new = np.linspace(-3, 3, 11)[:, None]
    gp = ExactGP(KERNEL, NOISE, x, y)
    gain = np.linalg.solve(KERNEL(x, x) + NOISE * np.eye(30), KERNEL(x, new)).T  # [n, N]
    mean, covariance = gp.posterior(new)
    assert np.allclose(mean, gain @ y, atol=1e-10)
    assert np.allclose(covariance, KERNEL(new, new) - gain @ KERNEL(x, new), atol=1e-10)
    assert np.allclose(gp.predict(new)[0], mean, atol=1e-12)
    assert np.allclose(gp.predict(new)[1], np.diag(covariance), atol=1e-12)


def test_samples_have_the_moments_asked_for(data) -> None:
    x, y = data
    new = np.linspace(-2, 2, 60)[:, None]  # far more points than the smooth kernel has directions: singular
    mean, covariance = ExactGP(KERNEL, NOISE, x, y).posterior(new)
    draws = sample(mean, covariance, 40_000, np.random.default_rng(0))
    assert draws.shape == (40_000, 60)
    assert np.allclose(draws.mean(axis=0), mean, atol=0.02)
    assert np.allclose(np.cov(draws.T), covariance, atol=0.02)

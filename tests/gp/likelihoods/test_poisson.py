"""The integrals of the Poisson likelihood against a fine grid of f; its predictions against draws and quadrature."""

import numpy as np
import pytest
import tensorflow as tf
from scipy import stats
from scipy.special import logsumexp

from dgpexp.datasets import Scaler
from dgpexp.gp.likelihoods.poisson import Poisson

CASES = [(m, v, y) for m in (-2.0, 0.0, 2.0) for v in (1e-4, 0.1, 1.0, 4.0) for y in (0, 1, 5, 100, 5000)]


def _poisson(rate: float) -> Poisson:
    likelihood = Poisson()
    likelihood.start_at(np.full((4, 1), rate))
    return likelihood


def _grid(rate: float, mean: float, variance: float, y: float, power: float) -> float:
    """log E[p^α] by a sum over 40,000 f between the mode of the likelihood and that of f, and well beyond both."""
    std, narrow = np.sqrt(variance), 1 / np.sqrt(y + 1.0)
    ends = mean, np.log((y + 0.5) / rate)
    f = np.linspace(min(ends) - 12 * std - 12 * narrow, max(ends) + 12 * std + 12 * narrow, 40_001)
    log_p = power * stats.poisson(rate * np.exp(f)).logpmf(y) + stats.norm(mean, std).logpdf(f)
    return float(logsumexp(log_p) + np.log(f[1] - f[0]))


@pytest.mark.parametrize("rate", [0.3, 40.0])
@pytest.mark.parametrize("power", [1, 0.5])
def test_the_log_expected_density_of_a_power(rate, power):
    """Counts whose peak in f is a hundredth as wide as f, and rates that start far from their count."""
    expected = [_grid(rate, *case, power) for case in CASES]
    mean, variance, y = (tf.constant(np.array(a, float)[:, None]) for a in zip(*CASES, strict=True))
    np.testing.assert_allclose(
        _poisson(rate).log_expected_density(y, mean, variance, power), expected, rtol=1e-6, atol=1e-6
    )


def test_the_expected_log_density():
    z = np.linspace(-15, 15, 20_001)
    for mean, variance, y in CASES:
        found = _poisson(3.0).expected_log_density(*(tf.constant([[a]], tf.float64) for a in (y, mean, variance)))
        log_p = stats.poisson(3 * np.exp(mean + np.sqrt(variance) * z)).logpmf(y)
        np.testing.assert_allclose(found, [np.trapezoid(log_p * stats.norm.pdf(z), z)], rtol=1e-7)


def test_the_rate_starts_at_the_mean_of_the_training_counts():
    likelihood = Poisson()
    likelihood.start_at(np.array([[0.0], [3.0], [9.0]]))
    np.testing.assert_allclose(np.exp(likelihood.log_rate), 4.0)
    likelihood.start_at(np.zeros((5, 1)))
    assert np.isfinite(likelihood.log_rate.numpy())


@pytest.fixture(scope="module")
def prediction():
    """Two paths, three points: rates of a handful, of hundreds, and near 0."""
    rng = np.random.default_rng(0)
    means = np.array([[0.0, 4.0, -3.0], [0.5, 4.3, -2.0]])
    variances = np.array([[0.2, 0.05, 1.0], [0.4, 0.1, 0.5]])
    f = (means + np.sqrt(variances) * rng.standard_normal((200_000, 2, 3))).reshape(-1, 3)
    draws = rng.poisson(5 * np.exp(f))
    return _poisson(5.0).distribution([means, variances], Scaler.identity()), draws


def test_its_moments_are_those_of_draws(prediction):
    found, draws = prediction
    np.testing.assert_allclose(found.mean(), draws.mean(0), rtol=0.01)
    np.testing.assert_allclose(found.std(), draws.std(0), rtol=0.01)


def test_its_probabilities_are_the_integral_and_sum_to_one(prediction):
    found, _ = prediction
    k = np.arange(3000.0)[:, None] * np.ones(3)
    p = np.exp(found.log_density(k))
    np.testing.assert_allclose(p.sum(0), 1.0, rtol=1e-6)
    np.testing.assert_allclose(np.cumsum(p, 0)[[0, 3, 200]], found.cdf(k[[0, 3, 200]]), atol=1e-6)
    exact = [np.logaddexp(_grid(5.0, 4.0, 0.05, y, 1), _grid(5.0, 4.3, 0.1, y, 1)) - np.log(2) for y in (60, 150, 400)]
    np.testing.assert_allclose(found.log_density(k[[60, 150, 400]])[:, 1], exact, rtol=1e-6)


def test_quantiles_and_intervals_are_whole_and_those_of_draws(prediction):
    found, draws = prediction
    quantiles = found.quantile([0.05, 0.5, 0.95])
    np.testing.assert_allclose(quantiles, np.quantile(draws, [0.05, 0.5, 0.95], axis=0), atol=1, rtol=0.01)
    assert np.all(found.cdf(quantiles[1]) >= 0.5) and np.all(found.cdf(quantiles[1] - 1) < 0.5)
    regions = found.interval(0.8, "hdr")
    for point in range(3):
        low, high = regions[point, 0]
        assert low == round(low) and high == round(high)
        assert np.mean((draws[:, point] >= low) & (draws[:, point] <= high)) >= 0.795
    assert regions[2, 0, 0] == 0  # a rate near 0: the region begins at no count at all


def test_the_score_of_a_count_is_the_crps_of_draws(prediction):
    found, draws = prediction
    y = np.array([12.0, 100.0, 0.0])
    others = np.random.default_rng(1).permutation(draws)
    expected = np.abs(draws - y).mean(0) - 0.5 * np.abs(draws - others).mean(0)
    np.testing.assert_allclose(found.crps(y), expected, rtol=0.01)
    np.testing.assert_allclose(found.log_mean_density(y, 1.0), found.log_density(y))


def test_the_probability_of_a_count_is_uniform_where_it_is_calibrated(prediction):
    found, draws = prediction
    many = found.at(np.repeat([0, 2], 5000))
    u = many.pit(np.concatenate([draws[:5000, 0], draws[:5000, 2]]).astype(float))
    assert stats.kstest(u[:5000], "uniform").pvalue > 0.001
    assert stats.kstest(u[5000:], "uniform").pvalue > 0.001


def test_draws_are_counts_with_the_right_mean(prediction):
    found, draws = prediction
    drawn = found.sample(20_000, 1)
    assert drawn.shape == (20_000, 3) and np.all(drawn == np.round(drawn))
    np.testing.assert_allclose(drawn.mean(0), draws.mean(0), rtol=0.05)

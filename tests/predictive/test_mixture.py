"""The predictive mixture against scipy and numerical integration."""

import tracemalloc

import numpy as np
import pytest
from scipy import integrate, stats

from dgpexp.predictive.mixture import Mixture


@pytest.fixture
def mixture() -> Mixture:
    """Two points: one mixture far apart, one nearly a Gaussian."""
    return Mixture(np.array([[-3.0, 0.0], [2.0, 0.1], [2.5, -0.1]]), np.array([[0.3, 1.0], [0.5, 1.2], [0.1, 0.8]]))


def _density(mixture: Mixture, point: int):
    components = [
        stats.norm(m, np.sqrt(v)) for m, v in zip(mixture.means[:, point], mixture.variances[:, point], strict=True)
    ]
    return lambda y: np.mean([c.pdf(y) for c in components], axis=0)


def _integral(f) -> float:
    return sum(integrate.quad(f, a, b, limit=200)[0] for a, b in ((-15, -3), (-3, 0), (0, 2), (2, 15)))


def test_moments_are_the_integrals(mixture):
    for point in range(2):
        p = _density(mixture, point)
        mean = _integral(lambda y: y * p(y))  # noqa: B023
        np.testing.assert_allclose(mixture.mean()[point], mean, rtol=1e-7, atol=1e-9)
        variance = _integral(lambda y: (y - mean) ** 2 * p(y))  # noqa: B023
        np.testing.assert_allclose(mixture.variance()[point], variance, rtol=1e-7)
        np.testing.assert_allclose(mixture.std()[point], np.sqrt(variance), rtol=1e-7)


def test_log_density_is_that_of_scipy_and_survives_the_far_tail(mixture):
    y = np.array([1.7, -0.4])
    expected = [np.log(_density(mixture, point)(y[point])) for point in range(2)]
    np.testing.assert_allclose(mixture.log_density(y), expected, rtol=1e-12)
    assert np.isfinite(mixture.log_density(np.array([1e4, -1e4]))).all()


@pytest.mark.parametrize("width", [3.0, 0.1, 1e-3, 1e-5, 1e-7, 1e-12])
def test_the_density_averaged_over_a_cell_is_its_integral_over_the_width(mixture, width):
    y = np.array([1.7, -0.4])
    for point in range(2):
        p = _density(mixture, point)
        whole = integrate.quad(lambda t: p(y[point] + width * t), -0.5, 0.5, epsabs=0, epsrel=1e-12)[0]  # noqa: B023
        np.testing.assert_allclose(mixture.log_mean_density(y, width)[point], np.log(whole), rtol=0, atol=3e-9)


@pytest.mark.parametrize("width", [2.0, 1e-2, 1e-4, 1e-6])
def test_the_density_averaged_over_a_cell_survives_the_far_tail(width):
    """At z deviations, log Φ(-z) differences by integrating φ relative to its value at the centre."""
    one = Mixture(np.zeros((1, 3)), np.ones((1, 3)))
    for z in (5.0, -40.0, 300.0):
        relative = integrate.quad(lambda t: np.exp(-z * t - t * t / 2), -width / 2, width / 2, epsrel=1e-12)[0]  # noqa: B023
        expected = stats.norm.logpdf(z) + np.log(relative / width)
        np.testing.assert_allclose(one.log_mean_density(np.full(3, z), width), expected, rtol=1e-9)


def test_a_cell_without_width_has_the_density_itself(mixture):
    y = np.array([1.7, -0.4])
    np.testing.assert_array_equal(mixture.log_mean_density(y, 0.0), mixture.log_density(y))


def test_quantiles_invert_the_distribution_function(mixture):
    for p in (0.001, 0.05, 0.5, 0.9, 0.999):
        np.testing.assert_allclose(mixture.cdf(mixture.quantile(p)), p, atol=1e-12)
    one = Mixture(np.array([[4.0]]), np.array([[9.0]]))
    np.testing.assert_allclose(one.quantile(0.975), stats.norm(4, 3).ppf(0.975), rtol=1e-12)
    with pytest.raises(ValueError, match="between 0 and 1"):
        one.quantile(1.0)


def test_crps_is_the_integral_of_its_definition(mixture):
    y = np.array([1.0, 0.7])
    for point in range(2):

        def distribution(t: float, point: int = point) -> float:
            return float(Mixture(mixture.means[:, [point]], mixture.variances[:, [point]]).cdf(np.array([t]))[0])

        below = integrate.quad(lambda t: distribution(t) ** 2, -15, y[point], limit=400)[0]
        above = integrate.quad(lambda t: (1 - distribution(t)) ** 2, y[point], 15, limit=400)[0]
        np.testing.assert_allclose(mixture.crps(y)[point], below + above, rtol=1e-6)


def test_crps_of_one_gaussian_is_the_known_formula():
    y, mean, std = 1.3, 0.4, 2.0
    z = (y - mean) / std
    known = std * (z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / np.sqrt(np.pi))
    np.testing.assert_allclose(Mixture(np.array([[mean]]), np.array([[std**2]])).crps(np.array([y])), known)


def test_crps_does_not_depend_on_how_the_points_are_cut(mixture, monkeypatch):
    whole = mixture.crps(np.array([1.0, 0.7]))
    monkeypatch.setattr("dgpexp.predictive.mixture._PAIRS_AT_ONCE", 1)
    np.testing.assert_array_equal(mixture.crps(np.array([1.0, 0.7])), whole)


def test_samples_follow_the_mixture(mixture):
    draws = mixture.sample(20_000, np.random.default_rng(0))
    for point in range(2):
        one = Mixture(mixture.means[:, [point]], mixture.variances[:, [point]])
        distribution = lambda t, one=one: np.array([one.cdf(np.array([v]))[0] for v in np.atleast_1d(t)])  # noqa: E731
        assert stats.kstest(draws[:, point], distribution).pvalue > 1e-3


def test_several_values_for_each_point_are_taken_at_once(mixture):
    y = np.array([[1.7, -0.4], [0.0, 3.0], [-2.0, 0.2]])
    for name in ("logpdf", "pdf", "cdf"):
        method = getattr(mixture, name)
        np.testing.assert_array_equal(method(y), [method(row) for row in y])
    np.testing.assert_array_equal(mixture.ppf([0.1, 0.8]), [mixture.ppf(0.1), mixture.ppf(0.8)])
    np.testing.assert_array_equal(mixture.cdf(0.5), mixture.cdf(np.array([0.5, 0.5])))


def test_quantiles_are_those_of_bisection_whatever_the_modes():
    """Modes far apart, components of widths over four decades: Newton stays inside the bracket of the components."""
    rng = np.random.default_rng(5)
    means = rng.choice([-50.0, 0.0, 3.0, 70.0], size=(30, 40)) + rng.normal(size=(30, 40))
    mixture = Mixture(means, 10.0 ** rng.uniform(-4, 0, size=(30, 40)))
    levels = np.array([1e-6, 0.05, 0.31, 0.5, 0.95, 0.9999])[:, None]
    low, high = np.full((6, 40), -100.0), np.full((6, 40), 100.0)
    for _ in range(70):
        middle = 0.5 * (low + high)
        below = mixture.cdf(middle) < levels
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    np.testing.assert_allclose(mixture.quantile(levels[:, 0]), 0.5 * (low + high), rtol=1e-12, atol=1e-12)


def test_crps_of_many_components_needs_little_memory():
    """4,000 components have 8 million pairs, 64 MB of each array of them at once."""
    rng = np.random.default_rng(6)
    means, variances = rng.normal(size=(4000, 1)), rng.uniform(0.5, 1, size=(4000, 1))
    tracemalloc.start()
    found = Mixture(means, variances).crps(np.array([0.3]))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6 and found.shape == (1,)
    few = Mixture(means[:90], variances[:90])
    m, s = few.means[:, 0], np.sqrt(few.variances[:, 0] + few.variances[:, 0][:, None])
    z = (m - m[:, None]) / s
    pairs = (m - m[:, None]) * (2 * stats.norm.cdf(z) - 1) + 2 * s * stats.norm.pdf(z)
    z = (0.3 - m) / np.sqrt(few.variances[:, 0])
    alone = (0.3 - m) * (2 * stats.norm.cdf(z) - 1) + 2 * np.sqrt(few.variances[:, 0]) * stats.norm.pdf(z)
    np.testing.assert_allclose(few.crps(np.array([0.3]))[0], alone.mean() - 0.5 * pairs.mean(), rtol=1e-10)

"""Modes and highest-density regions against closed forms and a brute-force search over a fine grid."""

import numpy as np
import pytest
from scipy import stats

from dgpexp.predictive.mixture import Mixture


def two_humps(gap: float = 6.0) -> Mixture:
    """One point: a narrow hump of a third of the probability, and a wide one."""
    return Mixture(np.array([[0.0], [gap], [gap]]), np.array([[0.25], [1.0], [1.0]]))


def random_mixtures(points: int = 40, components: int = 15) -> Mixture:
    rng = np.random.default_rng(3)
    return Mixture(3 * rng.normal(size=(components, points)), rng.uniform(0.02, 2.0, size=(components, points)))


def probability(mixture: Mixture, regions: np.ndarray) -> np.ndarray:
    """Of all regions [n, K, 2] of every point: [n]."""
    within = mixture.cdf(regions[:, :, 1].T) - mixture.cdf(regions[:, :, 0].T)  # [K, n]
    return np.nansum(within, axis=0)


def test_of_one_gaussian_both_kinds_of_interval_are_the_same():
    one = Mixture(np.array([[4.0, -1.0]]), np.array([[9.0, 0.01]]))
    central = one.interval(0.9)
    np.testing.assert_allclose(central, np.stack(stats.norm([4, -1], [3, 0.1]).interval(0.9), axis=1), rtol=1e-10)
    np.testing.assert_allclose(one.interval(0.9, "hdr")[:, 0], central, atol=1e-4)
    np.testing.assert_allclose(one.modes(), [[4.0], [-1.0]], atol=1e-6)


@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_a_region_has_its_probability_and_equal_density_at_its_ends(level):
    mixture = random_mixtures()
    regions = mixture.interval(level, "hdr")
    np.testing.assert_allclose(probability(mixture, regions), level, atol=1e-3)
    log_p = mixture.logpdf(regions.reshape(40, -1).T)  # [2K, n]
    np.testing.assert_allclose(np.nanmax(log_p, axis=0), np.nanmin(log_p, axis=0), atol=1e-6)


def test_a_region_is_the_smallest_set_of_its_probability():
    """On a fine grid: the cells of highest density, taken until they have the probability."""
    mixture = random_mixtures(points=8)
    regions = mixture.interval(0.8, "hdr")
    grid = np.linspace(-20, 20, 200_001)
    width = grid[1] - grid[0]
    for point in range(8):
        one = Mixture(mixture.means[:, [point]], mixture.variances[:, [point]])
        p = np.sort(one.pdf(grid[:, None])[:, 0])[::-1]
        least = width * np.searchsorted(np.cumsum(p) * width, 0.8)
        assert np.nansum(regions[point, :, 1] - regions[point, :, 0]) == pytest.approx(least, rel=1e-2)
        assert np.diff(one.interval(0.8))[0, 0] >= least - 1e-3


def test_two_modes_make_two_regions_that_leave_the_gap_out():
    mixture = two_humps()
    regions = mixture.interval(0.9, "hdr")
    assert regions.shape == (1, 2, 2)
    assert regions[0, 0, 1] < 2 < regions[0, 1, 0], "between the humps lies nothing"
    low, high = mixture.interval(0.9)[0]
    assert low < 2 < high, "which the central interval covers"
    np.testing.assert_allclose(mixture.modes(), [[0.0, 6.0]], atol=1e-6)


def test_far_and_narrow_humps_stay_apart_at_a_high_level():
    mixture = Mixture(np.array([[0.0], [1000.0]]), np.array([[1e-6], [1e-6]]))
    regions = mixture.interval(0.999, "hdr")
    assert regions.shape == (1, 2, 2)
    assert np.all(regions[0, :, 1] - regions[0, :, 0] < 0.02)


def test_points_with_fewer_regions_or_modes_are_padded():
    mixture = Mixture(np.array([[0.0, 0.0], [6.0, 0.1]]), np.ones((2, 2)))
    assert np.isnan(mixture.modes()[1]).tolist() == [False, True]
    assert np.isnan(mixture.interval(0.9, "hdr")[1]).tolist() == [[False, False], [True, True]]


def test_ripples_are_no_modes_unless_they_are_asked_for():
    """Two narrow components half-hidden in a broad hump: three maxima, of which one is prominent."""
    means = np.concatenate([np.zeros(30), [1.5], [-1.5]])[:, None]
    mixture = Mixture(means, np.concatenate([np.ones(30), [0.01], [0.01]])[:, None])
    all_of_them = mixture.modes(prominence=0)
    assert all_of_them.shape[1] == 3
    y = np.linspace(-4, 4, 8001)
    p = mixture.pdf(y[:, None])[:, 0]
    maxima = y[1:-1][(p[1:-1] > p[:-2]) & (p[1:-1] > p[2:])]
    np.testing.assert_allclose(np.sort(all_of_them[0]), maxima, atol=2e-3)
    assert mixture.modes(prominence=0.6).shape[1] == 1


def test_many_points_are_worked_on_in_parts(monkeypatch):
    mixture = random_mixtures()
    whole = mixture.interval(0.9, "hdr"), mixture.modes()
    monkeypatch.setattr("dgpexp.predictive.shape._AT_ONCE", 1)
    np.testing.assert_allclose(mixture.interval(0.9, "hdr"), whole[0], rtol=1e-9)
    np.testing.assert_allclose(mixture.modes(), whole[1], rtol=1e-9)


def test_levels_and_kinds_that_do_not_exist_are_refused():
    with pytest.raises(ValueError, match="between 0 and 1, not 90"):
        two_humps().interval(90)
    with pytest.raises(ValueError, match="'central' or 'hdr', not 'hpd'"):
        two_humps().interval(0.9, "hpd")

"""The measures on mixtures whose answer is known."""

import numpy as np
import pytest
from scipy.stats import norm

from dgpexp.figures.predictive.multimodality import Multimodality, branch_shares, measure, summarise, valley_depth
from dgpexp.predictive.mixture import Mixture


def mixture(means: list[float], deviation: float, points: int = 1) -> Mixture:
    column = np.array(means)[:, None] * np.ones(points)
    return Mixture(column, np.full_like(column, deviation**2))


def test_the_truth_has_its_mass_on_both_branches_and_a_valley_down_to_nothing() -> None:
    m = measure(mixture([-7.0, 7.0], 1.0), np.array([[7.0], [-7.0]]), np.array([1.0]))
    within = norm.cdf(2) - norm.cdf(-2)
    assert m.near_first == pytest.approx(within / 2) and m.near_second == pytest.approx(within / 2)
    assert m.between == pytest.approx(norm.cdf(-2), abs=1e-6)
    assert m.valley == pytest.approx(1.0, abs=1e-6) and m.two_peaks == 1.0


def test_one_gaussian_over_both_branches_has_no_valley() -> None:
    m = measure(mixture([0.0], 7.0), np.array([[7.0], [-7.0]]), np.array([1.0]))
    assert m.valley == 0.0 and m.two_peaks == 0.0
    assert m.near_first == pytest.approx(norm.cdf(9 / 7) - norm.cdf(5 / 7))
    assert m.between == pytest.approx(norm.cdf(5 / 7) - norm.cdf(-5 / 7))


def test_a_prediction_of_one_branch_alone_has_no_valley_either() -> None:
    m = measure(mixture([7.0], 1.0), np.array([[7.0], [-7.0]]), np.array([1.0]))
    assert m.near_first == pytest.approx(norm.cdf(2) - norm.cdf(-2))
    assert m.near_second == pytest.approx(0.0, abs=1e-12)
    assert m.valley == 0.0


def test_the_depth_of_a_valley_is_relative_to_the_lower_peak() -> None:
    """Weights 1 : 3, far apart: the lower peak counts. Peaks 2 a deviation from the middle: known depth there."""
    unequal = valley_depth(mixture([-5.0, 5.0, 5.0, 5.0], 1.0), np.array([-5.0]), np.array([5.0]))
    assert unequal[0] == pytest.approx(1.0, abs=1e-4)
    close = valley_depth(mixture([-2.0, 2.0], 1.0), np.array([-2.0]), np.array([2.0]))
    peak = max(0.5 * (norm.pdf(t, -2) + norm.pdf(t, 2)) for t in np.linspace(-3, 3, 3001))
    assert close[0] == pytest.approx(1 - norm.pdf(2) / peak, abs=1e-3)


def test_inputs_where_the_branches_are_close_do_not_count() -> None:
    branches = np.array([[7.0, 1.0], [-7.0, -1.0]])
    both = Mixture(np.array([[7.0, 0.0], [-7.0, 0.0]]), np.ones((2, 2)))
    assert measure(both, branches, np.ones(2)) == measure(mixture([7.0, -7.0], 1.0), branches[:, :1], np.ones(1))


def test_shares_are_given_for_every_branch_and_input() -> None:
    shares = branch_shares(mixture([0.0], 1.0, points=3), np.array([[0.0, 1.0, 50.0]]), np.ones(3))
    assert shares == pytest.approx(np.array([[norm.cdf(1) - norm.cdf(-1), norm.cdf(2) - 0.5, 0.0]]))


def test_a_summary_has_mean_and_standard_error_over_runs() -> None:
    runs = [Multimodality(0.2, 0.4, 0.1, v, 1.0) for v in (0.5, 0.7, 0.9)]
    mean, error = summarise(runs)["valley"]
    assert mean == pytest.approx(0.7) and error == pytest.approx(0.2 / np.sqrt(3))
    assert np.isnan(summarise(runs[:1])["valley"][1])

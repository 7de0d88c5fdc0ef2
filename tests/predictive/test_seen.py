"""What a model has learnt from: rows unlike it are flagged, and the variance is split into what stays and what goes."""

import numpy as np
import pytest
from scipy.stats import norm

from dgpexp.predictive.compound import Compound, over_f
from dgpexp.predictive.mixture import Mixture
from dgpexp.predictive.seen import FAR, Seen
from dgpexp.predictive.stack import Stack

NAMES = ("Year", "size")


def rows(n: int = 300) -> np.ndarray:
    rng = np.random.default_rng(0)
    return np.column_stack([rng.integers(70, 83, n), rng.normal(size=n)]).astype(float)


def test_a_year_of_four_digits_is_outside_and_says_why():
    seen = Seen.of(rows())
    x = np.array([[1975.0, 0.0], [75.0, 0.0], [84.0, 0.0]])
    assert seen.outside(x).tolist() == [True, False, True]
    assert seen.columns(x, FAR).any(1).tolist() == [True, False, False], "a little outside is no reason to warn"
    first, second, _ = seen.words(x, NAMES)
    assert first == "Year = 1975 (learnt from 70 to 82)" and second == ""
    assert seen.unknown(x)[0] > 0.99 and seen.unknown(x)[1] < 0.3


def test_a_combination_that_no_training_row_is_near_is_outside_within_all_ranges():
    t = np.linspace(0, 1, 400)
    seen = Seen.of(np.column_stack([t, t]))
    assert seen.words(np.array([[0.1, 0.9]]), NAMES) == ["no training row is near"]
    assert seen.unknown(np.array([[0.5, 0.5]])) == 0


def test_it_survives_a_file_and_an_older_file_has_none(tmp_path):
    seen, x = Seen.of(rows()), rows(20) * 1.5
    np.savez(tmp_path / "a.npz", **seen.arrays())
    with np.load(tmp_path / "a.npz") as kept:
        again = Seen.of_arrays(kept)
    np.testing.assert_array_equal(again.unknown(x), seen.unknown(x))
    assert Seen.of_arrays({"scaler/x/mean": x}) is None


def test_the_three_parts_sum_to_the_variance():
    rng = np.random.default_rng(1)
    means, variances = rng.normal(size=(7, 5)), rng.uniform(1, 2, size=(7, 5))
    gaussian = Mixture(means, variances, np.full(5, 0.4))
    given = lambda f, s: norm(f, s)  # noqa: E731
    compound = Compound(
        lambda m, v, s: over_f(given, m, v, s), means, variances, (np.ones(5),), np.zeros(5), np.full(5, 2.0)
    )
    stack = Stack((gaussian, Mixture(means + 3, variances)), np.array([0.25, 0.75]))
    for found in (gaussian, compound, stack):
        np.testing.assert_allclose(found.spread().sum(0), found.variance(), rtol=1e-6)
    np.testing.assert_allclose(gaussian.spread()[0], 0.4)
    np.testing.assert_allclose(compound.spread()[0], 4.0, rtol=1e-6)
    assert stack.spread()[1] == pytest.approx(0.25 * gaussian.spread()[1] + 0.25 * 0.75 * 9), "members that differ"


def test_two_branches_are_noise_where_rows_are_near_and_ignorance_where_none_is():
    branches = Mixture(np.array([[-10.0], [10.0]]), np.full((2, 1), 1.5), np.array([1.0]))
    assert branches.ignorance(0.0) == pytest.approx(0.5)
    assert branches.ignorance(1.0) == pytest.approx(100.5)

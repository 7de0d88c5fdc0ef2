"""Stacking: weights against brute force on the simplex, and mixtures of models against mixtures of their components."""

from itertools import product

import numpy as np
import pytest

from dgpexp.predictive.classes import Classes
from dgpexp.predictive.mixture import Mixture
from dgpexp.predictive.stack import HeldOut, Stack, cross_stacked, frugal_weights, score, stacked, weights


def log_densities(seed: int = 0, rows: int = 80) -> np.ndarray:
    """Of rows from N(0, 1) or N(3, 1), under three models: each part alone, and a broad one."""
    rng = np.random.default_rng(seed)
    y = rng.normal(size=rows) + 3 * (rng.random(rows) < 0.3)
    centre, spread = np.array([[0.0], [3.0], [1.0]]), np.array([[1.0], [1.0], [2.0]])
    return -0.5 * ((y - centre) / spread) ** 2 - np.log(spread) - 0.5 * np.log(2 * np.pi)


@pytest.mark.parametrize("seed", range(3))
def test_no_weights_on_a_grid_of_the_simplex_are_better(seed):
    log_p = log_densities(seed)
    grid = [np.array([a, b, 100 - a - b]) / 100 for a, b in product(range(101), repeat=2) if a + b <= 100]
    best = max(score(log_p, w) for w in grid)
    found = weights(log_p)
    assert found.sum() == pytest.approx(1) and np.all(found >= 0)
    assert best - 1e-5 < score(log_p, found) < best + 1e-3, "and the grid is nearly as good"


def test_a_member_that_is_never_better_has_no_weight():
    log_p = log_densities()[:2]
    found = weights(np.concatenate([log_p, log_p[:1] - 1.0]))
    assert found[2] == 0


def test_a_costly_member_must_earn_its_place():
    log_p = log_densities()
    again = np.concatenate([log_p, log_p[:1]])
    assert frugal_weights(again, [0, 0, 0, 1])[3] == 0, "it only says what a cheap one says"
    assert frugal_weights(again, [1, 0, 0, 0])[0] == 0
    assert frugal_weights(log_p[[2, 0, 1]], [0, 1, 2])[1:].min() > 0.2, "both branches are worth their price"


@pytest.fixture
def pair() -> tuple[Stack, Mixture]:
    """The same distribution twice: 1/4 A + 3/4 B, and a component of A beside three of B."""
    means, variances = np.array([[-2.0, 1.0, 5.0], [2.0, 1.0, 4.0]]), np.array([[0.25, 1.0, 4.0], [0.5, 2.0, 1.0]])
    a, b = (Mixture(means[k : k + 1], variances[k : k + 1]) for k in (0, 1))
    return stacked([a, b], [0.25, 0.75]), Mixture(means[[0, 1, 1, 1]], variances[[0, 1, 1, 1]])


@pytest.mark.parametrize(
    "ask",
    [
        lambda d: d.mean(),
        lambda d: d.variance(),
        lambda d: d.log_density(np.array([-1.0, 0.0, 9.0])),
        lambda d: d.log_density(np.linspace(-3, 6, 12).reshape(4, 3)),
        lambda d: d.log_mean_density(np.array([-1.0, 0.0, 9.0]), 0.5),
        lambda d: d.cdf(np.array([-1.0, 0.0, 9.0])),
        lambda d: d.quantile([0.01, 0.24, 0.5, 0.99]),
        lambda d: d.interval(0.9),
        lambda d: d.at([2, 0, 0]).mean(),
        lambda d: type(d).joined([d.at([0]), d.at([2])]).std(),
    ],
)
def test_it_answers_as_the_mixture_of_all_components(pair, ask):
    np.testing.assert_allclose(ask(pair[0]), ask(pair[1]), rtol=1e-8)


def test_its_modes_regions_and_scores_are_those_of_the_mixture_of_all_components(pair):
    stack, mixture = pair
    np.testing.assert_allclose(stack.modes(), mixture.modes(), atol=0.01)
    np.testing.assert_allclose(stack.interval(0.8, "hdr"), mixture.interval(0.8, "hdr"), atol=2e-3)
    assert stack.interval(0.8, "hdr").shape == (3, 2, 2), "two intervals at the first point, one elsewhere"
    y = np.array([-1.0, 0.0, 9.0])
    np.testing.assert_allclose(stack.crps(y), mixture.crps(y), rtol=1e-6)


def test_its_draws_have_its_moments(pair):
    draws = pair[0].sample(40_000, 0)
    np.testing.assert_allclose(draws.mean(0), pair[0].mean(), atol=0.03)
    np.testing.assert_allclose(draws.std(0), pair[0].std(), rtol=0.02)


def test_probabilities_of_classes_are_averaged():
    members = [Classes(np.log([[p, 1 - p]]), ("no", "yes")) for p in (0.2, 0.8)]
    np.testing.assert_allclose(stacked(members, [0.25, 0.75]).probabilities, [[0.65, 0.35]])


def test_a_member_alone_stays_what_it_is():
    one = Mixture(np.zeros((1, 2)), np.ones((1, 2)))
    assert stacked([one, one], [0.0, 1.0]) is one


def test_a_fold_is_scored_by_weights_that_have_not_seen_its_rows():
    """Fold 0 and a copy of it under the same row numbers: nothing is left to learn its weights from but fold 1."""
    good, bad = Mixture(np.zeros((1, 50)), np.ones((1, 50))), Mixture(np.full((1, 50), 5.0), np.ones((1, 50)))
    near = np.random.default_rng(0).normal(size=50)
    first, copy = (HeldOut(np.arange(50), near, {"here": good, "there": bad}) for _ in range(2))
    other = HeldOut(np.arange(50, 100), near + 5.0, {"here": good, "there": bad})
    mixtures = cross_stacked([first, copy, other], ["here", "there"], [0, 0])
    assert mixtures[0].mean()[0] > 4.9 and mixtures[1].mean()[0] > 4.9 and mixtures[2].mean()[0] < 0.1

"""The one integral of robust-max against a fine grid and against counting draws."""

import numpy as np
import pytest
import tensorflow as tf
from scipy.special import ndtr
from scipy.stats import norm

from dgpexp.gp.likelihoods.robust_max import RobustMax, largest

RNG = np.random.default_rng(0)
MEAN, VARIANCE = RNG.normal(size=(6, 4)), RNG.uniform(0.5, 2.0, size=(6, 4))  # [n, C]
Y = np.array([0.0, 1.0, 2.0, 3.0, 0.0, 2.0])
ROBUST = RobustMax(("a", "b", "c", "d"))


def _on_a_grid(mean: np.ndarray, variance: np.ndarray, c: int) -> float:
    f = np.linspace(-30, 30, 20_001)
    others = [ndtr((f - mean[k]) / np.sqrt(variance[k])) for k in range(len(mean)) if k != c]
    return np.trapezoid(norm.pdf(f, mean[c], np.sqrt(variance[c])) * np.prod(others, axis=0), f)


def _p() -> np.ndarray:
    return np.array([_on_a_grid(m, v, int(y)) for m, v, y in zip(MEAN, VARIANCE, Y, strict=True)])


def test_the_integral_is_the_grids():
    chosen = tf.one_hot(Y.astype(int), 4, dtype=tf.float64)
    np.testing.assert_allclose(largest(chosen, tf.constant(MEAN), tf.constant(VARIANCE)), _p(), atol=1e-5)


def test_the_integral_is_the_share_of_draws_in_which_the_class_is_the_largest():
    f = MEAN + np.sqrt(VARIANCE) * np.random.default_rng(1).standard_normal((200_000, 6, 4))
    share = np.mean(f.argmax(axis=2) == Y, axis=0)
    chosen = tf.one_hot(Y.astype(int), 4, dtype=tf.float64)
    np.testing.assert_allclose(largest(chosen, tf.constant(MEAN), tf.constant(VARIANCE)), share, atol=5e-3)


@pytest.mark.parametrize("power", [1, 0.3])
def test_the_expectations_follow_from_it(power):
    y, mean, variance = tf.constant(Y[:, None]), tf.constant(MEAN), tf.constant(VARIANCE)
    p, right, wrong = _p(), 1 - 1e-3, 1e-3 / 3
    np.testing.assert_allclose(
        ROBUST.expected_log_density(y, mean, variance), p * np.log(right) + (1 - p) * np.log(wrong), atol=1e-4
    )
    np.testing.assert_allclose(
        ROBUST.log_expected_density(y, mean, variance, power),
        np.log(p * right**power + (1 - p) * wrong**power),
        atol=1e-4,
    )


def test_two_classes_have_the_closed_form():
    """f_1 - f_0 is Gaussian."""
    two = RobustMax(("a", "b"))
    p = ndtr((MEAN[:, 1] - MEAN[:, 0]) / np.sqrt(VARIANCE[:, 0] + VARIANCE[:, 1]))
    (found,) = two.predictive(tf.constant(MEAN[None, :, :2]), tf.constant(VARIANCE[None, :, :2]))
    np.testing.assert_allclose(np.exp(found[:, 1]), 0.999 * p + 0.001 * (1 - p), atol=1e-4)


def test_probabilities_are_averaged_over_paths_and_add_up_to_one():
    mean, variance = np.stack([MEAN, MEAN[::-1]]), np.stack([VARIANCE, VARIANCE[::-1]])
    (both,) = ROBUST.predictive(tf.constant(mean), tf.constant(variance))
    singles = [ROBUST.predictive(tf.constant(m[None]), tf.constant(v[None]))[0] for m, v in zip(mean, variance)]  # noqa: B905
    np.testing.assert_allclose(np.exp(both), np.mean(np.exp(singles), axis=0))
    np.testing.assert_allclose(np.exp(both).sum(axis=1), 1.0)


def test_a_hopeless_point_costs_what_epsilon_says():
    mean, y = tf.constant([[0.0, 1e4, 0.0, 0.0]]), tf.zeros([1, 1], tf.float64)
    for value in (
        ROBUST.expected_log_density(y, mean, mean * 0 + 1),
        ROBUST.log_expected_density(y, mean, mean * 0 + 1),
    ):
        np.testing.assert_allclose(value, [np.log(1e-3 / 3)])


@pytest.mark.parametrize("spread", [1e2, 1e4])
def test_variances_may_be_as_different_as_they_like(spread):
    """Where one dwarfs the others, points of the chosen Gaussian alone missed P by 0.13."""
    rng = np.random.default_rng(4)
    mean, std = rng.normal(size=(300, 5)), spread ** rng.uniform(-0.25, 0.25, size=(300, 5))
    found = largest(np.eye(5)[0], tf.constant(mean), tf.constant(std**2))
    for p, m, s in zip(found, mean, std, strict=True):
        f = np.unique((m + s * np.linspace(-9, 9, 801)[:, None]).ravel())
        below = np.prod(ndtr((f[:, None] - m[1:]) / s[1:]), axis=1)
        np.testing.assert_allclose(p, np.trapezoid(norm.pdf(f, m[0], s[0]) * below, f), atol=5e-4)

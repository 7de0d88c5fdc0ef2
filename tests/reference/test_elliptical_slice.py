"""A joint-distribution test of the sampler (Geweke 2004), and proof that it notices a wrong acceptance rule."""

import numpy as np
import pytest

from dgpexp.reference import elliptical_slice
from dgpexp.reference.exact import ExactGP
from dgpexp.reference.kernels import RBF

X = np.array([[0.0], [0.4], [1.5]])
K = RBF(1.0, 0.8)(X, X)
SECOND, NOISE = RBF(1.0, 0.7), 0.1


class _Level(np.random.Generator):
    """A generator that breaks the acceptance rule: the level always lies `below` nats under the present likelihood."""

    def __init__(self, below: float, seed: int) -> None:
        super().__init__(np.random.PCG64(seed))
        self._below = below

    def exponential(self, *args, **kwargs):
        return self._below


def _z_scores(rng: np.random.Generator, repeats: int = 1500, steps: int = 2) -> np.ndarray:
    """How surely slice steps on h with y fixed change the joint distribution of h and y = f(h) + e: it is invariant.

    (h, y) is drawn from the joint distribution; after the steps (h', y) has the same one, so that E g(h', y) - g(h, y)
    is 0 for every g. The draws are independent, which gives the mean its standard error: [G] means over errors.
    """
    root = np.linalg.cholesky(K)

    def log_likelihood(h: np.ndarray) -> float:
        return ExactGP(SECOND, NOISE, h, y).log_likelihood()

    differences = []
    for _ in range(repeats):
        h = root @ rng.standard_normal((3, 1))
        y = np.linalg.cholesky(SECOND(h, h) + NOISE * np.eye(3)) @ rng.standard_normal(3)
        new, value = h, log_likelihood(h)
        before = _statistics(h[:, 0], y, value)
        for _ in range(steps):
            new, value = elliptical_slice.step(new, value, log_likelihood, root @ rng.standard_normal((3, 1)), rng)
        assert value == log_likelihood(new)
        differences.append(_statistics(new[:, 0], y, value) - before)
    return np.mean(differences, axis=0) / (np.std(differences, axis=0) / np.sqrt(repeats))


def _statistics(h: np.ndarray, y: np.ndarray, log_likelihood: float) -> np.ndarray:
    """Moments of h, of h with y, and the likelihood that ties the two."""
    apart = np.abs(h[0] - h[2])
    return np.array([h[0], h[0] ** 2, h[0] * h[1], h[0] * h[2], h[2] ** 4, apart * y[0] * y[2], log_likelihood])


def test_steps_leave_the_joint_distribution_as_it_is() -> None:
    assert np.abs(_z_scores(np.random.default_rng(0))).max() < 4


@pytest.mark.parametrize(("below", "name"), [(0.0, "only uphill"), (np.inf, "always")])
def test_a_wrong_acceptance_rule_is_noticed(below: float, name: str) -> None:
    """Always accepting draws from the prior: every marginal of h stays right, and only what ties h to y tells."""
    assert np.abs(_z_scores(_Level(below, 0), repeats=500)).max() > 6, name

"""FITC against its own definition in dense matrices, and against the exact GP where the two must agree."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from dgpexp.reference.exact import ExactGP
from dgpexp.reference.kernels import RBF
from dgpexp.reference.learn import maximise
from dgpexp.reference.sparse import FITC

KERNEL, NOISE = RBF(1.4, 0.6), 0.05


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    x = np.sort(rng.uniform(-2, 2, (30, 1)), axis=0)
    return x, np.sin(3 * x[:, 0]) + 0.2 * rng.standard_normal(30)


def test_likelihood_and_predictions_are_those_of_its_covariance(data) -> None:
    x, y = data
    z, new = np.linspace(-2, 2, 6)[:, None], np.linspace(-3, 3, 11)[:, None]
    fitc = FITC(KERNEL, NOISE, z, x, y, jitter=0.0)

    def q(a, b):
        return KERNEL(a, z) @ np.linalg.solve(KERNEL(z, z), KERNEL(z, b))

    C = q(x, x) + np.diag(KERNEL.diag(x) - np.diag(q(x, x)) + NOISE)  # [N, N]
    assert fitc.log_likelihood() == pytest.approx(multivariate_normal(np.zeros(30), C).logpdf(y), rel=1e-9)
    mean, variance = fitc.predict(new)
    assert np.allclose(mean, q(new, x) @ np.linalg.solve(C, y), atol=1e-9)
    assert np.allclose(variance, KERNEL.diag(new) - np.diag(q(new, x) @ np.linalg.solve(C, q(x, new))), atol=1e-9)


def test_with_an_inducing_point_at_every_input_it_is_the_exact_gp(data) -> None:
    x, y = data
    new = np.linspace(-3, 3, 11)[:, None]
    fitc, exact = FITC(KERNEL, NOISE, x, x, y, jitter=1e-12), ExactGP(KERNEL, NOISE, x, y)
    assert fitc.log_likelihood() == pytest.approx(exact.log_likelihood(), abs=1e-5)
    for ours, theirs in zip(fitc.predict(new), exact.predict(new), strict=True):
        assert np.allclose(ours, theirs, atol=1e-5)


def test_far_from_the_inducing_points_it_knows_only_the_prior(data) -> None:
    x, y = data
    mean, variance = FITC(KERNEL, NOISE, np.array([[-1.0]]), x, y).predict(np.array([[50.0]]))
    assert mean[0] == pytest.approx(0.0, abs=1e-12)
    assert variance[0] == pytest.approx(KERNEL.variance)


def test_learning_moves_badly_placed_inducing_points_to_where_the_data_is(data) -> None:
    x, y = data
    start = np.linspace(-2.0, -1.5, 5)

    def log_likelihood(z: np.ndarray) -> float:
        return FITC(KERNEL, NOISE, z[:, None], x, y, jitter=1e-6).log_likelihood()

    learned = maximise(log_likelihood, start, iterations=60)
    assert log_likelihood(learned) > log_likelihood(start) + 5.0
    assert np.ptp(learned) > 2.0

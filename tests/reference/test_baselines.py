"""Simple models against closed forms and scikit-learn, on data where it is known which of them should win."""

import numpy as np
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel
from sklearn.linear_model import BayesianRidge

from dgpexp.reference import baselines
from dgpexp.reference.baselines import GP, Boosted, BoostedClasses, Linear, Logistic, evidence, learnt
from dgpexp.reference.exact import ExactGP
from dgpexp.reference.kernels import RBF
from dgpexp.reference.sparse import FITC

THETA = np.log([1.3, 0.7, 1.9, 0.2])  # variance, two lengthscales, noise


def rows(count: int, seed: int, curved: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 2))
    return x, x @ [1.0, -0.5] + curved * np.sin(3 * x[:, 0]) + 0.1 * rng.normal(size=count)


def test_the_linear_model_is_least_squares_where_data_are_many_and_linear():
    (x, y), (x_new, _) = rows(200, 0, curved=0.0), rows(5, 1, curved=0.0)
    mean, variance = learnt(Linear, x, y).predict(x_new)
    with_one = np.column_stack([np.ones(200), x])
    weights = np.linalg.lstsq(with_one, y, rcond=None)[0]
    np.testing.assert_allclose(mean, np.column_stack([np.ones(5), x_new]) @ weights, atol=2e-3)
    np.testing.assert_allclose(np.sqrt(variance), 0.1, rtol=0.2)


def test_more_inputs_than_rows_are_the_same_model_in_fewer_coordinates(monkeypatch):
    """And the one that is solved has as many inputs as rows: 5,000 of them took minutes."""
    rng = np.random.default_rng(3)
    x, x_new = rng.normal(size=(20, 60)), rng.normal(size=(7, 60)) + 0.5
    y = x[:, 0] - x[:, 1] + 0.1 * rng.normal(size=20)
    mean, std = BayesianRidge(tol=1e-10).fit(x, y).predict(x_new, return_std=True)
    seen = []

    class Spied(BayesianRidge):
        def fit(self, x, y):
            seen.append(x.shape)
            return super().fit(x, y)

    monkeypatch.setattr(baselines, "BayesianRidge", lambda: Spied(tol=1e-10))
    found, variance = learnt(Linear, x, y).predict(x_new)
    np.testing.assert_allclose(found, mean, rtol=1e-5)
    np.testing.assert_allclose(variance, std**2, rtol=1e-5)
    assert seen == [(20, 20)]


def test_the_evidence_is_the_exact_gp_s():
    x, y = rows(30, 0, curved=1.0)
    exact = ExactGP(RBF(1.3, np.array([0.7, 1.9])), 0.2, x, y)
    assert evidence(0, THETA, x, y)[0] == pytest.approx(exact.log_likelihood(), rel=1e-10)
    kernel = ConstantKernel(1.3) * Matern([0.7, 1.9], nu=1.5) + WhiteKernel(0.2)
    theirs = GaussianProcessRegressor(kernel, optimizer=None, alpha=0).fit(x, y).log_marginal_likelihood_value_
    assert evidence(1, THETA, x, y)[0] == pytest.approx(theirs, rel=1e-10)


@pytest.mark.parametrize("kernel", [0, 1])
@pytest.mark.parametrize("theta", [THETA, np.log([1.3, 0.9, 0.2])], ids=["a scale each", "one scale"])
def test_the_gradient_is_that_of_differences(kernel, theta):
    x, y = rows(30, 0, curved=1.0)
    steps = 1e-5 * np.eye(len(theta))
    apart = [(evidence(kernel, theta + h, x, y)[0] - evidence(kernel, theta - h, x, y)[0]) / 2e-5 for h in steps]
    np.testing.assert_allclose(evidence(kernel, theta, x, y)[1], apart, rtol=1e-5)


def test_of_few_rows_it_is_the_exact_gp_and_of_many_fitc(monkeypatch):
    (x, y), (x_new, _) = rows(80, 0, curved=1.0), rows(7, 1, curved=1.0)

    def kernel_of(gp):
        return RBF(np.exp(gp.theta[0]), np.exp(gp.theta[1:-1])), np.exp(gp.theta[-1])

    gp = learnt(GP, x, y)
    exact = ExactGP(*kernel_of(gp), x, y)
    mean, variance = exact.predict(x_new)
    np.testing.assert_allclose(gp.predict(x_new), [mean, variance + exact.noise], rtol=1e-4)
    monkeypatch.setattr(baselines, "MOST_ROWS", 20)
    monkeypatch.setattr(baselines, "_BLOCK", 33)  # which 80 rows do not fill
    gp = learnt(GP, x, y)
    kernel, noise = kernel_of(gp)
    z = gp.z * kernel.lengthscales
    mean, variance = FITC(kernel, noise, z, x, y, jitter=1e-8 * kernel.variance).predict(x_new)
    assert len(z) == 20
    np.testing.assert_allclose(gp.predict(x_new), [mean, variance + noise], rtol=1e-6)


def test_the_gp_learns_what_is_curved_and_its_intervals_hold():
    (x, y), (x_new, y_new) = rows(120, 0, curved=1.0), rows(300, 1, curved=1.0)
    errors = {}
    for kind in (Linear, GP):
        mean, variance = learnt(kind, x, y).predict(x_new)
        errors[kind] = np.sqrt(np.mean((mean - y_new) ** 2))
    assert errors[GP] < 0.5 * errors[Linear]
    assert 0.85 < np.mean(np.abs(mean - y_new) < 1.645 * np.sqrt(variance)) < 0.97, "of 90 % intervals"


def test_trees_as_arrays_are_scikit_learns_trees():
    (x, y), (x_new, _) = rows(120, 0, curved=1.0), rows(50, 1, curved=1.0)
    model = HistGradientBoostingRegressor(max_iter=5).fit(x, y)
    arrays = baselines._tree_arrays(model._predictors, model._baseline_prediction)
    np.testing.assert_allclose(baselines._sum_of_trees(x_new, *arrays)[:, 0], model.predict(x_new), rtol=1e-12)
    for labels in (np.digitize(y, [-1, 1]), (y > 0).astype(int)):
        classifier = HistGradientBoostingClassifier(max_iter=5).fit(x, labels)
        arrays = baselines._tree_arrays(classifier._predictors, classifier._baseline_prediction)
        scores = baselines._sum_of_trees(x_new, *arrays)
        found = baselines._spread_out(scores, classifier.classes_, labels.max() + 1)
        np.testing.assert_allclose(np.exp(found), classifier.predict_proba(x_new), rtol=1e-10)


def test_boosting_learns_how_the_noise_varies():
    rng = np.random.default_rng(0)
    x = rng.uniform(-1, 1, size=(600, 1))
    y = np.sign(x[:, 0]) + np.where(x[:, 0] > 0, 1.0, 0.2) * rng.normal(size=600)
    mean, variance = learnt(Boosted, x, y).predict(np.array([[-0.5], [0.5]]))
    np.testing.assert_allclose(mean, [-1, 1], atol=0.4)
    assert 0.1 < np.sqrt(variance[0]) < 0.45 and 0.75 < np.sqrt(variance[1]) < 1.3


@pytest.mark.parametrize("kind", [Logistic, BoostedClasses])
def test_a_class_without_training_rows_is_not_impossible(kind):
    x = np.random.default_rng(0).normal(size=(90, 2))
    found = learnt(kind, x, 2.0 * (x[:, 0] > 0), 3).predict(np.array([[-2.0, 0.0], [2.0, 0.0]]))
    assert found.shape == (2, 3) and np.argmax(found, axis=1).tolist() == [0, 2]
    assert np.isfinite(found).all() and np.exp(found).sum(1) == pytest.approx(1)


def test_a_wide_table_is_learnt_in_bounded_time():
    """300 columns took minutes; now one lengthscale is learnt for all of them, in as many steps as for few."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 300))
    gp = learnt(GP, x, x[:, 0])
    assert len(gp.theta) == 3

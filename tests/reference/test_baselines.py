"""The baselines against closed forms, on data where it is known which of them should win."""

import numpy as np
import pytest
from sklearn.linear_model import BayesianRidge

from dgpexp.reference import baselines


def rows(count: int, seed: int, curved: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(count, 2))
    return x, x @ [1.0, -0.5] + curved * np.sin(3 * x[:, 0]) + 0.1 * rng.normal(size=count)


def test_the_linear_model_is_least_squares_where_data_are_many_and_linear():
    (x, y), (x_new, _) = rows(200, 0, curved=0.0), rows(5, 1, curved=0.0)
    mean, variance = baselines.linear(x, y, x_new)
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
    found, variance = baselines.linear(x, y, x_new)
    np.testing.assert_allclose(found, mean, rtol=1e-5)
    np.testing.assert_allclose(variance, std**2, rtol=1e-5)
    assert seen == [(20, 20)]


@pytest.mark.parametrize("most", [500, 60])
def test_the_gp_learns_what_is_curved_and_its_intervals_hold(monkeypatch, most):
    monkeypatch.setattr(baselines, "MOST_ROWS", most)
    (x, y), (x_new, y_new) = rows(120, 0, curved=1.0), rows(300, 1, curved=1.0)
    errors = {}
    for model in (baselines.linear, baselines.exact_gp):
        mean, variance = model(x, y, x_new)
        errors[model] = np.sqrt(np.mean((mean - y_new) ** 2))
    assert errors[baselines.exact_gp] < 0.5 * errors[baselines.linear]
    assert 0.85 < np.mean(np.abs(mean - y_new) < 1.645 * np.sqrt(variance)) < 0.97, "of 90 % intervals"

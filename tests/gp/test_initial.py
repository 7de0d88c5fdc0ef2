"""Initial values and mean functions are those of the protocol."""

import numpy as np
import pytest

from dgpexp.config import Settings
from dgpexp.errors import UserError
from dgpexp.gp import initial, likelihoods
from dgpexp.gp.dgp import DeepGP
from dgpexp.gp.initial import linear_maps, typical_distance


def build(settings: Settings, depth: int, x: np.ndarray, seed: int) -> DeepGP:
    return initial.build(settings, depth, x, likelihoods.make(settings), seed)


@pytest.fixture
def x() -> np.ndarray:
    return np.random.default_rng(0).normal(size=(200, 4)) * [1, 2, 3, 0.5]


def test_mean_functions_keep_widen_or_narrow(x):
    np.testing.assert_array_equal(linear_maps(x, 4, 2)[0], np.eye(4))
    np.testing.assert_array_equal(linear_maps(x, 6, 2)[0], np.eye(4, 6))
    narrow = linear_maps(x, 2, 2)
    leading = np.linalg.svd(x, full_matrices=False)[2][:2].T
    np.testing.assert_allclose(np.abs(narrow[0].T @ leading), np.eye(2), atol=1e-10)  # the same up to sign
    np.testing.assert_array_equal(narrow[1], np.eye(2))
    assert linear_maps(x, 4, 0) == []


def test_a_new_model_has_the_values_of_the_protocol(x):
    model = build(Settings(inducing_points=20), 3, x, seed=0)
    first, middle, last = model.layers
    assert [layer.units for layer in model.layers] == [4, 4, 1]
    assert (first.weights is not None, middle.weights is not None, last.weights) == (True, True, None)
    assert last.log_noise is None
    np.testing.assert_allclose(np.exp(first.log_noise), 0.01)
    np.testing.assert_allclose(model.likelihood.noise, 0.01)
    for layer, covariance in ((first, 1e-5), (middle, 1e-5), (last, 1.0)):
        np.testing.assert_allclose(layer.inducing_values.covariance[0], covariance * np.eye(20), rtol=1e-12)
        np.testing.assert_array_equal(layer.mean, np.zeros_like(layer.mean))
        np.testing.assert_allclose(layer.kernel.lengthscales, typical_distance(x), rtol=1e-12)
        np.testing.assert_allclose(layer.inducing_inputs, first.inducing_inputs)  # the maps are identities here


def test_the_hidden_width_is_the_inputs_up_to_a_bound(x):
    assert build(Settings(inducing_points=5, max_hidden_width=3), 2, x, 0).layers[0].units == 3
    assert build(Settings(inducing_points=5, hidden_width=7), 2, x, 0).layers[0].units == 7


def test_fewer_rows_than_inducing_points_give_fewer_inducing_points(x):
    assert build(Settings(inducing_points=100), 1, x[:7], 0).layers[0].inducing_inputs.shape == (1, 7, 4)


def test_rows_that_all_coincide_have_distance_one():
    assert typical_distance(np.ones((5, 2))) == 1.0


def test_one_row_is_refused_in_a_sentence(x):
    with pytest.raises(UserError, match="at least 2"):
        build(Settings(), 1, x[:1], 0)

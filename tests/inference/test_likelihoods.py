"""Every method with every likelihood but the Gaussian: equal where they must be, and differentiable."""

import numpy as np
import pytest
import tensorflow as tf
from scipy.special import log_ndtr

from dgpexp import inference
from dgpexp.datasets import Scaler
from dgpexp.errors import UserError
from dgpexp.gp import cavity
from dgpexp.inference import aep, aepmcm
from dgpexp.methods import METHODS, refuse_likelihood
from tests.differences import assert_gradients
from tests.models import components, objective, random_model

SEED = tf.constant([7, 0], tf.int64)
X = np.random.default_rng(5).uniform(-2, 2, size=(9, 2))
LABELS: dict[str, tuple[str, ...]] = {
    "studentt": (),
    "poisson": (),
    "probit": ("a", "b"),
    "robustmax": ("a", "b", "c"),
    "softmax": ("a", "b", "c"),
}
OF_CLASSES = [name for name, labels in LABELS.items() if labels]


def _y(likelihood: str) -> np.ndarray:
    return np.random.default_rng(6).integers(len(LABELS[likelihood]) or 4, size=(9, 1)).astype(float)


def _model(depth: int, likelihood: str):
    return random_model(depth, classes=LABELS[likelihood], likelihood=likelihood)


@pytest.mark.parametrize("likelihood", LABELS)
def test_with_one_layer_aep_and_aepmcm_are_the_same(likelihood):
    model, y = _model(1, likelihood), _y(likelihood)
    np.testing.assert_allclose(
        objective(aep, model, X, y, 50, 1, SEED), objective(aepmcm, model, X, y, 50, 20, SEED), rtol=1e-13
    )
    for a, b in zip(*(components(method, model, X, 50, 20, SEED) for method in (aep, aepmcm)), strict=True):
        np.testing.assert_allclose(np.broadcast_to(a, b.shape), b, rtol=1e-13)  # of numbers, the same on every path


def test_one_layer_has_the_energy_written_out():
    """Σ_n log Φ(t m / √(1 + v)) at the cavity's marginals, and the energy of the inducing values."""
    model, y = _model(1, "probit"), _y("probit")
    (layer,) = model.layers
    mean, variance = (a.numpy()[:, 0] for a in layer.given(layer.inducing_values, model.jitter).marginals(X))
    log_z = log_ndtr((2 * y[:, 0] - 1) * mean / np.sqrt(1 + variance))
    expected = 50 * log_z.mean() + cavity.energy(layer.inducing_values, 50).numpy()
    np.testing.assert_allclose(objective(aepmcm, model, X, y, 50, 1, SEED), expected, rtol=1e-12)


@pytest.mark.parametrize("likelihood", LABELS)
@pytest.mark.parametrize("method", ["vi", "aep", "aepmcm"])
def test_gradients_equal_finite_differences(method, likelihood):
    """Two layers and every parameter, each in a random direction."""
    model, y = _model(2, likelihood), _y(likelihood)
    value = lambda: objective(inference.get(method), model, X, y, 40, 3, SEED)  # noqa: E731
    assert_gradients(value, model.trainable_variables, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("likelihood", OF_CLASSES)
@pytest.mark.parametrize("method", [m.name for m in METHODS.values() if not m.gaussian_only])
def test_predicted_probabilities_add_up_to_one(method, likelihood):
    module = inference.get(method)
    model = random_model(3, classes=LABELS[likelihood], likelihood=likelihood, method=module)
    assert np.isfinite(objective(module, model, X, _y(likelihood), 50, 2, SEED))
    (log_p,) = components(module, model, X, 50, 4, SEED)
    assert log_p.shape == (9, len(LABELS[likelihood]))
    np.testing.assert_allclose(np.exp(log_p).sum(axis=1), 1.0)


@pytest.mark.parametrize("method", ["vi", "rff"])
@pytest.mark.parametrize("likelihood", LABELS)
def test_the_last_variance_is_learned_where_the_likelihood_sees_it(method, likelihood):
    """Under robust-max nothing holds it, and Adam walks a parameter without a gradient as far as any other."""
    model = random_model(2, classes=LABELS[likelihood], likelihood=likelihood, method=inference.get(method))
    learned = {v.ref() for v in model.trainable_variables}
    kernels = model.layers if method == "rff" else [layer.kernel for layer in model.layers]
    assert [k.log_variance.ref() in learned for k in kernels] == [True, likelihood != "robustmax"]


@pytest.mark.parametrize("likelihood", ["studentt", "poisson"])
@pytest.mark.parametrize("method", [m.name for m in METHODS.values() if not m.gaussian_only])
def test_numbers_that_are_not_gaussian_are_predicted_by_every_method_that_can(method, likelihood):
    module = inference.get(method)
    model = random_model(3, likelihood=likelihood, method=module)
    assert np.isfinite(objective(module, model, X, _y(likelihood), 50, 2, SEED))
    arrays = [a.numpy() for a in components(module, model, X, 50, 4, SEED)]
    prediction = model.likelihood.distribution(arrays, Scaler.identity())
    low, high = prediction.interval(0.9).T
    assert np.all(low < high) and np.all(np.isfinite(prediction.log_density(_y(likelihood)[:, 0])))


@pytest.mark.parametrize("likelihood", ["studentt", "poisson", "probit"])
@pytest.mark.parametrize("method", ["nvc", "meanfield"])
def test_a_bound_that_needs_a_gaussian_refuses_any_other_likelihood(method, likelihood):
    """Given the mean and variance that these pass on, only a Gaussian's expectation is known."""
    with pytest.raises(UserError, match=f"{method} needs a Gaussian likelihood, not {likelihood}: the methods that"):
        refuse_likelihood(method, likelihood)
    refuse_likelihood("vi", likelihood)
    refuse_likelihood(method, "gaussian")

"""Natural parameters against the cavity and the energy computed naively, from precision matrices of u = f(Z)."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp import cavity, initial, likelihoods
from dgpexp.gp.dgp import DeepGP
from dgpexp.gp.natural import NaturalLayer
from dgpexp.inference import aep, aepmcm, pep
from dgpexp.training.predictor import Predictor
from dgpexp.training.session import Session
from tests.differences import assert_gradients
from tests.models import objective, sine_split

ROWS = 30


def _model(**settings: object) -> DeepGP:
    """Two layers with a mean function in the first, at random parameters."""
    chosen = {"inducing_points": 5, "parameters": "natural", "initial_values": "author", "jitter": 1e-4, **settings}
    made = Settings(**chosen)  # type: ignore[arg-type]
    x = np.random.default_rng(0).normal(size=(ROWS, 3))
    return initial.build(made, 2, x, likelihoods.make(made), seed=1)


def _factor(layer: NaturalLayer, unit: int) -> tuple[np.ndarray, np.ndarray]:
    """Uᵀ U and μ of a unit."""
    u = np.triu(layer.upper[unit].numpy(), 1) + np.diag(np.exp(np.diag(layer.upper[unit].numpy())))
    return u.T @ u, layer.shift[unit].numpy()


def _prior(layer: NaturalLayer, unit: int, jitter: float) -> tuple[np.ndarray, np.ndarray]:
    """w and Kuu of a unit, whose inducing inputs may be its own."""
    z = layer.inducing_inputs[unit if layer.inducing_inputs.shape[0] > 1 else 0]
    kuu = layer.kernel(z, z).numpy() + jitter * np.eye(len(z))
    w = np.zeros(len(z)) if layer.weights is None else z.numpy() @ layer.weights.numpy()[:, unit]
    return w, kuu


def _phi(precision: np.ndarray, shift: np.ndarray) -> float:
    """Φ(θ) = ½ log|Σ| + ½ ηᵀ Σ η, without the constant that cancels."""
    return 0.5 * (-np.linalg.slogdet(precision)[1] + shift @ np.linalg.solve(precision, shift))


@pytest.mark.parametrize("start", ["protocol", "author"])
@pytest.mark.parametrize("settings", [{}, {"separate_inducing": True}, {"hidden_width": 2}, {"mean_function": "none"}])
def test_the_cavity_is_the_prior_times_all_factors_but_one(settings, start):
    model = _model(initial_values=start, **settings)
    for layer, conditional in zip(model.layers, model.conditionals(), strict=True):
        for unit in range(layer.units):
            w, kuu = _prior(layer, unit, 1e-4)
            factors, mu = _factor(layer, unit)
            covariance = np.linalg.inv(np.linalg.inv(kuu) + (ROWS - 1) / ROWS * factors)
            mean = covariance @ (np.linalg.solve(kuu, w) + (ROWS - 1) / ROWS * mu)
            whiten = np.linalg.inv(np.linalg.cholesky(kuu))
            np.testing.assert_allclose(conditional.values.mean[unit], whiten @ (mean - w), atol=1e-9)
            np.testing.assert_allclose(conditional.values.covariance[unit], whiten @ covariance @ whiten.T, atol=1e-10)
            expected = np.linalg.slogdet(whiten @ covariance @ whiten.T)[1]
            np.testing.assert_allclose(conditional.values.log_determinants[unit], expected, rtol=1e-8, atol=1e-8)


def test_the_energy_is_that_of_the_three_distributions_of_u():
    """(1 - N) Φ(q) - Φ(prior) + N Φ(cavity), the mean function in all three: it cancels."""
    model = _model()
    for layer, conditional in zip(model.layers, model.conditionals(), strict=True):
        expected = 0.0
        for unit in range(layer.units):
            w, kuu = _prior(layer, unit, 1e-4)
            factors, mu = _factor(layer, unit)
            precision, shift = np.linalg.inv(kuu), np.linalg.solve(kuu, w)
            share = (ROWS - 1) / ROWS
            expected += (1 - ROWS) * _phi(precision + factors, shift + mu) - _phi(precision, shift)
            expected += ROWS * _phi(precision + share * factors, shift + share * mu)
        np.testing.assert_allclose(cavity.energy(conditional.values, ROWS), expected, rtol=1e-8)


def test_the_posterior_is_the_prior_times_all_factors():
    model = _model()
    layer, conditional = model.layers[0], model.conditionals(lambda c: cavity.posterior(c, ROWS))[0]
    w, kuu = _prior(layer, 0, 1e-4)
    factors, mu = _factor(layer, 0)
    covariance = np.linalg.inv(np.linalg.inv(kuu) + factors)
    whiten = np.linalg.inv(np.linalg.cholesky(kuu))
    np.testing.assert_allclose(conditional.values.covariance[0], whiten @ covariance @ whiten.T, atol=1e-10)
    mean = covariance @ (np.linalg.solve(kuu, w) + mu)
    np.testing.assert_allclose(conditional.values.mean[0], whiten @ (mean - w), atol=1e-9)


@pytest.mark.parametrize("method", [aep, aepmcm])
@pytest.mark.parametrize("separate", [False, True])
def test_gradients_equal_finite_differences(method, separate):
    """Of the whole objective in every parameter: U and μ, and Z and the kernel, which now move the cavity too."""
    model = _model(separate_inducing=separate)
    rng = np.random.default_rng(2)
    x, y = rng.normal(size=(8, 3)), rng.normal(size=(8, 1))
    seed = tf.constant([1, 2], tf.int64)
    assert_gradients(lambda: objective(method, model, x, y, ROWS, 3, seed), model.trainable_variables, atol=1e-4)


@pytest.mark.parametrize("start", ["protocol", "author"])
def test_a_start_is_the_same_cavity_in_either_parameters(start):
    natural, moments = (_model(parameters=p, initial_values=start) for p in ("natural", "moments"))
    for ours, theirs in zip(natural.conditionals(), moments.conditionals(), strict=True):
        np.testing.assert_allclose(ours.values.mean, theirs.values.mean, atol=1e-9)
        np.testing.assert_allclose(ours.values.covariance, theirs.values.covariance, atol=1e-9)


def test_the_authors_start():
    """U and μ ~ N(0, 1), the log of U's diagonal included; lengthscales of 1 above the first layer."""
    model = _model(inducing_points=ROWS)
    first, last = model.layers
    strictly = np.triu_indices(ROWS, 1)
    for values in (first.shift.numpy(), first.upper.numpy()[:, *strictly], np.diagonal(first.upper.numpy(), 0, 1, 2)):
        assert abs(values.mean()) < 0.35
        assert 0.8 < values.std() < 1.2
    np.testing.assert_array_equal(np.tril(first.upper.numpy(), -1), 0)
    assert np.all(first.kernel.lengthscales > 1.5)
    np.testing.assert_allclose(last.kernel.lengthscales, 1.0)


def test_a_hundred_random_inducing_points_train_and_come_back_from_a_file(tmp_path):
    """The author's start is finite at M = 100 and gets better; a recovery's larger jitter reaches the cavity."""
    split = sine_split(rows=220, inputs=3)
    settings = Settings(parameters="natural", initial_values="author", train_samples=2, test_samples=5)
    session = Session("aepmcm", 2, settings, split, seed=0)
    before = session.advance(5)
    assert session.advance(40) > before
    session.predictor().save(tmp_path / "model.npz")
    x = split.x_scaler.mean + np.zeros((2, 3))
    again = Predictor.load(tmp_path / "model.npz").predict(x)
    expected = session.predictor().predict(x)
    np.testing.assert_allclose(again.means, expected.means, rtol=1e-10)
    session.jitter = 1e-2
    assert np.any(np.abs(session.predictor().predict(x).means - expected.means) > 1e-6)
    assert np.isfinite(session.advance(1))


@pytest.mark.parametrize("alpha", [1.0, 0.5])
def test_at_power_alpha_the_cavity_keeps_all_factors_but_a_fraction(alpha):
    """Prior times N - α of N factors; from it, N/α in the place of N leads to the posterior, which has all."""
    settings = Settings(inducing_points=5, parameters="natural", initial_values="author", jitter=1e-4, alpha=alpha)
    x = np.random.default_rng(0).normal(size=(ROWS, 3))
    layer = pep.build(settings, 1, x, likelihoods.make(settings), seed=1).layers[0]
    precision, shift = _factor(layer, 0)
    w, kuu = _prior(layer, 0, 1e-4)
    given = layer.values_given(layer.whitening(tf.constant(1e-4, tf.float64)))
    l, prior = np.linalg.cholesky(kuu), np.linalg.inv(kuu)  # noqa: E741
    for values, kept in ((given, (ROWS - alpha) / ROWS), (cavity.posterior(given, ROWS / alpha), 1.0)):
        covariance = np.linalg.inv(prior + kept * precision)
        mean = covariance @ (prior @ w + kept * shift)
        np.testing.assert_allclose(w + l @ values.mean[0].numpy(), mean, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(l @ values.covariance[0].numpy() @ l.T, covariance, rtol=1e-5, atol=1e-9)

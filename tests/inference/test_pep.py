"""Power EP: AEPMCM at one end, VI at the other, and the energy's definition in between."""

import numpy as np
import pytest
import tensorflow as tf
from scipy import integrate, stats

from dgpexp.config import RunSpec, Settings
from dgpexp.errors import UserError
from dgpexp.gp import cavity
from dgpexp.inference import Minibatch, aepmcm, pep, vi
from tests.models import random_model


def _batch(rows: int = 40) -> Minibatch:
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, size=(12, 2))
    y = np.sin(x[:, :1]) + 0.1 * rng.normal(size=(12, 1))
    return Minibatch(tf.constant(x), tf.constant(y), tf.range(12), rows, tf.constant([7, 1], tf.int64))


def _value_and_gradients(method, model, settings: Settings) -> tuple[float, list[np.ndarray]]:
    with tf.GradientTape() as tape:
        value = method.objective(model, _batch(), settings)
    return value.numpy(), [g.numpy() for g in tape.gradient(value, model.trainable_variables)]


def test_at_power_one_it_is_aepmcm():
    model, settings = random_model(3), Settings(train_samples=4, test_samples=4, alpha=1.0)
    for a, b in zip(*(_value_and_gradients(m, model, settings) for m in (pep, aepmcm)), strict=True):
        np.testing.assert_array_equal(a, b) if np.isscalar(a) else [
            np.testing.assert_array_equal(g, h) for g, h in zip(a, b, strict=True)
        ]
    x, key = _batch().x, tf.constant([7, -1], tf.int64)
    for a, b in zip(*(m.predictor(model, 40, settings)(x, key) for m in (pep, aepmcm)), strict=True):
        np.testing.assert_array_equal(a, b)


def test_towards_power_zero_it_is_vi_on_the_same_paths():
    """1e-4 nats a row in the objective; the gradients agree to the same part of the largest."""
    model = random_model(3)
    model.likelihood.log_noise.assign(np.log(0.5))  # what is left, α/2 · var(log p), is small where p is wide
    power = _value_and_gradients(pep, model, Settings(train_samples=4, alpha=1e-6))
    variational = _value_and_gradients(vi, model, Settings(train_samples=4))
    assert abs(power[0] - variational[0]) < 1e-4 * 40
    for g, h in zip(power[1], variational[1], strict=True):
        np.testing.assert_allclose(g, h, atol=1e-4 * np.abs(h).max(), rtol=1e-3)


@pytest.mark.parametrize("alpha", [0.25, 0.5, 0.9, 1.0])
def test_the_integral_of_a_power_of_the_density_is_in_closed_form(alpha):
    """log ∫ N(y | f, σ²)^α N(f | m, v) df by quadrature."""
    likelihood = random_model(1).likelihood
    noise, (y, m, v) = likelihood.noise.numpy(), (1.1, 0.3, 0.7)
    integral, _ = integrate.quad(
        lambda f: stats.norm.pdf(y, f, np.sqrt(noise)) ** alpha * stats.norm.pdf(f, m, np.sqrt(v)), -6, 6, points=[y]
    )
    value = likelihood.log_expected_density(*(tf.constant([[a]], tf.float64) for a in (y, m, v)), alpha)
    np.testing.assert_allclose(value[0], np.log(integral), rtol=1e-7)


def test_the_bracket_is_the_energy_of_factors_to_the_power_alpha():
    """(1 - N/α) Φ(θ_q) - Φ(θ_prior) + (N/α) Φ(θ_cav), each Φ from its own natural parameters."""
    rows, alpha = 20, 0.3
    values = random_model(1).layers[0].inducing_values
    (m,), (s,) = values.mean.numpy(), values.covariance.numpy()

    def phi(precision: np.ndarray, shift: np.ndarray) -> float:
        return 0.5 * (shift @ np.linalg.solve(precision, shift) - np.linalg.slogdet(precision)[1])

    prior, cav = (np.eye(len(m)), np.zeros(len(m))), (np.linalg.inv(s), np.linalg.solve(s, m))
    factor = [(c - p) / (rows - alpha) for c, p in zip(cav, prior, strict=True)]  # θ
    q = [p + rows * f for p, f in zip(prior, factor, strict=True)]
    expected = (1 - rows / alpha) * phi(*q) - phi(*prior) + rows / alpha * phi(*cav)
    np.testing.assert_allclose(cavity.energy(values, rows / alpha), expected, rtol=1e-8)
    posterior = cavity.posterior(values, rows / alpha)
    np.testing.assert_allclose(posterior.covariance[0], np.linalg.inv(q[0]), atol=1e-10)
    np.testing.assert_allclose(posterior.mean[0], np.linalg.solve(*q), atol=1e-9)


def test_a_power_outside_its_range_or_of_another_method_is_refused():
    for alpha in (0.0, -0.5, 1.5, float("nan")):
        with pytest.raises(UserError, match=r"alpha = .* is not possible: it accepts a number above 0 and at most 1"):
            Settings(alpha=alpha)
    with pytest.raises(UserError, match="alpha is a setting of pep: aepmcm has no use for it"):
        RunSpec(dataset="boston", method="aepmcm", layers=2, split=0, settings=Settings(alpha=0.3))

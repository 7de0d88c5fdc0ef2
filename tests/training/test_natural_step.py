"""Natural gradients: where they must arrive in one step, and that they get there in fewer than Adam."""

from dataclasses import replace

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.inference import vi
from dgpexp.training.natural_step import natural_step
from dgpexp.training.session import Session
from tests.models import objective, random_model, sine_split

SEED = tf.constant([0, 0], tf.int64)


def _bound_and_gradients(model, x, y):
    (layer,) = model.layers
    with tf.GradientTape() as tape:
        bound = objective(vi, model, x, y, len(x), 1, SEED)
    return bound, *tape.gradient(bound, [layer.mean, layer.factor])


def test_one_whole_step_arrives_at_the_optimum_of_one_layer():
    """There q(v) = N(Σ Aᵀ y / σ², (I + AᵀA/σ²)⁻¹) and no gradient is left."""
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, size=(40, 2))
    y = np.sin(x[:, :1]) + 0.1 * rng.normal(size=(40, 1))
    model = random_model(1, inducing_points=8)
    (layer,) = model.layers
    before, m_bar, r_bar = _bound_and_gradients(model, x, y)
    m, r = natural_step(layer.mean, layer.factor, m_bar, r_bar, tf.constant(1.0, tf.float64))
    layer.mean.assign(m)
    layer.factor.assign(r)

    z = layer.inducing_inputs[0].numpy()
    lower = np.linalg.cholesky(layer.kernel(z, z).numpy() + model.jitter.numpy() * np.eye(len(z)))
    a, noise = np.linalg.solve(lower, layer.kernel(z, x).numpy()).T, model.likelihood.noise.numpy()
    covariance = np.linalg.inv(np.eye(len(z)) + a.T @ a / noise)
    np.testing.assert_allclose(r[0] @ tf.transpose(r[0]), covariance, rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(m[0], covariance @ a.T @ y[:, 0] / noise, rtol=1e-6, atol=1e-8)
    after, m_bar, r_bar = _bound_and_gradients(model, x, y)
    assert after > before
    np.testing.assert_allclose(m_bar, 0.0, atol=1e-6)
    np.testing.assert_allclose(r_bar, 0.0, atol=1e-4)


def test_a_small_step_goes_along_the_gradient_in_the_fisher_metric():
    """To first order the mean moves by γ Σ ∂/∂m and the covariance by 2 γ Σ (∂/∂Σ) Σ."""
    rng = np.random.default_rng(0)
    r = np.tril(rng.normal(size=(2, 4, 4))) + 2 * np.eye(4)
    m, m_bar, g = rng.normal(size=(2, 4)), rng.normal(size=(2, 4)), rng.normal(size=(2, 4, 4))
    g = g + g.swapaxes(1, 2)
    covariance = r @ r.swapaxes(1, 2)
    r_bar = np.tril(2 * g @ r)
    new_m, new_r = natural_step(*(tf.constant(a) for a in (m, r, m_bar, r_bar, np.float64(1e-7))))
    np.testing.assert_allclose((new_m - m) / 1e-7, np.einsum("dij,dj->di", covariance, m_bar), rtol=1e-4, atol=1e-4)
    moved = (new_r.numpy() @ new_r.numpy().swapaxes(1, 2) - covariance) / 1e-7
    np.testing.assert_allclose(moved, 2 * covariance @ g @ covariance, rtol=1e-4, atol=1e-2)


@pytest.mark.parametrize(("likelihood", "taken"), [("softmax", True), ("robustmax", False)])
def test_robust_max_which_is_not_log_concave_stays_with_adam(likelihood, taken):
    classes = replace(sine_split(), classes=("a", "b", "c"))
    rng = np.random.default_rng(0)
    classes = replace(classes, y_train=rng.integers(0, 3, size=classes.y_train.shape).astype(float))
    small = Settings(inducing_points=10, train_samples=3, test_samples=20, likelihood=likelihood, epochs=30)
    runs = [Session("vi", 2, small.change({"natural_rate": rate}), classes, seed=0) for rate in (0.0, 0.1)]
    plain, natural = (session.advance(20) for session in runs)
    assert np.isfinite(natural) and (natural != plain) == taken


@pytest.mark.parametrize("cooldown", [0.0, 1.0])
def test_the_bound_rises_in_fewer_steps(cooldown):
    small = Settings(inducing_points=10, train_samples=3, test_samples=20, batch_size=30, epochs=30, cooldown=cooldown)
    means = []
    for rate in (0.0, 0.1):
        session = Session("vi", 2, small.change({"natural_rate": rate}), sine_split(), seed=0)
        session.advance(100)
        means.append(session.advance(20))
    assert means[1] > means[0] + 0.1

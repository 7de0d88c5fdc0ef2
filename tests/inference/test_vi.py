"""VI against the bounds it must equal: Titsias's collapsed bound and the exact marginal likelihood."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.inference import vi
from dgpexp.reference.exact import ExactGP
from dgpexp.reference.kernels import RBF as ReferenceRBF
from tests.models import components, objective, random_model

SEED = tf.constant([0, 0], tf.int64)


def _data(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, size=(rows, 2))
    return x, np.sin(x[:, :1]) + 0.1 * rng.normal(size=(rows, 1))


def _optimal_inducing_values(model, x, y) -> None:
    """The q(v) that maximises the bound of a one-layer model: Σ = (I + AᵀA/σ²)⁻¹, m = Σ Aᵀ y / σ²."""
    (layer,) = model.layers
    z = layer.inducing_inputs[0].numpy()
    lower = np.linalg.cholesky(layer.kernel(z, z).numpy() + model.jitter.numpy() * np.eye(len(z)))
    a = np.linalg.solve(lower, layer.kernel(z, x).numpy()).T  # [N, M]
    noise = model.likelihood.noise.numpy()
    covariance = np.linalg.inv(np.eye(len(z)) + a.T @ a / noise)
    layer.mean.assign((covariance @ a.T @ y / noise).T)
    layer.factor.assign(np.linalg.cholesky(covariance)[None])


def _collapsed_bound(model, x, y) -> float:
    """Titsias (2009): log N(y | 0, Q + σ²I) - tr(K - Q) / 2σ²."""
    (layer,) = model.layers
    z = layer.inducing_inputs[0].numpy()
    kuu = layer.kernel(z, z).numpy() + model.jitter.numpy() * np.eye(len(z))
    k = layer.kernel(x, z).numpy()
    q = k @ np.linalg.solve(kuu, k.T)
    noise = model.likelihood.noise.numpy()
    total = q + noise * np.eye(len(x))
    log_density = -0.5 * (y[:, 0] @ np.linalg.solve(total, y[:, 0]) + np.linalg.slogdet(2 * np.pi * total)[1])
    return float(log_density - 0.5 * (len(x) * layer.kernel.variance.numpy() - np.trace(q)) / noise)


def test_one_layer_with_the_optimal_q_is_the_collapsed_bound():
    x, y = _data(40)
    model = random_model(1, inducing_points=8)
    _optimal_inducing_values(model, x, y)
    bound = objective(vi, model, x, y, 40, 1, SEED).numpy()
    np.testing.assert_allclose(bound, _collapsed_bound(model, x, y), rtol=1e-9)


def test_inducing_inputs_at_the_data_give_the_exact_marginal_likelihood():
    x, y = _data(25)
    model = random_model(1, inducing_points=25, jitter=1e-10)
    (layer,) = model.layers
    layer.inducing_inputs.assign(x[None])
    _optimal_inducing_values(model, x, y)
    kernel = ReferenceRBF(layer.kernel.variance.numpy(), layer.kernel.lengthscales.numpy())
    exact = ExactGP(kernel, model.likelihood.noise.numpy(), x, y[:, 0])
    np.testing.assert_allclose(objective(vi, model, x, y, 25, 1, SEED), exact.log_likelihood(), rtol=1e-6)

    x_new = np.array([[0.3, 0.2], [5.0, 5.0]])
    mean, variance = components(vi, model, tf.constant(x_new), 25, 1, SEED)
    exact_mean, exact_variance = exact.predict(x_new)
    np.testing.assert_allclose(mean[0], exact_mean, atol=1e-5)
    np.testing.assert_allclose(variance[0], exact_variance + exact.noise, rtol=1e-5)


def test_the_expected_log_density_is_the_integral():
    model = random_model(1)
    f = np.random.default_rng(0).normal(0.3, np.sqrt(0.7), size=2_000_000)
    noise = model.likelihood.noise.numpy()
    sampled = -0.5 * (np.log(2 * np.pi * noise) + (1.1 - f) ** 2 / noise)
    value = model.likelihood.expected_log_density(*(tf.constant([[v]], tf.float64) for v in (1.1, 0.3, 0.7)))[0].numpy()
    assert abs(value - sampled.mean()) < 5 * sampled.std() / np.sqrt(len(f))


@pytest.mark.parametrize("separate", [False, True])
def test_the_divergence_is_that_of_two_gaussians(separate):
    """KL(N(m, Σ) || N(0, I)) for every unit of a hidden layer, from the general formula."""
    model = random_model(2, separate_inducing=separate)
    layer = model.layers[0]
    values = layer.inducing_values
    m, s = values.mean.numpy(), values.covariance.numpy()
    expected = sum(0.5 * (np.trace(c) + a @ a - len(a) - np.linalg.slogdet(c)[1]) for a, c in zip(m, s, strict=True))
    np.testing.assert_allclose(values.divergence(), expected, rtol=1e-11)


def test_minibatches_estimate_the_whole_without_bias():
    x, y = _data(30)
    model = random_model(1)
    whole = objective(vi, model, x, y, 30, 1, SEED).numpy()
    parts = [objective(vi, model, x[i : i + 10], y[i : i + 10], 30, 1, SEED).numpy() for i in (0, 10, 20)]
    np.testing.assert_allclose(np.mean(parts), whole, rtol=1e-11)

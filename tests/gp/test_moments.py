"""Moments for Gaussian inputs against quadrature and a million samples."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.gp import moments
from dgpexp.gp.kernels.stationary import RBF
from tests.models import random_model


def _quadrature(mean: np.ndarray, variance: np.ndarray, degree: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Points [P, 2] and weights [P] for two independent Gaussians."""
    points, weights = np.polynomial.hermite_e.hermegauss(degree)
    weights = weights / weights.sum()
    grid = np.stack(np.meshgrid(points, points, indexing="ij"), -1).reshape(-1, 2)
    return mean + np.sqrt(variance) * grid, np.outer(weights, weights).ravel()


def test_psi_statistics_equal_quadrature():
    rng = np.random.default_rng(0)
    kernel = RBF(1.7, [0.8, 1.9])
    z = rng.normal(size=(4, 2))
    mean, variance = rng.normal(size=(3, 2)), rng.uniform(0.01, 0.8, size=(3, 2))
    pairs = moments.Pairs(4)
    psi1 = moments.expected_kernel(kernel, tf.constant(z), mean, variance)
    left, right = moments.expected_kernel_products(kernel, tf.constant(z), mean, variance, pairs)
    psi2 = np.exp(left.numpy() @ right.numpy().T)
    for n in range(3):
        points, weights = _quadrature(mean[n], variance[n])
        k = kernel(points, z).numpy()  # [P, M]
        np.testing.assert_allclose(psi1[n], weights @ k, rtol=1e-9)
        products = np.einsum("p,pi,pj->ij", weights, k, k)
        np.testing.assert_allclose(psi2[n], products[pairs.first, pairs.second], rtol=1e-9)


@pytest.mark.parametrize("units", [1, 3])
def test_exponential_forms_and_their_gradients(units):
    rng = np.random.default_rng(0)
    left = np.concatenate([rng.normal(size=(4, 3)), np.ones((4, 1))], axis=1)
    right = np.concatenate([np.ones((5, 1)), rng.normal(size=(5, 3))], axis=1)
    arguments = [tf.constant(a) for a in (left, right, rng.normal(size=(units, 5)))]
    cotangent = rng.normal(size=(4, units))

    def plain(left, right, w):
        return tf.matmul(tf.exp(tf.matmul(left, right, transpose_b=True)), w, transpose_b=True)

    values, gradients = [], []
    for forms in (moments.exponential_forms, plain):
        with tf.GradientTape() as tape:
            tape.watch(arguments)
            values.append(forms(*arguments))
        gradients.append(tape.gradient(values[-1], arguments, output_gradients=tf.constant(cotangent)))
    np.testing.assert_allclose(*values, rtol=1e-13)
    for ours, theirs in zip(*gradients, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-12)


def test_pairs_carry_a_symmetric_product():
    rng = np.random.default_rng(0)
    c, psi = rng.normal(size=(2, 5, 5)), rng.normal(size=(5, 5))
    c, psi = c + c.swapaxes(1, 2), psi + psi.T
    pairs = moments.Pairs(5)
    weights = pairs.weights(tf.constant(c)).numpy()  # [D, P]
    np.testing.assert_allclose(weights @ psi[pairs.first, pairs.second], (c * psi).sum((1, 2)))


@pytest.mark.parametrize("mean_function", ["linear", "none"])
@pytest.mark.parametrize("separate", [False, True])
def test_a_layers_moments_equal_a_million_samples(mean_function, separate):
    """With the mean function the cross covariance of w(h) and f(h) matters: it is as large as the variances here."""
    model = random_model(2, inputs=2, mean_function=mean_function, separate_inducing=separate)
    layer = model.layers[0]
    conditional = layer.given(layer.inducing_values, model.jitter)
    mean, variance = np.array([[0.4, -0.7]]), np.array([[0.5, 0.3]])
    got_mean, got_variance = conditional.marginals_of_gaussian(tf.constant(mean), tf.constant(variance))

    h = mean + np.sqrt(variance) * np.random.default_rng(1).normal(size=(1_000_000, 2))
    means, variances = conditional.marginals(tf.constant(h))
    means, variances = means.numpy(), variances.numpy()
    # E[f] and Var[f] = E[Var] + Var[E]; 5 standard errors of a million samples
    tolerance = 5 * means.std(0) / 1000
    assert np.all(np.abs(got_mean[0] - means.mean(0)) < tolerance)
    expected = variances.mean(0) + means.var(0)
    spread = 5 * ((means - means.mean(0)) ** 2 + variances).std(0) / 1000
    assert np.all(np.abs(got_variance[0] - expected) < spread)
    assert np.all(spread < 0.02 * expected)  # tight enough to see a dropped term


def test_moments_of_certain_inputs_are_the_plain_marginals():
    model = random_model(2, inputs=3)
    layer = model.layers[0]
    conditional = layer.given(layer.inducing_values, model.jitter)
    x = tf.constant(np.random.default_rng(2).normal(size=(5, 3)))
    exact = conditional.marginals(x)
    limit = conditional.marginals_of_gaussian(x, tf.fill([5, 3], tf.constant(1e-14, tf.float64)))
    for a, b in zip(exact, limit, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7)

"""The sampled two-layer deep GP against posteriors that are known: by quadrature, and by weighting prior draws."""

import numpy as np
from scipy.special import logsumexp

from dgpexp.reference.exact import ExactGP
from dgpexp.reference.kernels import RBF, Polynomial
from dgpexp.reference.two_layers import TwoLayers
from tests.reference.evidence import weighted_prior_draws

X = np.array([[-1.0], [-0.2], [0.5], [1.3]])
Y = np.array([-2.2, -2.0, 1.9, 2.1])  # two pairs: h must keep together within each, and move the two apart
NEW = np.array([[-0.6], [0.1], [2.0]])


def test_a_linear_second_layer_is_a_mixture_of_gps() -> None:
    """f₂(h) = w h, w ~ N(0, 1): given w, y is a GP with w² k₁, and w has one dimension: quadrature does the rest."""
    model = TwoLayers(RBF(1.0, 0.9), Polynomial(1, 1.0, offset=0.0), 0.1, X, Y)
    rng = np.random.default_rng(0)
    means, variances = model.predict(model.sample(4000, rng, burn_in=100, steps=1), NEW, rng)
    sampled = np.stack([means, means**2 + variances], axis=1)  # first and second moments of y [S, 2, n]
    error = sampled.reshape(20, -1, 2, 3).mean(1).std(0) / np.sqrt(20)  # of their means, by batches: draws depend

    w = np.linspace(0.01, 6.0, 400)
    gps = [ExactGP(RBF(a * a, 0.9), 0.1, X, Y) for a in w]
    log_weights = np.array([gp.log_likelihood() for gp in gps]) - 0.5 * w**2
    weights = np.exp(log_weights - logsumexp(log_weights))
    exact = np.tensordot(weights, [_moments(gp) for gp in gps], 1)  # [2, n]
    assert np.abs((sampled.mean(0) - exact) / error).max() < 4
    without_second_layer = _moments(ExactGP(RBF(1.0, 0.9), 0.1, X, Y))  # w = 1
    assert np.abs((without_second_layer - exact) / error).max() > 12  # the test can tell


def _moments(gp: ExactGP) -> np.ndarray:
    """E[y] and E[y²] at the new inputs: [2, n]."""
    mean, variance = gp.predict(NEW)
    return np.stack([mean, mean**2 + variance + gp.noise])


def test_the_posterior_is_that_of_weighted_prior_draws() -> None:
    """Four rows, both kernels RBF, noise after the first layer and a mean function: all of our model."""
    model = TwoLayers(RBF(1.0, 0.7), RBF(1.2, 0.8), 0.1, X, Y, inner_noise=0.02, weights=np.array([[1.0]]))
    h, share, _ = weighted_prior_draws(model, 100_000, np.random.default_rng(1))
    expected = _distances(h) @ share
    draws = model.sample(1000, np.random.default_rng(2), burn_in=200, steps=4)[:, :, 0]
    np.testing.assert_allclose(_distances(draws).mean(1), expected, atol=0.1)
    assert np.abs(_distances(h).mean(1) - expected).max() > 0.3  # the data have something to say


def _distances(h: np.ndarray) -> np.ndarray:
    """|h_i - h_j| of neighbouring rows, for draws of h [S, 4]: [3, S]."""
    return np.abs(np.diff(h, axis=1)).T


def test_draws_of_the_functions_agree_with_the_predictions() -> None:
    """At the same draws of h: components integrate f₂ out and add noise, functions draw it."""
    model = TwoLayers(RBF(1.0, 0.7), RBF(1.2, 0.8), 0.05, X, Y, units=2)
    rng = np.random.default_rng(3)
    draws = np.repeat(model.sample(4, rng, burn_in=100), 500, axis=0)  # [S, N, 2]
    hidden, outputs = model.functions(draws, NEW, rng)
    means, variances = model.predict(draws, NEW, rng)
    assert draws.shape == (2000, 4, 2) and hidden.shape == (2000, 3, 2) and outputs.shape == means.shape == (2000, 3)
    np.testing.assert_allclose(outputs.mean(0), means.mean(0), atol=0.1)
    np.testing.assert_allclose(outputs.var(0), variances.mean(0) - 0.05 + means.var(0), rtol=0.15)
    at_data, _ = model.functions(draws, X, rng)
    np.testing.assert_allclose(at_data, draws, atol=1e-2)  # without noise f₁ passes through h

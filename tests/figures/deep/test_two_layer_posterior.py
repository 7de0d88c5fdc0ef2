"""What the figure's caption claims, and the models it is drawn with."""

import numpy as np
import pytest

from dgpexp.figures.deep import two_layer_posterior
from dgpexp.figures.deep.known_model import Known, approximate
from dgpexp.figures.deep.two_layer_posterior import GRID
from dgpexp.reference.kernels import RBF

KNOWN = Known(RBF(1.3, 0.8), RBF(0.9, np.array([0.7])), inner_noise=0.02, noise=0.05, linear=True)


def _data() -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).uniform(-2, 2, (20, 1))
    return x, np.sin(2 * x[:, 0])


def test_the_posterior_has_two_signs_and_each_method_one() -> None:
    drawn = two_layer_posterior.posterior_draws()
    signs, spread, size, middle = {}, {}, {}, np.abs(GRID) < 1.5
    for name, (hidden, _) in drawn.items():
        signs[name] = np.sign(hidden[:, GRID > 0.5][:, 0] - hidden[:, GRID > -0.5][:, 0])
        spread[name] = (hidden * signs[name][:, None])[:, middle].std(0).mean()  # of f₁ within a mode
        size[name] = np.abs(hidden[:, middle]).mean()
    assert 0.15 < np.mean(signs.pop("mcmc") > 0) < 0.85
    assert all(len(np.unique(sign)) == 1 for sign in signs.values())
    assert all(spread[name] < 0.5 * spread["mcmc"] for name in ("vi", "aepmcm", "nvc")), spread
    assert spread["rff"] > spread["mcmc"] and size["rff"] > 2 * size["mcmc"], (spread, size)  # it stretches f₁
    x, y = two_layer_posterior.data()
    for name, (_, output) in drawn.items():  # all of them explain the data
        assert np.abs(np.interp(x[:, 0], GRID, output.mean(0)) - y).mean() < 0.15, name


@pytest.mark.parametrize("method", ["vi", "aepmcm", "meanfield"])
def test_training_q_leaves_the_known_parameters_as_they_are(method: str) -> None:
    x, y = _data()
    model = approximate(method, KNOWN, x, y, KNOWN.settings(inducing_points=8, learning_rate=0.05))
    before = model.predict(x).log_density(y).mean()
    after = model.train(30)
    found = after.known()
    assert found.linear and found.noise == pytest.approx(0.05) and found.inner_noise == pytest.approx(0.02)
    assert found.first.lengthscales == pytest.approx(0.8) and found.second.variance == pytest.approx(0.9)
    assert after.predict(x).log_density(y).mean() > before


def test_random_features_take_the_known_parameters_and_keep_them() -> None:
    """q(Ω) begins at its prior, so that untrained, f₁ has the covariance of the known model."""
    x, y = _data()
    model = approximate("rff", KNOWN, x, y, KNOWN.settings(features=400, test_samples=200, learning_rate=0.05))
    first, _ = model.functions(x, 4000, np.random.default_rng(0))
    np.testing.assert_allclose(np.cov(first.T), KNOWN.first(x, x), atol=0.15)  # 4000 draws, 400 frequencies
    before = model.predict(x).log_density(y).mean()
    assert model.train(30).predict(x).log_density(y).mean() > before
    for layer, kernel in zip(model.model.layers, (KNOWN.first, KNOWN.second), strict=True):
        assert np.exp(layer.log_variance.numpy()) == pytest.approx(kernel.variance)
        assert np.exp(layer.log_lengthscales.numpy()) == pytest.approx(kernel.lengthscales)
    assert float(model.model.likelihood.noise) == pytest.approx(0.05)


@pytest.mark.parametrize("method", ["vi", "rff"])
def test_draws_of_functions_have_the_moments_of_the_predictions(method: str) -> None:
    """Without noise after the hidden layer a path is a draw of both functions at one input."""
    x, y = _data()
    known = Known(KNOWN.first, KNOWN.second, inner_noise=1e-9, noise=0.05, linear=True)
    model = approximate(method, known, x, y, known.settings(inducing_points=8, test_samples=1000)).train(30)
    at = np.array([[-1.0], [0.3]])
    _, output = model.functions(at, 500, np.random.default_rng(0))
    mixture = model.predict(at)
    deviation = np.sqrt(mixture.variance() - 0.05)
    assert (np.abs(output.mean(0) - mixture.mean()) < 4 * deviation / np.sqrt(500)).all()
    np.testing.assert_allclose(output.std(0), deviation, rtol=4 / np.sqrt(1000))

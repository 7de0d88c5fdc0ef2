"""The closed form of the AEP energy against its definition in natural parameters."""

import mpmath
import numpy as np
import pytest
import tensorflow as tf

from dgpexp.gp import cavity
from dgpexp.gp.inducing_values import Dense, Factored
from tests.differences import assert_gradients
from tests.models import random_model


def _layer_and_values(scale: float = 1.0):
    layer = random_model(2, inducing_points=4).layers[0]
    layer.factor.assign(scale * layer.factor)
    return layer, layer.inducing_values


def _dense(values: Factored) -> Dense:
    return Dense(values.mean, values.covariance, values.log_determinants)


def _by_definition(m: np.ndarray, s: np.ndarray, rows: int) -> tuple[float, np.ndarray, np.ndarray]:
    """(1 - N) Φ(θ_q) - Φ(θ_prior) + N Φ(θ_cav) and the posterior, in 60 digits: the definition loses a dozen."""
    with mpmath.workdps(60):
        mean, covariance = mpmath.matrix(m.tolist()), mpmath.matrix(s.tolist())
        precision = covariance**-1
        q_precision = precision + (precision - mpmath.eye(len(m))) / (rows - 1)
        q_covariance = q_precision**-1
        q_mean = q_covariance * (precision * mean * (1 + mpmath.mpf(1) / (rows - 1)))

        def phi(mean, covariance, precision):
            return (mpmath.log(mpmath.det(covariance)) + (mean.T * precision * mean)[0]) / 2

        energy = (1 - rows) * phi(q_mean, q_covariance, q_precision) + rows * phi(mean, covariance, precision)
        to_numpy = lambda a: np.array(a.tolist(), dtype=float)  # noqa: E731
        return float(energy), to_numpy(q_mean)[:, 0], to_numpy(q_covariance)


@pytest.mark.parametrize("rows", [3, 5, 50, 399, 400, 1000, 9_999, 10_000, 100_000, 2_000_000])
def test_the_closed_form_is_the_definition(rows):
    _, values = _layer_and_values()
    m, s = values.mean.numpy(), values.covariance.numpy()
    expected = [_by_definition(a, c, rows) for a, c in zip(m, s, strict=True)]
    tolerance = 1e-9 if rows < 10_000 else 1e-7  # the short series leaves out tr(E³)
    for cavity_ in (values, _dense(values)):
        np.testing.assert_allclose(cavity.energy(cavity_, rows), sum(e[0] for e in expected), rtol=tolerance)
    q = cavity.posterior(values, rows)
    np.testing.assert_allclose(q.mean, [e[1] for e in expected], rtol=1e-10)
    np.testing.assert_allclose(q.covariance, [e[2] for e in expected], atol=1e-11)


def test_the_series_takes_over_without_a_step():
    """Where it begins, what it leaves out is far below the 1e-6 that matters, for a hundred points and Σ up to 3 I."""
    rng = np.random.default_rng(0)
    rotation = np.linalg.qr(rng.normal(size=(100, 100)))[0]
    covariance = tf.constant((rotation * rng.uniform(0.01, 3, size=100)) @ rotation.T)[None]
    values = Dense(tf.constant(rng.normal(size=(1, 100))), covariance)
    exact, series = (f(values, cavity.SERIES_FROM) for f in (cavity._exact, cavity._series))
    assert abs(exact[0] - series[0]) * cavity.SERIES_FROM / 2 < 1e-6  # nats, beside an energy of more than 50
    np.testing.assert_allclose(exact[1], series[1], rtol=1e-9)


@pytest.mark.parametrize(("rows", "atol"), [(10_000, 1e-9), (cavity.SERIES_FROM, 3e-8)])
def test_the_series_without_sigma_is_the_series_and_teaches_the_same(rows, atol):
    """Float32 is used for terms so small that neither the energy nor its gradient shows it."""
    layer, _ = _layer_and_values(scale=3.0)
    results = []
    for with_factor in (True, False):
        with tf.GradientTape() as tape:
            values = layer.inducing_values
            energy = cavity.energy(values if with_factor else _dense(values), rows)
        results.append([energy, *tape.gradient(energy, [layer.mean, layer.factor])])
    for a, b in zip(*results, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-7, atol=atol)


@pytest.mark.parametrize("with_factor", [False, True])
@pytest.mark.parametrize("rows", [5, 500, 50_000])
def test_gradients_of_the_energy_equal_finite_differences(rows, with_factor):
    """Differences of the energy in float64: by R with 500 rows it is partly in float32, too coarse for them."""
    layer, _ = _layer_and_values()

    def energy(with_factor: bool = False) -> tf.Tensor:
        values = layer.inducing_values
        return cavity.energy(values if with_factor else _dense(values), rows)

    variables = [layer.mean, layer.factor]
    assert_gradients(lambda: energy(with_factor), variables, rtol=1e-5, differences_of=energy)


def test_the_energy_tends_to_minus_the_divergence():
    _, values = _layer_and_values()
    np.testing.assert_allclose(cavity.energy(values, 10**9), -values.divergence(), rtol=1e-7)
    assert abs(cavity.energy(values, 20) + values.divergence()) > 1e-3  # and is another thing before


def test_a_cavity_no_posterior_belongs_to_is_not_a_number():
    """Σ ≥ N I happens only for tiny N; it must not pass for a number, so that training recovers or fails by name."""
    _, values = _layer_and_values(scale=10.0)
    assert np.isnan(cavity.energy(values, 2))

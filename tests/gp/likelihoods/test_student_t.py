"""The integrals of the Student-t likelihood against a fine grid of f, and its predictions against scipy's t."""

import numpy as np
import pytest
import tensorflow as tf
from scipy import stats

from dgpexp.config import Settings
from dgpexp.datasets import Scaler
from dgpexp.gp import likelihoods
from dgpexp.gp.likelihoods.student_t import StudentT

# uncertain f beside a narrow peak, and the reverse; on the spot, near by, and an outlier
CASES = [(s, v, d) for s in (0.01, 0.1, 1.0) for v in (1e-6, 0.01, 1.0, 4.0) for d in (0.0, 0.3, 3.0, 20.0)]
DEGREES = (2.2, 4.0, 30.0)


def _log_p(scale: float, degrees: float, variance: float, y: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes f, fine about 0 and about y; log p(y | f) and the density of f ~ N(0, variance) there."""
    f = np.concatenate(
        [np.linspace(-25, 25, 20_001) * np.sqrt(variance), y + scale * np.sinh(np.linspace(-14, 14, 20_001))]
    )
    f = np.unique(f[np.abs(f) <= 25 * np.sqrt(variance)])
    return f, stats.t(degrees, loc=f, scale=scale).logpdf(y), stats.norm(0, np.sqrt(variance)).logpdf(f)


def _arrays(variance: float, y: float) -> tuple[tf.Tensor, ...]:
    return tuple(tf.constant([[a]], tf.float64) for a in (y, 0.0, variance))


@pytest.mark.parametrize("degrees", DEGREES)
def test_the_expected_log_density(degrees):
    for scale, variance, y in CASES:
        f, log_p, log_f = _log_p(scale, degrees, variance, y)
        expected = np.trapezoid(log_p * np.exp(log_f), f)
        found = StudentT(scale, degrees).expected_log_density(*_arrays(variance, y))
        np.testing.assert_allclose(found, [expected], rtol=2e-7, atol=2e-7, err_msg=str((scale, variance, y)))


@pytest.mark.parametrize("degrees", DEGREES)
@pytest.mark.parametrize("power", [1, 0.5, 0.1])
def test_the_log_expected_density_of_a_power(degrees, power):
    for scale, variance, y in CASES:
        f, log_p, log_f = _log_p(scale, degrees, variance, y)
        expected = np.log(np.trapezoid(np.exp(power * log_p + log_f), f))
        found = StudentT(scale, degrees).log_expected_density(*_arrays(variance, y), power=power)
        np.testing.assert_allclose(found, [expected], rtol=1e-6, atol=3e-7, err_msg=str((scale, variance, y)))


def test_many_degrees_are_a_gaussian():
    arrays = [tf.constant(a, tf.float64) for a in ([[0.3], [-1.0]], [[0.1], [0.4]], [[0.5], [0.02]])]
    many, gaussian = StudentT(0.3, 1e5), likelihoods.make(Settings(likelihood_noise=0.09))
    for what in ("expected_log_density", "log_expected_density"):
        np.testing.assert_allclose(getattr(many, what)(*arrays), getattr(gaussian, what)(*arrays), rtol=2e-4)


def test_scale_and_degrees_are_learned_unless_they_are_held():
    assert len(likelihoods.make(Settings(likelihood="studentt")).trainable_variables) == 2
    held = likelihoods.make(Settings(likelihood="studentt", learn_degrees=False, degrees_of_freedom=7.0))
    assert [v.name for v in held.trainable_variables] == ["log_scale:0"]
    np.testing.assert_allclose(held.degrees, 7.0)


@pytest.mark.parametrize("degrees", [2.5, 4.0, 30.0])
def test_certain_f_predicts_scipys_t_in_the_units_of_y(degrees):
    likelihood, target = StudentT(0.2, degrees), Scaler(np.array(10.0), np.array(5.0))
    means = np.array([[-1.0, 0.0, 2.0]])
    found = likelihood.distribution([means, np.full((1, 3), 1e-12)], target)
    exact = stats.t(degrees, loc=10 + 5 * means[0], scale=1.0)
    y = means[0] * 5 + np.array([[10.0], [10.7], [13.0], [40.0], [-300.0]])
    np.testing.assert_allclose(found.log_density(y), exact.logpdf(y), rtol=1e-4)
    np.testing.assert_allclose(found.cdf(y), exact.cdf(y), atol=3e-6)
    np.testing.assert_allclose(found.quantile([0.01, 0.3, 0.999]), exact.ppf([[0.01], [0.3], [0.999]]), rtol=1e-4)
    np.testing.assert_allclose(found.mean(), exact.mean(), rtol=1e-9)
    if degrees > 3:  # below, the variance is that of the far tail
        np.testing.assert_allclose(found.std(), exact.std(), rtol=1e-5)


def test_uncertain_f_predicts_what_the_training_integral_says():
    """One path: the log density of a prediction is log E[p(y | f)], which is computed by other nodes."""
    likelihood = StudentT(0.05, 3.0)
    y, mean, variance = np.array([0.0, 1.0, 4.0]), np.array([0.2, 0.8, -1.0]), np.array([0.5, 1e-4, 0.01])
    found = likelihood.distribution([mean[None], variance[None]], Scaler.identity()).log_density(y)
    expected = likelihood.log_expected_density(*(tf.constant(a[:, None]) for a in (y, mean, variance)))
    np.testing.assert_allclose(found, expected, rtol=1e-5)

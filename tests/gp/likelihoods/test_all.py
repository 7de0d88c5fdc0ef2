"""What every likelihood must do, whatever its formula; and which one a target gets."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.datasets import Scaler
from dgpexp.errors import UserError
from dgpexp.gp import likelihoods
from tests.differences import assert_gradients

LABELS: dict[str, tuple[str, ...]] = {
    "gaussian": (),
    "studentt": (),
    "poisson": (),
    "probit": ("a", "b"),
    "robustmax": ("a", "b", "c"),
    "softmax": ("a", "b", "c"),
}
OF_CLASSES = [name for name, labels in LABELS.items() if labels]


def _case(name: str):
    """A likelihood, and y [n, 1], mean and variance [S, n, C] away from any special value."""
    rng = np.random.default_rng(3)
    likelihood = likelihoods.make(Settings(likelihood=name, likelihood_noise=0.3), LABELS[name])
    y = rng.integers(len(LABELS[name]) or 5, size=(7, 1)).astype(float)
    shape = (2, 7, likelihood.outputs)
    return likelihood, tf.constant(y), tf.constant(rng.normal(size=shape)), tf.constant(rng.uniform(0.3, 2, size=shape))


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("what", ["expected_log_density", "log_expected_density"])
def test_gradients_equal_finite_differences(name, what):
    likelihood, y, *moments = _case(name)
    mean, variance = map(tf.Variable, moments)
    density = getattr(likelihood, what)
    assert_gradients(lambda: density(y, mean, variance), [mean, variance], step=1e-5, rtol=1e-7)


@pytest.mark.parametrize("name", LABELS)
def test_a_small_power_gives_the_expected_log_density(name):
    """(1/α) log E[p^α] → E[log p]: what makes VI and AEPMCM ends of one family."""
    likelihood, y, mean, variance = _case(name)
    limit = likelihood.log_expected_density(y, mean, variance, power=1e-7) / 1e-7
    np.testing.assert_allclose(limit, likelihood.expected_log_density(y, mean, variance), rtol=1e-5)


@pytest.mark.parametrize("name", LABELS)
def test_a_likelihood_says_truly_whether_it_sees_the_scale_of_f(name):
    likelihood, y, mean, variance = _case(name)
    for what in (likelihood.expected_log_density, likelihood.log_expected_density):
        same = np.allclose(what(y, 3.0 * mean, 9.0 * variance), what(y, mean, variance), rtol=1e-12)
        assert same == likelihood.scale_free


@pytest.mark.parametrize("name", LABELS)
def test_jensen(name):
    likelihood, y, mean, variance = _case(name)
    assert np.all(
        likelihood.log_expected_density(y, mean, variance) > likelihood.expected_log_density(y, mean, variance)
    )


@pytest.mark.parametrize("name", LABELS)
def test_what_is_predicted_of_the_target_is_the_log_expected_density(name):
    """In training it is summed over other points than in a prediction."""
    likelihood, y, mean, variance = _case(name)
    arrays = [a.numpy() for a in likelihood.predictive(mean[:1], variance[:1])]
    found = likelihood.distribution(arrays, Scaler.identity()).log_density(y.numpy()[:, 0])
    np.testing.assert_allclose(found, likelihood.log_expected_density(y, mean, variance)[0], atol=2e-3)


@pytest.mark.parametrize("name", [name for name in LABELS if name not in OF_CLASSES])
def test_gradients_of_its_parameters_equal_finite_differences(name):
    likelihood, y, mean, variance = _case(name)
    for what in (likelihood.expected_log_density, likelihood.log_expected_density):
        for variable in likelihood.trainable_variables:
            with tf.GradientTape() as tape:
                total = tf.reduce_sum(what(y, mean, variance))
            gradient, start, ends = tape.gradient(total, variable), variable.numpy(), []
            for sign in (1, -1):
                variable.assign(start + sign * 1e-5)
                ends.append(tf.reduce_sum(what(y, mean, variance)).numpy())
            variable.assign(start)
            np.testing.assert_allclose((ends[0] - ends[1]) / 2e-5, gradient, rtol=1e-6)


@pytest.mark.parametrize("name", LABELS)
def test_float32_paths_give_float64_values(name):
    likelihood, y, mean, variance = _case(name)
    low = likelihood.log_expected_density(y, tf.cast(mean, tf.float32), tf.cast(variance, tf.float32))
    assert low.dtype == tf.float64
    np.testing.assert_allclose(low, likelihood.log_expected_density(y, mean, variance), rtol=1e-5)


@pytest.mark.parametrize(
    ("classes", "kind"),
    [((), "Gaussian"), (("a", "b"), "Probit"), (("a", "b", "c"), "RobustMax")],
)
def test_a_target_gets_the_likelihood_that_fits(classes, kind):
    assert type(likelihoods.make(Settings(), classes)).__name__ == kind


@pytest.mark.parametrize(
    ("name", "classes", "sentence"),
    [
        (
            "probit",
            (),
            "does not fit a target that is a number: use gaussian or studentt or poisson.",
        ),
        ("gaussian", ("a", "b"), "one of 2 classes: use probit or robustmax or softmax"),
        ("probit", ("a", "b", "c"), "one of 3 classes: use robustmax or softmax"),
    ],
)
def test_one_that_does_not_fit_is_refused(name, classes, sentence):
    with pytest.raises(UserError, match=sentence):
        likelihoods.make(Settings(likelihood=name), classes)

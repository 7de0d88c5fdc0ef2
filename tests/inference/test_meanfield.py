"""The mean-field bound: against quadrature, against VI at one layer, below the evidence, and for small sets only."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.errors import UserError
from dgpexp.gp import likelihoods
from dgpexp.inference import Minibatch, meanfield, vi
from dgpexp.training.predictor import Predictor
from dgpexp.training.session import Session
from tests.inference import tiny
from tests.inference.quadrature import propagate
from tests.models import objective, random_model, sine_split

SEED = tf.constant([3, 0], tf.int64)


def _data(rows: int = 30, inputs: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, size=(rows, inputs))
    return x, np.sin(x[:, :1]) + 0.1 * rng.normal(size=(rows, 1))


def test_one_layer_is_vi():
    x, y = _data()
    model = random_model(1, method=meanfield)
    bounds = [objective(method, model, x, y, 50, 3, SEED).numpy() for method in (meanfield, vi)]
    np.testing.assert_allclose(*bounds, rtol=1e-12)


def test_three_layers_by_naive_sums():
    """The bracket written out, -½ log 2πσ² - [μ² + s - 2μf̄ + E f²] / 2σ² + ½ log 2πes; E f, E f² by quadrature."""
    x, y = _data(inputs=1)
    model = random_model(3, inputs=1, method=meanfield)
    mean, variance, bound = x[:, 0], np.zeros(len(x)), np.zeros(len(x))
    for layer, mu, log_s in zip(model.layers, model.means, model.log_variances, strict=False):
        out = propagate(layer, model.jitter.numpy(), mean, variance)
        mu, s, noise = mu.numpy()[:, 0], np.exp(log_s.numpy()[:, 0]), np.exp(layer.log_noise.numpy())
        square = mu**2 + s - 2 * mu * out.mean + out.mean**2 + out.variance
        bound += -0.5 * np.log(2 * np.pi * noise) - square / (2 * noise) + 0.5 * np.log(2 * np.pi * np.e * s)
        mean, variance = mu, s
    out = propagate(model.layers[-1], model.jitter.numpy(), mean, variance)
    noise = model.likelihood.noise.numpy()
    bound += -0.5 * np.log(2 * np.pi * noise) - ((y[:, 0] - out.mean) ** 2 + out.variance) / (2 * noise)
    divergence = sum(c.values.divergence().numpy() for c in model.conditionals())
    value = objective(meanfield, model, x, y, len(x), 1, SEED).numpy()
    np.testing.assert_allclose(value, bound.sum() - divergence, rtol=1e-7)


@pytest.mark.parametrize("learn", ["all", "q"])
def test_the_bound_lies_below_the_evidence(learn):
    model, bound = tiny.maximised(meanfield, learn)
    evidence = tiny.evidence(model)
    assert evidence - 5 < bound < evidence


def test_a_minibatch_takes_the_rows_it_is_made_of():
    """Rows in any order, by their numbers: three minibatches of a shuffled set average to the whole."""
    x, y = _data(30)
    model = random_model(3, method=meanfield)
    whole = objective(meanfield, model, x, y, 30, 1, SEED).numpy()
    order = np.random.default_rng(0).permutation(30)
    parts = []
    for rows in order.reshape(3, 10):
        batch = Minibatch(tf.constant(x[rows]), tf.constant(y[rows]), tf.constant(rows), 30, SEED)
        parts.append(meanfield.objective(model, batch, Settings()).numpy())
    np.testing.assert_allclose(np.mean(parts), whole, rtol=1e-11)


def test_it_begins_where_the_mean_functions_put_the_rows():
    """With f = 0 on average the hidden values are those of the linear maps: only what f is unsure of costs."""
    x, _ = _data()
    settings = Settings(inducing_points=5, inner_noise=0.3)
    model = meanfield.build(settings, 2, x, likelihoods.make(settings), 0)
    first, _ = model.conditionals()
    mean, variance = first.marginals(tf.constant(x))
    np.testing.assert_allclose(mean, model.means[0], atol=1e-12)
    apart = meanfield._apart(model.means[0], model.log_variances[0], mean, variance, model.layers[0].log_noise)
    np.testing.assert_allclose(apart, (variance - 0.3) / 0.6, atol=1e-12)


@pytest.mark.parametrize("settings", [Settings(), Settings(stream=True)])
def test_large_and_streamed_sets_are_refused_with_the_number_of_parameters(settings):
    x = np.zeros((12_000, 3))
    if settings.stream:
        x = x[:500]
    with pytest.raises(UserError, match=rf"would need {2 * len(x) * 3 * 2:,} parameters.*method nvc"):
        meanfield.build(settings, 3, x, likelihoods.make(settings), 0)


def test_training_moves_the_rows_of_every_minibatch(tmp_path):
    """100 rows, 40 a step: two epochs move all of them (in the first step f is 0 and nothing pulls)."""
    split = sine_split()
    session = Session("meanfield", 2, Settings(inducing_points=10, batch_size=40), split, 0)
    before = session._model.means[0].numpy()
    first = session.advance(6)
    assert (session._model.means[0].numpy() != before).all()
    session.advance(150)
    assert session.advance(6) > first
    assert session.evaluate()["rmse"] < 2  # of a sine with a deviation of 3.5

    session.predictor().save(tmp_path / "model.npz")
    loaded = Predictor.load(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.model.means[0], session._model.means[0])

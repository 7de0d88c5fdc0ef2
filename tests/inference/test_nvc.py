"""Nested variational compression: against quadrature, against VI at one layer, and below the evidence."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.inference import nvc, vi
from tests.inference import tiny
from tests.inference.quadrature import propagate
from tests.models import components, objective, random_model

SEED = tf.constant([3, 0], tf.int64)


def _data(rows: int = 12, inputs: int = 2) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    x = rng.uniform(-2, 2, size=(rows, inputs))
    return x, np.sin(x[:, :1]) + 0.1 * rng.normal(size=(rows, 1))


@pytest.mark.parametrize("separate", [False, True])
def test_one_layer_is_vi(separate):
    x, y = _data()
    model = random_model(1, separate_inducing=separate)
    bounds = [objective(method, model, x, y, 50, 3, SEED).numpy() for method in (nvc, vi)]
    np.testing.assert_allclose(*bounds, rtol=1e-12)


def test_three_layers_by_quadrature():
    """fit - Σ (V - c) / 2σ² - Σ KL, every V and c from its definition: one input, one unit, a mean function."""
    x, y = _data(inputs=1)
    model = random_model(3, inputs=1)
    mean, variance, bound = x[:, 0], np.zeros(len(x)), 0.0
    for layer in model.layers[:-1]:
        out = propagate(layer, model.jitter.numpy(), mean, variance)
        noise = np.exp(layer.log_noise.numpy())
        bound -= (out.variance - out.known) / (2 * noise)
        mean, variance = out.mean, out.known + noise
    out = propagate(model.layers[-1], model.jitter.numpy(), mean, variance)
    noise = model.likelihood.noise.numpy()
    bound += -0.5 * np.log(2 * np.pi * noise) - ((y[:, 0] - out.mean) ** 2 + out.variance) / (2 * noise)  # [n]
    divergence = sum(layer.inducing_values.divergence().numpy() for layer in model.layers)
    value = objective(nvc, model, x, y, len(x), 1, SEED).numpy()
    np.testing.assert_allclose(value, bound.sum() - divergence, rtol=1e-7)


def test_units_and_their_own_inducing_inputs_are_independent():
    """A layer of two units with the same inducing inputs twice is the layer that shares them."""
    x, y = _data()
    shared, separate = (random_model(3, separate_inducing=s) for s in (False, True))
    for a, b in zip(shared.layers, separate.layers, strict=True):
        b.inducing_inputs.assign(np.tile(a.inducing_inputs, (b.units, 1, 1)))
        for name in ("mean", "factor"):
            getattr(b, name).assign(getattr(a, name))
        for mine, its in zip(a.kernel.variables, b.kernel.variables, strict=True):
            its.assign(mine)
        if a.log_noise is not None:
            b.log_noise.assign(a.log_noise)
    separate.likelihood.log_noise.assign(shared.likelihood.log_noise)
    bounds = [objective(nvc, model, x, y, 50, 1, SEED).numpy() for model in (shared, separate)]
    np.testing.assert_allclose(*bounds, rtol=1e-10)


@pytest.mark.parametrize("learn", ["all", "q"])
def test_the_bound_lies_below_the_evidence(learn):
    """Maximised over everything it comes near; where the model needs its second layer it is loose."""
    model, bound = tiny.maximised(nvc, learn)
    evidence = tiny.evidence(model)
    assert evidence - 5 < bound < evidence


def test_minibatches_estimate_the_whole_without_bias():
    x, y = _data(30)
    model = random_model(3)
    whole = objective(nvc, model, x, y, 30, 1, SEED).numpy()
    parts = [objective(nvc, model, x[i : i + 10], y[i : i + 10], 30, 1, SEED).numpy() for i in (0, 10, 20)]
    np.testing.assert_allclose(np.mean(parts), whole, rtol=1e-11)


def test_predictions_are_sampled_through_every_layer():
    """More spread than what a layer passes on in training, which leaves k - A Aᵀ out."""
    x, _ = _data()
    model = random_model(2)
    for mine, its in zip(components(nvc, model, x, 50, 4, SEED), components(vi, model, x, 50, 4, SEED), strict=True):
        assert mine.shape == (4, len(x))
        np.testing.assert_array_equal(mine, its)

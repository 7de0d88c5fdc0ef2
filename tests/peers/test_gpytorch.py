"""The same layers in GPyTorch, which adds its jitter to the variance at the data too."""

import numpy as np
import pytest
import tensorflow as tf

from tests.peers.copies import DEEP, WHY_SKIPPED, parameters

torch = pytest.importorskip("torch", reason=WHY_SKIPPED)
pytest.importorskip("gpytorch", reason=WHY_SKIPPED)

from benchmarks.contestants import dgpexp_steps as ours  # noqa: E402
from benchmarks.contestants import gpytorch_vi as theirs  # noqa: E402

pytestmark = pytest.mark.peers


@pytest.mark.parametrize("depth", range(DEEP.layers))
def test_mean_and_variance_of_a_layer_are_gpytorchs(depth):
    start = parameters(DEEP)
    torch.set_default_dtype(torch.float64)
    s = start.layers[depth]
    h = np.random.default_rng(4).standard_normal((9, s.inducing.shape[1]))
    layer = ours.layer(s)
    mean, variance = layer.given(layer.inducing_values, tf.constant(start.jitter, tf.float64)).marginals(tf.constant(h))
    with torch.no_grad():
        marginals = theirs.Layer(s, start.jitter).eval()(torch.tensor(h), are_samples=True)
    expected = [a.numpy().reshape(mean.shape) for a in (marginals.mean, marginals.variance)]
    np.testing.assert_allclose(mean, expected[0], rtol=0, atol=1e-8)
    np.testing.assert_allclose(variance + start.jitter, expected[1], rtol=0, atol=1e-8)


@pytest.mark.parametrize("folded", [False, True])
def test_the_bounds_agree_on_average(folded):
    start = parameters(DEEP)
    bounds = [ours.objective(DEEP, start), theirs.objective(DEEP, start, folded)]
    draws = np.array([[bound() for _ in range(300)] for bound in bounds])
    error = np.sqrt(np.sum(draws.var(axis=1) / draws.shape[1]))
    assert abs(draws[0].mean() - draws[1].mean()) < 4 * error

"""One layer is a stochastic sparse GP: the bound and the predictions are GPflow's SVGP."""

import numpy as np
import pytest
import tensorflow as tf

from tests.peers.copies import SHALLOW, WHY_SKIPPED, parameters

gpflow = pytest.importorskip("gpflow", reason=WHY_SKIPPED)

from benchmarks.contestants import dgpexp_steps as ours  # noqa: E402
from dgpexp import inference  # noqa: E402
from tests.models import components, objective  # noqa: E402

pytestmark = pytest.mark.peers
KEY = tf.constant([0, 0], tf.int64)


@pytest.fixture(scope="module")
def start():
    return parameters(SHALLOW)


@pytest.fixture(scope="module")
def svgp(start):
    (s,) = start.layers
    return gpflow.models.SVGP(
        gpflow.kernels.SquaredExponential(s.variance, s.lengthscales),
        gpflow.likelihoods.Gaussian(start.noise),
        gpflow.inducing_variables.InducingPoints(s.inducing),
        q_mu=s.mean.T,
        q_sqrt=s.factor,
        whiten=True,
        num_data=len(start.x),
    )


@pytest.mark.parametrize("rows", [1, 30, 60])
def test_the_bound_on_a_minibatch_is_gpflows(start, svgp, rows):
    x, y = start.x[:rows], start.y[:rows]
    bound = objective(inference.get("vi"), ours.model(start), x, y, len(start.x), 4, KEY)
    np.testing.assert_allclose(bound, svgp.elbo((x, y)), rtol=1e-10)


def test_its_gradient_is_gpflows(start, svgp):
    model = ours.model(start)
    with tf.GradientTape() as tape:
        bound = objective(inference.get("vi"), model, start.x, start.y, len(start.x), 4, KEY)
    layer = model.layers[0]
    with tf.GradientTape() as theirs:
        elbo = svgp.elbo((start.x, start.y))
    q_sqrt = svgp.q_sqrt.unconstrained_variable  # the lower triangle as a vector
    mine = tape.gradient(bound, [layer.inducing_inputs, layer.mean, layer.factor])
    z, q_mu, triangle = theirs.gradient(
        elbo, [svgp.inducing_variable.Z.unconstrained_variable, svgp.q_mu.unconstrained_variable, q_sqrt]
    )
    np.testing.assert_allclose(mine[0][0], z, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(mine[1], tf.transpose(q_mu), rtol=1e-8, atol=1e-8)
    lower = np.tril(np.ones(mine[2].shape[1:], bool))
    np.testing.assert_allclose(mine[2][0][lower], _unpacked(triangle[0], len(lower))[lower], rtol=1e-8, atol=1e-8)


def test_predictions_are_gpflows(start, svgp):
    x = np.random.default_rng(1).standard_normal((20, start.x.shape[1]))
    mean, variance = components(inference.get("vi"), ours.model(start), x, len(start.x), 4, KEY)
    expected_mean, expected_variance = svgp.predict_y(x)
    np.testing.assert_allclose(mean[0], expected_mean[:, 0], atol=1e-10)
    np.testing.assert_allclose(variance[0], expected_variance[:, 0], atol=1e-10)


def _unpacked(vector, size):
    """The triangular matrix that GPflow's transform makes of a vector."""
    return gpflow.utilities.triangular().forward(vector[None]).numpy().reshape(size, size)

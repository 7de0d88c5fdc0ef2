"""One layer with classes: the bound and the probabilities are GPflow's SVGP with Bernoulli and with MultiClass.

GPflow keeps its probabilities away from 0 and 1, by 1e-3 in Bernoulli and by 1e-6 in MultiClass, which a log Φ that is
right in the tails need not: here both are given exact ones.
"""

import numpy as np
import pytest
import tensorflow as tf

from tests.peers.copies import WHY_SKIPPED

gpflow = pytest.importorskip("gpflow", reason=WHY_SKIPPED)

from dgpexp import inference  # noqa: E402
from dgpexp.config import Settings  # noqa: E402
from tests.models import components, objective, random_model  # noqa: E402

pytestmark = pytest.mark.peers
KEY = tf.constant([0, 0], tf.int64)
LABELS = {"probit": ("a", "b"), "robustmax": ("a", "b", "c", "d")}
RNG = np.random.default_rng(3)
X = RNG.normal(size=(40, 2))
POINTS = {"probit": 40, "robustmax": 20}  # of our integrals


def _theirs(name: str):
    if name == "probit":
        return gpflow.likelihoods.Bernoulli(
            # log(1 - p) of a p that was rounded to 1 is -inf; where that would happen, points weigh less than 1e-12
            invlink=lambda f: tf.clip_by_value(0.5 * tf.math.erfc(-f / np.sqrt(2.0)), 1e-15, 1 - 1e-15),
            quadrature=gpflow.quadrature.NDiagGHQuadrature(1, POINTS[name]),
        )
    likelihood = gpflow.likelihoods.MultiClass(len(LABELS[name]))
    likelihood.num_gauss_hermite_points = POINTS[name]
    likelihood.invlink._squash = 0.0
    return likelihood


@pytest.fixture(scope="module", params=LABELS)
def pair(request):
    """Our model and theirs with the same parameters, and y [n, 1]."""
    name = request.param
    model = random_model(1, classes=LABELS[name])
    (layer,) = model.layers
    svgp = gpflow.models.SVGP(
        gpflow.kernels.SquaredExponential(layer.kernel.variance.numpy(), layer.kernel.lengthscales.numpy()),
        _theirs(name),
        gpflow.inducing_variables.InducingPoints(layer.inducing_inputs[0].numpy()),
        q_mu=layer.mean.numpy().T,
        q_sqrt=np.tril(layer.factor.numpy()),
        whiten=True,
        num_latent_gps=layer.units,
        num_data=400,
    )
    return model, svgp, RNG.integers(len(LABELS[name]), size=(len(X), 1)).astype(float)


def test_the_bound_is_gpflows(pair):
    model, svgp, y = pair
    bound = objective(inference.get("vi"), model, X, y, 400, 3, KEY)
    theirs = svgp.elbo((X, y if len(model.likelihood.labels) == 2 else y.astype(int)))
    np.testing.assert_allclose(bound, theirs, rtol=1e-6)


def test_the_probabilities_are_gpflows(pair):
    model, svgp, _ = pair
    (log_p,) = components(inference.get("vi"), model, X, 400, 3, KEY)
    expected, _ = svgp.predict_y(X)  # of two classes, that of the second
    found = np.exp(log_p)[:, -expected.shape[1] :]
    np.testing.assert_allclose(found, expected, atol=1e-6 if expected.shape[1] == 1 else 1e-4)


def test_the_probabilities_before_they_are_made_to_add_up_to_one_are_gpflows(pair):
    """Robust-max: ours are divided by their sum, which the points of the integral miss; the densities are not."""
    model, svgp, y = pair
    mean, variance = inference.get("vi").predictor(model, 400, Settings(test_samples=1))(tf.constant(X), KEY)
    found = model.likelihood.log_expected_density(tf.constant(y), mean, variance)[0]
    theirs = svgp.predict_log_density((X, y if len(model.likelihood.labels) == 2 else y.astype(int)))
    np.testing.assert_allclose(found, theirs, atol=1e-6)

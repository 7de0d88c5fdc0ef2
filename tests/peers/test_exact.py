"""Regression that has a closed form: GPflow's exact GP, its collapsed bound and its FITC as oracles."""

import numpy as np
import pytest
import tensorflow as tf

from tests.peers.copies import SHALLOW, WHY_SKIPPED, parameters

gpflow = pytest.importorskip("gpflow", reason=WHY_SKIPPED)

from benchmarks.contestants import dgpexp_steps as ours  # noqa: E402
from dgpexp import inference  # noqa: E402
from dgpexp.gp.dgp import DeepGP  # noqa: E402
from dgpexp.gp.kernels import kernel_class  # noqa: E402
from dgpexp.gp.kernels.stationary import RBF  # noqa: E402
from dgpexp.gp.layer import Layer  # noqa: E402
from dgpexp.gp.likelihoods.gaussian import Gaussian  # noqa: E402
from dgpexp.reference.exact import ExactGP  # noqa: E402
from dgpexp.reference.sparse import FITC  # noqa: E402
from tests.models import objective  # noqa: E402

pytestmark = pytest.mark.peers
THEIRS = {"rbf": "SquaredExponential", "matern32": "Matern32", "matern52": "Matern52"}


@pytest.fixture(scope="module")
def start():
    return parameters(SHALLOW)


@pytest.fixture
def kernel(start):
    (s,) = start.layers
    return gpflow.kernels.SquaredExponential(s.variance, s.lengthscales)


def bound_at_the_optimum(start, z, kernel, jitter):
    """VI-1 with the optimal q(v) = N(m, Σ): Σ = (I + AᵀA/σ²)⁻¹, m = Σ Aᵀy/σ², A = k(X, Z) L⁻ᵀ."""
    (s,) = start.layers
    l = np.linalg.cholesky(kernel(z).numpy() + jitter * np.eye(len(z)))  # noqa: E741
    a = np.linalg.solve(l, kernel(z, start.x).numpy()).T
    covariance = np.linalg.inv(np.eye(len(z)) + a.T @ a / start.noise)
    layer = Layer(RBF(s.variance, s.lengthscales), z[None], 1, 1.0, None, None)
    layer.mean.assign((covariance @ a.T @ start.y / start.noise).T)
    layer.factor.assign(np.linalg.cholesky(covariance)[None])
    model = DeepGP([layer], Gaussian(start.noise), jitter, mixed=False)
    return objective(inference.get("vi"), model, start.x, start.y, len(start.x), 1, tf.constant([0, 0], tf.int64))


def test_vi_with_the_optimal_q_is_the_collapsed_bound(start, kernel):
    z = start.layers[0].inducing
    sgpr = gpflow.models.SGPR((start.x, start.y), kernel, z, noise_variance=start.noise)
    np.testing.assert_allclose(bound_at_the_optimum(start, z, kernel, 1e-6), sgpr.elbo(), rtol=1e-8)


def test_with_an_inducing_point_at_every_input_it_is_the_evidence(start, kernel):
    gpr = gpflow.models.GPR((start.x, start.y), kernel, noise_variance=start.noise)
    evidence = gpr.log_marginal_likelihood()
    np.testing.assert_allclose(bound_at_the_optimum(start, start.x, kernel, 1e-9), evidence, rtol=1e-5)


def test_the_reference_exact_gp_is_gpflows(start, kernel):
    from dgpexp.reference.kernels import RBF as ReferenceRBF

    (s,) = start.layers
    mine = ExactGP(ReferenceRBF(s.variance, s.lengthscales), start.noise, start.x, start.y[:, 0])
    gpr = gpflow.models.GPR((start.x, start.y), kernel, noise_variance=start.noise)
    np.testing.assert_allclose(mine.log_likelihood(), gpr.log_marginal_likelihood(), rtol=1e-9)
    x = start.x[:10] + 0.1
    for a, b in zip(mine.predict(x), gpr.predict_f(x), strict=True):
        np.testing.assert_allclose(a, b[:, 0], atol=1e-9)


def test_the_reference_fitc_is_gpflows(start, kernel):
    from dgpexp.reference.kernels import RBF as ReferenceRBF

    (s,) = start.layers
    mine = FITC(ReferenceRBF(s.variance, s.lengthscales), start.noise, s.inducing, start.x, start.y[:, 0], jitter=1e-6)
    fitc = gpflow.models.GPRFITC((start.x, start.y), kernel, s.inducing, noise_variance=start.noise)
    np.testing.assert_allclose(mine.log_likelihood(), fitc.fitc_log_marginal_likelihood(), rtol=1e-8)
    x = start.x[:10] + 0.1
    for a, b in zip(mine.predict(x), fitc.predict_f(x), strict=True):
        np.testing.assert_allclose(a, b[:, 0], atol=1e-8)


@pytest.mark.parametrize("name", THEIRS)
def test_kernels_are_gpflows(start, name):
    (s,) = start.layers
    mine = kernel_class(name)(s.variance, s.lengthscales)
    theirs = getattr(gpflow.kernels, THEIRS[name])(s.variance, s.lengthscales)
    np.testing.assert_allclose(mine(start.x, s.inducing), theirs(start.x, s.inducing), atol=1e-12)
    np.testing.assert_allclose(np.diag(mine(start.x, start.x)), theirs(start.x, full_cov=False), atol=1e-7)


def test_moments_of_a_layer_for_gaussian_inputs_are_gpflows():
    """AEP's closed forms (4.2.21)-(4.2.26), the mean function's cross term included."""
    from tests.peers.copies import DEEP

    start = parameters(DEEP)
    rng = np.random.default_rng(2)
    for s in (start.layers[0], start.layers[-1]):  # with and without a mean function
        mu, variance = rng.standard_normal((7, s.inducing.shape[1])), rng.uniform(0.01, 2.0, (7, s.inducing.shape[1]))
        linear = None if s.weights is None else gpflow.mean_functions.Linear(s.weights, np.zeros(s.weights.shape[1]))
        expected = gpflow.conditionals.uncertain_conditional(
            tf.constant(mu),
            tf.linalg.diag(tf.constant(variance)),
            gpflow.inducing_variables.InducingPoints(s.inducing),
            gpflow.kernels.SquaredExponential(s.variance, s.lengthscales),
            tf.constant(s.mean.T),
            tf.constant(s.factor),
            mean_function=linear,
            white=True,
        )
        layer = ours.layer(s)
        got = layer.given(layer.inducing_values, tf.constant(1e-6, tf.float64)).marginals_of_gaussian(mu, variance)
        for a, b in zip(got, expected, strict=True):
            np.testing.assert_allclose(a, b, atol=1e-8)

"""Random features against what they stand for: the kernel, the Gaussian integrals, and the bound's own pieces."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.config import RunSpec, Settings
from dgpexp.errors import UserError
from dgpexp.gp import likelihoods
from dgpexp.gp.features import FeatureLayer
from dgpexp.gp.kernels import kernel_class
from dgpexp.inference import Minibatch, rff
from dgpexp.kernels import KERNELS
from dgpexp.training.session import Session
from tests.differences import assert_gradients
from tests.models import sine_split

WITH_FEATURES = [name for name, entry in KERNELS.items() if entry.features]
SEED = tf.constant([3, 1], tf.int64)


def _network(depth: int = 2, **changes: object) -> tuple[rff.FeatureNetwork, Settings]:
    """A network of three inputs whose every parameter has been moved away from its initial value."""
    settings = Settings(**{"features": 5, "hidden_width": 2, "train_samples": 3, **changes})  # type: ignore[arg-type]
    rng = np.random.default_rng(0)
    model = rff.build(settings, depth, rng.normal(size=(40, 3)), likelihoods.make(settings), seed=0)
    for variable in model.trainable_variables:
        variable.assign_add(0.3 * rng.normal(size=variable.shape))
    return model, settings


def _batch(rows: int = 7, total: int = 40) -> Minibatch:
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(rows, 3)), rng.normal(size=(rows, 1))
    return Minibatch(tf.constant(x), tf.constant(y), tf.range(rows), total, SEED)


def _layer(kernel: str, features: int) -> FeatureLayer:
    """Lengthscales 0.8 and 2, q(Ω) at the prior."""
    layer = FeatureLayer(2, 1, features, kernel_class(kernel), True, 1.7, True, None, np.random.default_rng(0))
    layer.log_lengthscales.assign(np.log([0.8, 2.0]))
    layer.frequency_log_deviation.assign(np.tile(-np.log([[0.8], [2.0]]), (1, features)))
    return layer


def _gram(layer: FeatureLayer, h: np.ndarray) -> np.ndarray:
    phi = layer.features(tf.constant(h[None]))[0].numpy()
    return phi @ phi.T


def test_products_of_waves_are_the_rbf_kernel():
    h = np.random.default_rng(2).normal(size=(5, 2))
    scaled = h / [0.8, 2.0]
    kernel = 1.7 * np.exp(-0.5 * np.sum((scaled[:, None] - scaled[None]) ** 2, axis=2))
    np.testing.assert_allclose(_gram(_layer("rbf", 200_000), h), kernel, atol=0.02)


def test_products_of_rectified_waves_are_the_arc_cosine_kernel():
    """Cho and Saul (2009), order 1: |a||b| (sin θ + (π - θ) cos θ) / π, of inputs divided by their lengthscales."""
    h = np.random.default_rng(2).normal(size=(5, 2))
    a = h / [0.8, 2.0]
    norms = np.linalg.norm(a, axis=1)
    angle = np.arccos(np.clip(a @ a.T / np.outer(norms, norms), -1, 1))
    kernel = 1.7 * np.outer(norms, norms) * (np.sin(angle) + (np.pi - angle) * np.cos(angle)) / np.pi
    np.testing.assert_allclose(_gram(_layer("arccosine", 200_000), h), kernel, atol=0.05)


def test_marginals_are_those_of_sampled_weights():
    layer = _layer("rbf", 4)
    rng = np.random.default_rng(4)
    layer.mean.assign(rng.normal(size=layer.mean.shape))
    layer.log_deviation.assign(0.3 * rng.normal(size=layer.mean.shape))
    h = tf.constant(rng.normal(size=(1, 3, 2)))
    mean, variance = (a.numpy()[0, :, 0] for a in layer.marginals(h))
    drawn = layer.sample(h, 200_000, SEED).numpy()[:, :, 0]
    np.testing.assert_allclose(drawn.mean(0), mean, atol=5 * np.sqrt(variance.max() / 200_000))
    np.testing.assert_allclose(drawn.var(0), variance, rtol=0.02)


def test_the_divergence_is_the_expected_log_ratio():
    """KL by sampling q: E[log q - log p] of all weights and frequencies."""
    model, _ = _network(1)
    (layer,) = model.layers
    rng = np.random.default_rng(5)
    prior = -layer.log_lengthscales.numpy()[:, None]
    parts = [
        (layer.mean, layer.log_deviation, np.zeros(1)),
        (layer.frequency_mean, layer.frequency_log_deviation, prior),
    ]
    ratios = np.zeros(100_000)
    for mean, log_deviation, prior in parts:
        m, s, p = mean.numpy(), np.exp(log_deviation.numpy()), np.exp(prior)
        z = rng.normal(size=(len(ratios), *m.shape))
        ratios += np.sum(np.log(p / s) - 0.5 * z**2 + 0.5 * ((m + s * z) / p) ** 2, axis=(1, 2))
    assert abs(layer.divergence() - ratios.mean()) < 5 * ratios.std() / np.sqrt(len(ratios))


@pytest.mark.parametrize("kernel", WITH_FEATURES)
def test_gradients_equal_finite_differences(kernel):
    model, settings = _network(3, kernel=kernel)
    batch = _batch()
    assert_gradients(lambda: rff.objective(model, batch, settings), model.trainable_variables, atol=1e-4)


@pytest.mark.parametrize("kernel", WITH_FEATURES)
def test_in_mixed_precision_the_bound_and_its_gradient_are_those_of_float64_to_rounding(kernel):
    """Frequencies that are drawn once: the random numbers of the two precisions are others."""
    bounds, gradients = [], []
    for precision in ("float64", "mixed"):
        model, settings = _network(1, kernel=kernel, precision=precision)
        with tf.GradientTape() as tape:
            bounds.append(rff.objective(model, _batch(), settings))
        gradients.append(tape.gradient(bounds[-1], model.trainable_variables))
    assert [g.dtype for g in gradients[1]] == [tf.float64] * len(gradients[1])
    np.testing.assert_allclose(bounds[1], bounds[0], rtol=1e-5)
    for exact, rounded in zip(*gradients, strict=True):
        np.testing.assert_allclose(rounded, exact, rtol=1e-4, atol=1e-4)


def test_frozen_parameters_wait_while_the_weights_move():
    split = sine_split()
    settings = Settings(features=10, frozen_steps=20, train_samples=2, test_samples=5, batch_size=50)
    session = Session("rff", 2, settings, split, seed=0)
    start = session.state()
    names = [v.name for v in session.predictor().model.variables]

    def moved() -> set[str]:
        state = session.state()
        return {
            name for i, name in enumerate(names) if not np.array_equal(state[f"model/{i:03d}"], start[f"model/{i:03d}"])
        }

    session.advance(20)
    assert moved() == {"mean:0", "log_deviation:0"}
    session.advance(5)
    assert {"log_lengthscales:0", "log_noise:0", "frequency_mean:0"} <= moved()


@pytest.mark.parametrize("precision", ["float64", "mixed"])
def test_it_learns_a_sine(precision):
    split = sine_split()
    settings = Settings(features=30, train_samples=5, likelihood_noise=0.1, precision=precision)
    session = Session("rff", 2, settings, split, seed=0)
    before = session.evaluate()["rmse"]
    session.advance(600)
    assert session.evaluate()["rmse"] < 0.3 * before


def test_what_it_cannot_do_is_refused_in_a_sentence():
    with pytest.raises(UserError, match="matern32 has no spectral density here: use --set kernel=rbf or kernel=arccos"):
        Session("rff", 2, Settings(kernel="matern32"), sine_split(), seed=0)
    with pytest.raises(UserError, match="features = 0 is not possible"):
        Settings(features=0)
    with pytest.raises(UserError, match="features is a setting of rff: vi has no use for it"):
        RunSpec(dataset="boston", method="vi", layers=2, split=0, settings=Settings(features=3))
    with pytest.raises(UserError, match="arccosine is a kernel of rff alone"):
        Session("vi", 2, Settings(kernel="arccosine"), sine_split(), seed=0)

"""Deep GPs of three layers as each library's users train them, for the races to a test log-likelihood.

dgpexp   the settings of a profile, with the changes that races.py names
GPflux   `build_constant_input_dim_deep_gp` as its tutorial calls it: M = 100, one sample, minibatches of 100
GPyTorch the deep GP of its documentation: M = 128 of its own for every unit, 10 samples, minibatches of 1024, float32
Adam with a learning rate of 0.01, as all three documents have it, and what races.py changes for the better.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import logsumexp

from dgpexp.datasets import Split, load_split

LAYERS = 3
TEST_SAMPLES, TEST_ROWS, PARTS = 100, 1000, 10


@dataclass(frozen=True)
class Learner:
    """Takes n steps; says how well it predicts the test rows: mean log density in the units of y."""

    name: str
    advance: Callable[[int], object]
    log_likelihood: Callable[[], float]


def tested_on_few(dataset: str) -> Split:
    """Split 0, tested on its first rows: an evaluation is to be short beside a turn."""
    split = load_split(dataset, 0)
    return replace(split, x_test=split.x_test[:TEST_ROWS], y_test=split.y_test[:TEST_ROWS])


def dgpexp(method: str, profile: str, split: Split, seed: int, changes: dict[str, Any] | None = None) -> Learner:
    """The profile's settings but for `changes`, and a constant rate: nobody knows when a race ends."""
    from dgpexp.plan.protocol import read_protocol
    from dgpexp.training.session import Session

    settings = read_protocol("uci").settings(profile, split.name, method).change({"cooldown": 0.0, **(changes or {})})
    session = Session(method, LAYERS, settings, split, seed=seed)
    return Learner(f"dgpexp {method.upper()}", session.advance, lambda: session.evaluate(full=False)["ll"])


def gpflux(
    split: Split,
    seed: int,
    rate: float = 0.01,
    batch: int = 100,
    samples: int = 1,
    inner: float = 1e-5,
    noise: float = 1e-2,
) -> Learner:
    import tensorflow as tf
    from gpflux.architectures import Config, build_constant_input_dim_deep_gp

    from benchmarks.contestants import gpflux_vi

    np.random.seed(seed)  # its inducing inputs
    tf.random.set_seed(seed)
    config = Config(num_inducing=100, inner_layer_qsqrt_factor=inner, likelihood_noise_variance=noise)
    deep_gp = build_constant_input_dim_deep_gp(split.x_train, LAYERS, config)
    if samples > 1:
        deep_gp.f_layers[0].num_samples = samples
    x = tf.constant(np.tile(split.x_test, (TEST_SAMPLES // PARTS, 1)))

    @tf.function
    def paths():  # type: ignore[no-untyped-def]
        h = x
        for layer in deep_gp.f_layers[:-1]:
            mean, variance = layer.predict(h)
            h = mean + tf.sqrt(variance) * tf.random.normal(tf.shape(mean), dtype=tf.float64)
        mean, variance = deep_gp.f_layers[-1].predict(h)
        return mean, variance + deep_gp.likelihood_layer.likelihood.variance

    steps = gpflux_vi.steps(deep_gp, split.x_train, split.y_train, batch, rate)

    def log_likelihood() -> float:
        parts = [paths() for _ in range(PARTS)]
        return _mixture(split, *(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    return Learner("GPflux", steps, log_likelihood)


def gpytorch(split: Split, seed: int, rate: float = 0.01, batch: int = 1024, samples: int = 10) -> Learner:
    import torch
    from gpytorch.kernels import RBFKernel, ScaleKernel
    from gpytorch.likelihoods import GaussianLikelihood
    from gpytorch.means import ConstantMean, LinearMean
    from gpytorch.mlls import DeepApproximateMLL, VariationalELBO
    from gpytorch.models.deep_gps import DeepGP, DeepGPLayer
    from gpytorch.settings import num_likelihood_samples
    from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy

    from benchmarks.contestants import gpytorch_vi

    torch.set_default_dtype(torch.float32)
    torch.manual_seed(seed)

    class Layer(DeepGPLayer):
        def __init__(self, inputs: int, units: int | None) -> None:
            batch = torch.Size([]) if units is None else torch.Size([units])
            points = torch.randn(*batch, 128, inputs)
            q = CholeskyVariationalDistribution(128, batch_shape=batch)
            super().__init__(VariationalStrategy(self, points, q, learn_inducing_locations=True), inputs, units)
            self.mean_module = ConstantMean() if units is None else LinearMean(inputs)
            rbf = RBFKernel(batch_shape=batch, ard_num_dims=inputs)
            self.covar_module = ScaleKernel(rbf, batch_shape=batch, ard_num_dims=None)

        def forward(self, h):  # type: ignore[no-untyped-def]
            return gpytorch_vi.MultivariateNormal(self.mean_module(h), self.covar_module(h))

    class Model(DeepGP):
        def __init__(self, inputs: int) -> None:
            super().__init__()
            hidden = [Layer(inputs, inputs) for _ in range(LAYERS - 1)]
            self.layers = torch.nn.ModuleList([*hidden, Layer(inputs, None)])
            self.likelihood = GaussianLikelihood()

        def forward(self, h):  # type: ignore[no-untyped-def]
            for layer in self.layers:
                h = layer(h)
            return h

    model = Model(split.x_train.shape[1])
    mll = DeepApproximateMLL(VariationalELBO(model.likelihood, model, num_data=len(split.x_train)))
    x, y = (torch.tensor(a, dtype=torch.float32) for a in (split.x_train, split.y_train[:, 0]))
    x_test = torch.tensor(split.x_test, dtype=torch.float32)

    def bound(bx: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
        with num_likelihood_samples(samples):
            return mll(model(bx), by)

    def log_likelihood() -> float:
        model.eval()
        with torch.no_grad(), num_likelihood_samples(TEST_SAMPLES):
            parts = [model.likelihood(model(part)) for part in x_test.split(100)]
            means, variances = (torch.cat([getattr(p, a) for p in parts], -1) for a in ("mean", "variance"))
        model.train()
        return _mixture(split, means.double().numpy(), variances.double().numpy())

    model.train()
    return Learner("GPyTorch", gpytorch_vi.steps(bound, model, x, y, batch, rate), log_likelihood)


def _mixture(split: Split, means: np.ndarray, variances: np.ndarray) -> float:
    """Mean log density of y_test under equally weighted Gaussians at every row, given in scaled units: [S·t, 1]."""
    std = float(np.squeeze(split.y_scaler.std))
    y = (split.y_test - float(np.squeeze(split.y_scaler.mean))) / std
    means, variances = means.reshape(-1, len(y)), variances.reshape(-1, len(y))
    log_densities = -0.5 * (np.log(2 * np.pi * variances) + (y - means) ** 2 / variances)
    return float(np.mean(logsumexp(log_densities, axis=0)) - np.log(len(means)) - np.log(std))

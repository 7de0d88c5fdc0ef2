"""GPyTorch: DeepGPLayer and DeepApproximateMLL as its documentation composes them, and a variant made faster by hand.

Documented: samples are a batch dimension, so every path and unit has its own copy of Kuu and of its factorisation.
Folded: paths are rows, [S·n, Q], as dgpexp and GPflux have them; nobody has to write it, but it is the fairer opponent.
"""

from collections.abc import Callable

import gpytorch
import torch
from gpytorch.distributions import MultivariateNormal
from gpytorch.models.deep_gps import DeepGP, DeepGPLayer
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy

from benchmarks.contestants import Contestant
from benchmarks.work import LayerStart, Start, Work

torch.set_num_threads(1)


class UnitMean(gpytorch.means.Mean):
    """The linear mean function with fixed weights: unit d of inputs [..., D, n, Q] has mean (H W)[n, d]."""

    def __init__(self, weights: torch.Tensor) -> None:
        super().__init__()
        self.register_buffer("weights", weights)  # [Q, D]

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        return torch.einsum("...dnq,qd->...dn", h, self.weights)


class Layer(DeepGPLayer):
    """One layer with copied parameters; units share the kernel and the inducing inputs."""

    def __init__(self, start: LayerStart, jitter: float) -> None:
        units, inducing = start.mean.shape
        batch = torch.Size([units])
        variational = CholeskyVariationalDistribution(inducing, batch_shape=batch)
        strategy = VariationalStrategy(self, torch.tensor(start.inducing), variational, True, jitter_val=jitter)
        super().__init__(strategy, start.inducing.shape[1], units if start.weights is not None else None)
        self.mean_module = gpytorch.means.ZeroMean() if start.weights is None else UnitMean(torch.tensor(start.weights))
        rbf = gpytorch.kernels.RBFKernel(ard_num_dims=len(start.lengthscales))
        self.covar_module = gpytorch.kernels.ScaleKernel(rbf)
        self.covar_module.outputscale = start.variance
        rbf.lengthscale = torch.tensor(start.lengthscales)
        if start.weights is None:  # GPyTorch wants no dimension for a single output
            start_mean, start_factor = start.mean[0], start.factor[0]
            strategy._variational_distribution = CholeskyVariationalDistribution(inducing)
        else:
            start_mean, start_factor = start.mean, start.factor
        strategy._variational_distribution.variational_mean.data = torch.tensor(start_mean)
        strategy._variational_distribution.chol_variational_covar.data = torch.tensor(start_factor)
        strategy.variational_params_initialized.fill_(1)

    def forward(self, h: torch.Tensor) -> MultivariateNormal:
        return MultivariateNormal(self.mean_module(h), self.covar_module(h))


class Model(DeepGP):
    """The deep GP of `start`."""

    def __init__(self, start: Start, folded: bool) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList([Layer(s, start.jitter) for s in start.layers])
        self.likelihood = gpytorch.likelihoods.GaussianLikelihood()
        self.likelihood.noise = start.noise
        self.folded = folded

    def forward(self, x: torch.Tensor) -> MultivariateNormal:
        h = self.layers[0](x)
        for layer in self.layers[1:]:
            h = layer(_fold(h), are_samples=True) if self.folded else layer(h)
        return h


def contestant(work: Work, start: Start, folded: bool = False) -> Contestant:
    """Steps at the copied parameters."""
    bound, model, x, y = _bound(work, start, folded)
    return Contestant(f"GPyTorch VI float64{' folded' if folded else ''}", steps(bound, model, x, y, work.batch))


def steps(
    bound: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
    model: torch.nn.Module,
    x: torch.Tensor,
    y: torch.Tensor,
    batch: int,
    rate: float = 0.01,
) -> Callable[[int], object]:
    """Takes n steps of Adam that raise `bound`, each on a minibatch drawn at random from x [N, Q], y [N]."""
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)

    def advance(count: int) -> None:
        for _ in range(count):
            chosen = torch.randint(0, len(x), (batch,))
            optimizer.zero_grad()
            loss = -bound(x[chosen], y[chosen])
            loss.backward()
            optimizer.step()

    return advance


def objective(work: Work, start: Start, folded: bool = False) -> Callable[[], float]:
    """One draw of the bound at the copied parameters, on the first minibatch."""
    bound, _, x, y = _bound(work, start, folded)
    x, y = x[: work.batch], y[: work.batch]

    def draw() -> float:
        with torch.no_grad():
            return float(bound(x, y)) * len(start.x)

    return draw


def _bound(work: Work, start: Start, folded: bool):  # type: ignore[no-untyped-def]
    """The bound per data point as a function of a minibatch, with the model and the data it is taken of."""
    torch.set_default_dtype(torch.float64)
    model = Model(start, folded)
    model.train()
    elbo = gpytorch.mlls.VariationalELBO(model.likelihood, model, num_data=len(start.x))
    mll = gpytorch.mlls.DeepApproximateMLL(elbo)
    x, y = torch.tensor(start.x), torch.tensor(start.y[:, 0])

    def bound(bx: torch.Tensor, by: torch.Tensor) -> torch.Tensor:
        with gpytorch.settings.num_likelihood_samples(work.samples):
            output = model(bx)
            if folded:
                return elbo(output, by.repeat(output.event_shape[0] // len(by)))
            return mll(output, by)

    return bound, model, x, y


def _fold(h: MultivariateNormal) -> torch.Tensor:
    """A draw of the paths as rows: [S, n, D] or [S·n, D] -> [S·n, D]."""
    drawn = torch.distributions.Normal(h.mean, h.variance.sqrt()).rsample()
    return drawn.reshape(-1, drawn.shape[-1])

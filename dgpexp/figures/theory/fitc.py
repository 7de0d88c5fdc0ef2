"""A sparse Gaussian process beside the exact one."""

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.reference.exact import ExactGP
from dgpexp.reference.kernels import RBF
from dgpexp.reference.learn import maximise
from dgpexp.reference.sparse import FITC

KERNEL, NOISE, JITTER = RBF(1.0, 0.7), 0.09, 1e-6


def data() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    x = np.sort(rng.uniform(-3, 3, 200))
    f = np.sin(2.2 * x) * np.exp(-0.05 * x**2) + 0.5 * np.cos(0.9 * x)
    return x[:, None], f + np.sqrt(NOISE) * rng.standard_normal(200)


def fitc() -> Figure:
    """FITC before and after learning where its inducing points should be.

    200 observations, ten inducing points (crosses on the lower edge), and the exact GP as dashed lines for comparison;
    both have the same kernel and noise. Left, the inducing points stand bunched together: the sparse GP is right above
    them and falls back to the prior elsewhere. Right, their places have been learned by maximising FITC's own
    likelihood: they have spread over the data, and mean and band (95 % of new observations) now nearly cover those of
    the exact GP, at a fraction of its cost. FITC's likelihood is that of another model, not a bound: it may exceed the
    exact one.
    """
    x, y = data()
    start = np.linspace(-2.4, -1.2, 10)

    def sparse(z: np.ndarray) -> FITC:
        return FITC(KERNEL, NOISE, z[:, None], x, y, JITTER)

    learned = maximise(lambda z: sparse(z).log_likelihood(), start)
    grid = np.linspace(-3.6, 3.6, 300)
    exact = ExactGP(KERNEL, NOISE, x, y)
    exact_mean, exact_variance = exact.predict(grid[:, None])
    edges = exact_mean + np.outer([-1.96, 0.0, 1.96], np.sqrt(exact_variance + NOISE))  # [3, n]

    figure, axes = canvas.panels(1, 2, 2.9, sharey=True)
    for ax, z, title in zip(axes[0], (start, learned), ("before learning Z", "after learning Z"), strict=True):
        model = sparse(z)
        mean, variance = model.predict(grid[:, None])
        ax.plot(x[:, 0], y, ".", color=canvas.GREY, markersize=3)
        canvas.band(ax, grid, mean, np.sqrt(variance + NOISE), canvas.BLUE, "FITC")
        ax.plot(grid, edges[1], "--", color=canvas.BLACK, linewidth=1.0, label="exact GP")
        ax.plot(grid, edges[::2].T, "--", color=canvas.BLACK, linewidth=0.6)
        ax.plot(z, np.full(len(z), -2.75), "x", color=canvas.RED, markersize=6, label="inducing inputs")
        ax.set(title=f"{title}: log p(y) = {model.log_likelihood():.1f}", xlabel="x", ylim=(-3, 2.7), xlim=(-3.6, 3.6))
    axes[0, 0].set_ylabel("y")
    handles, labels = axes[0, 0].get_legend_handles_labels()
    labels[labels.index("exact GP")] += f": log p(y) = {exact.log_likelihood():.1f}"
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure

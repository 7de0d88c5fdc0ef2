"""From prior to posterior: what three and then eight observations tell a Gaussian process.

Left, the prior; then the posterior after three and after eight noisy observations (dots) of the dashed function. The
thick line is the mean, the band holds 95 % of the probability of f(x), thin lines are samples. Where there is data the
band closes and all samples agree; between and beyond the data it opens again towards the prior.
"""

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.reference.exact import ExactGP, sample
from dgpexp.reference.kernels import RBF

KERNEL, NOISE = RBF(1.0, 0.8), 0.01
INPUTS = np.array([-2.6, -0.4, 0.9, -1.7, 2.1, 0.2, -3.2, 1.5])


def truth(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.sin(1.7 * x) + 0.3 * x * np.cos(x))


def draw() -> Figure:
    figure, axes = canvas.panels(1, 3, 2.6, sharey=True)
    grid = np.linspace(-4, 4, 300)
    y = truth(INPUTS) + np.sqrt(NOISE) * np.random.default_rng(0).standard_normal(len(INPUTS))
    for ax, n in zip(axes[0], (0, 3, 8), strict=True):
        gp = ExactGP(KERNEL, NOISE, INPUTS[:n, None], y[:n])
        mean, covariance = gp.posterior(grid[:, None])
        ax.plot(grid, sample(mean, covariance, 5, np.random.default_rng(5)).T, color=canvas.SKY, linewidth=0.8)
        canvas.band(ax, grid, mean, np.sqrt(np.maximum(np.diag(covariance), 0)), canvas.BLUE, None)
        ax.plot(grid, truth(grid), color=canvas.BLACK, linestyle="--", linewidth=1.0)
        ax.plot(INPUTS[:n], y[:n], "o", color=canvas.RED, markersize=4)
        ax.set(title=f"{n} observations" if n else "prior", xlabel="x", xlim=(-4, 4))
    axes[0, 0].set_ylabel("f(x)")
    return figure

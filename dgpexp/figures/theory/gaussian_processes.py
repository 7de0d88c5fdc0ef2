"""Gaussian processes before and after data."""

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.reference.exact import ExactGP, sample
from dgpexp.reference.kernels import RBF, Polynomial


def prior_samples() -> Figure:
    """Samples of a Gaussian process prior for two lengthscales.

    Every line is one function drawn from a GP with an RBF kernel before any data is seen; the grey band holds 95 % of
    the values at each input. The lengthscale alone decides how quickly a function forgets its own value: with 0.3 it
    wiggles many times across the panel, with 2 it bends once or twice. The band is the same in both: how far functions
    stray and how fast they move are separate choices.
    """
    figure, axes = canvas.panels(1, 2, 2.6, sharey=True)
    x = np.linspace(-4, 4, 400)
    for ax, lengthscale in zip(axes[0], (0.3, 2.0), strict=True):
        K = RBF(1.0, lengthscale)(x[:, None], x[:, None])
        ax.axhspan(-1.96, 1.96, color=canvas.GREY, alpha=0.15, linewidth=0)
        ax.plot(x, sample(np.zeros(400), K, 4, np.random.default_rng(1)).T)
        ax.set(title=f"lengthscale {lengthscale:g}", xlabel="x", xlim=(-4, 4))
    axes[0, 0].set_ylabel("f(x)")
    return figure


def polynomial_kernels() -> Figure:
    """Other kernels, other functions: linear and polynomial.

    Samples of three GP priors whose kernels are powers of 1 + x z. Degree 1 gives straight lines and nothing else: the
    GP is Bayesian linear regression. Degrees 2 and 4 give parabolas and quartics. A kernel with so few functions in its
    span cannot follow arbitrary data however much of it there is, and it grows without bound away from the origin (the
    grey band holds 95 % of the values at each input).
    """
    figure, axes = canvas.panels(1, 3, 2.6)
    x = np.linspace(-3, 3, 200)
    for ax, degree in zip(axes[0], (1, 2, 4), strict=True):
        kernel = Polynomial(degree)
        deviation = np.sqrt(kernel.diag(x[:, None]))
        ax.fill_between(x, -1.96 * deviation, 1.96 * deviation, color=canvas.GREY, alpha=0.15, linewidth=0)
        ax.plot(x, sample(np.zeros(200), kernel(x[:, None], x[:, None]), 5, np.random.default_rng(4)).T)
        name = {1: "linear", 2: "quadratic", 4: "quartic"}[degree]
        power = {1: "", 2: "²", 4: "⁴"}[degree]
        ax.set(title=f"{name}: k(x, z) = (1 + x z){power}", xlabel="x", xlim=(-3, 3))
    axes[0, 0].set_ylabel("f(x)")
    return figure


KERNEL, NOISE = RBF(1.0, 0.8), 0.01
INPUTS = np.array([-2.6, -0.4, 0.9, -1.7, 2.1, 0.2, -3.2, 1.5])


def truth(x: np.ndarray) -> np.ndarray:
    return np.asarray(np.sin(1.7 * x) + 0.3 * x * np.cos(x))


def gp_posterior() -> Figure:
    """From prior to posterior: what three and then eight observations tell a Gaussian process.

    Left, the prior; then the posterior after three and after eight noisy observations (dots) of the dashed function.
    The thick line is the mean, the band holds 95 % of the probability of f(x), thin lines are samples. Where there is
    data the band closes and all samples agree; between and beyond the data it opens again towards the prior.
    """
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

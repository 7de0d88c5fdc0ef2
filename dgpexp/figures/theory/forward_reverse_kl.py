"""What the two Kullback-Leibler divergences make of a density with two peaks."""

import numpy as np
from matplotlib.figure import Figure
from scipy.integrate import trapezoid
from scipy.stats import norm

from dgpexp.drawing import canvas
from dgpexp.reference.learn import maximise

WEIGHTS, MEANS, DEVIATIONS = np.array([0.4, 0.6]), np.array([-2.0, 2.0]), np.array([0.6, 0.9])
GRID = np.linspace(-12, 12, 1201)


def density(x: np.ndarray) -> np.ndarray:
    """p(x), a mixture of two Gaussians. [n]"""
    return np.asarray(norm.pdf(x[:, None], MEANS, DEVIATIONS) @ WEIGHTS)


def divergence(a: np.ndarray, b: np.ndarray) -> float:
    """KL(a || b) of two densities given on the grid; a density that underflows to 0 adds nothing."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(trapezoid(np.where(a > 0, a * (np.log(a) - np.log(b)), 0.0), GRID))


def forward_fit() -> tuple[float, float]:
    """Mean and deviation of argmin KL(p || q): the moments of p."""
    mean = WEIGHTS @ MEANS
    return float(mean), float(np.sqrt(WEIGHTS @ (DEVIATIONS**2 + MEANS**2) - mean**2))


def reverse_fit(start: float) -> tuple[float, float]:
    """Mean and deviation of the local minimum of KL(q || p) near `start`."""

    def objective(theta: np.ndarray) -> float:
        return -divergence(norm.pdf(GRID, theta[0], np.exp(theta[1])), density(GRID))

    mean, log_deviation = maximise(objective, np.array([start, 0.0]))
    return float(mean), float(np.exp(log_deviation))


def forward_reverse_kl() -> Figure:
    """One Gaussian for a density with two peaks: forward against reverse Kullback-Leibler divergence.

    Grey, the density p to be approximated; lines, the best Gaussians q. Minimising KL(p || q), which expectation
    propagation does locally, makes q cover all of p: it has p's mean and variance, and much of its mass lies in the
    valley where p has almost none. Minimising KL(q || p), which variational inference does, forbids q to be where p is
    not: q settles on one peak and ignores the other. Starting from either side gives another solution, of which the
    solid one is better.
    """
    figure, axes = canvas.panels(1, 2, 2.6, sharey=True)
    p = density(GRID)
    for ax in axes[0]:
        ax.fill_between(GRID, p, color=canvas.GREY, alpha=0.35, linewidth=0, label="p")
        ax.set(xlim=(-6, 6.5), ylim=(0, 0.72), xlabel="x")
    q = norm.pdf(GRID, *forward_fit())
    axes[0, 0].plot(GRID, q, color=canvas.METHODS["aepmcm"], label=f"q, KL = {divergence(p, q):.2f}")
    fits = [norm.pdf(GRID, *reverse_fit(start)) for start in (-2.0, 2.0)]
    for q, line in zip(sorted(fits, key=lambda q: divergence(q, p)), ("-", "--"), strict=True):
        axes[0, 1].plot(GRID, q, line, color=canvas.BLUE, label=f"q, KL = {divergence(q, p):.2f}")
    axes[0, 0].set(title="forward: KL(p || q)", ylabel="density")
    axes[0, 1].set(title="reverse: KL(q || p)")
    for ax in axes[0]:
        ax.legend(loc="upper right")
    return figure

"""More paths: AEPMCM's mixture and its estimate of log Z tend to the exact ones, AEP's do not.

Left, the density of y for the point of Figure 4.2.2: exact (grey), AEP's Gaussian, and AEPMCM's mixtures of 5, 20 and
200 sampled paths. Right, the estimate of log Z at the observation against the number of paths S, over 400 repetitions:
their mean (line) and the range of the middle 90 % (band). The estimate lies too low on average, because the logarithm
of a mean is larger than the mean of logarithms, but the error shrinks as S grows; AEP's value has no S and stays where
it is.
"""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.figure import Figure
from scipy.special import logsumexp
from scipy.stats import norm

from dgpexp.drawing import canvas
from dgpexp.figures.deep.logz_aep import GRID

if TYPE_CHECKING:
    from dgpexp.figures.deep.one_point import OnePoint

SIZES = (10, 20, 50, 100, 200, 500, 1000)


def estimates(point: "OnePoint", repeats: int = 400) -> dict[int, np.ndarray]:
    """Estimates of log Z (4.3.19) for every number of paths S: S -> [repeats]."""
    from dgpexp.figures.deep.one_point import Y

    mean, variance = point.paths(max(SIZES), repeats)  # [S, repeats]
    log_densities = norm.logpdf(Y, mean, np.sqrt(variance))
    return {s: logsumexp(log_densities[:s], axis=0) - np.log(s) for s in SIZES}


def draw() -> Figure:
    from dgpexp.figures.deep import one_point

    point = one_point.build()
    gaussian_mean, gaussian_variance = point.one_gaussian()
    gaussian = norm(gaussian_mean, np.sqrt(gaussian_variance))
    figure, ((left, right),) = canvas.panels(1, 2, 2.9)

    left.fill_between(GRID, point.density(GRID), color=canvas.GREY, alpha=0.35, linewidth=0, label="exact")
    left.plot(GRID, gaussian.pdf(GRID), color=canvas.METHODS["aep"], label="AEP")
    mean, variance = point.paths(200, 1, seed=3)
    for s, line in ((5, ":"), (20, "--"), (200, "-")):
        mixture = norm.pdf(GRID, mean[:s], np.sqrt(variance[:s])).mean(0)
        left.plot(GRID, mixture, line, color=canvas.METHODS["aepmcm"], label=f"AEPMCM, S = {s}")
    left.axvline(one_point.Y, ymax=0.65, color=canvas.RED, linestyle=":", linewidth=1.2)
    left.set(xlabel="y", ylabel="density of y", xlim=(-3, 3), ylim=(0, 1.35))
    left.legend(loc="upper left", ncols=2)

    drawn = estimates(point)
    low, high = np.array([np.quantile(e, (0.05, 0.95)) for e in drawn.values()]).T
    right.fill_between(SIZES, low, high, color=canvas.METHODS["aepmcm"], alpha=0.2, linewidth=0)
    right.plot(
        SIZES, [e.mean() for e in drawn.values()], "o-", color=canvas.METHODS["aepmcm"], markersize=3, label="AEPMCM"
    )
    right.axhline(np.log(point.density(np.array([one_point.Y]))[0]), color=canvas.BLACK, linestyle="--", label="exact")
    right.axhline(gaussian.logpdf(one_point.Y), color=canvas.METHODS["aep"], label="AEP")
    right.set(xscale="log", xlabel="sampled paths S", ylabel="log Z", ylim=(-2.6, 0.4))
    right.legend(loc="center right", bbox_to_anchor=(1.0, 0.42))
    return figure

"""What AEP and AEPMCM make of one data point: the three figures of `one_point`."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.special import logsumexp
from scipy.stats import norm

from dgpexp.drawing import canvas
from dgpexp.figures.deep.one_point import OnePoint, Y, build

GRID = np.linspace(-3.0, 3.0, 400)  # of y
PATHS = 8
SIZES = (10, 20, 50, 100, 200, 500, 1000)


def logz_aep() -> Figure:
    """How AEP sees one data point: one Gaussian for a density that has two peaks.

    Two layers, one input, one observation (dotted line). Left, the second layer as a function of the hidden value h,
    with its 95 % band; below it, in grey, the distribution of h that the first layer sends. Most of h falls to one side
    of the step or the other, so the density of y (right, grey) has two peaks. AEP replaces it by the Gaussian of the
    same mean and variance: much of its mass lies between the peaks, where few observations will be, and the
    observation, which is on a peak, looks less likely than it is. Z is the height of each curve at the dotted line.
    """
    point = build()
    figure, (_, ax) = _layer_and_density(point)
    mean, variance = point.one_gaussian()
    gaussian = norm(mean, np.sqrt(variance))
    label = f"AEP: log Z = {gaussian.logpdf(Y):.2f}"
    ax.plot(gaussian.pdf(GRID), GRID, color=canvas.METHODS["aep"], label=label)
    ax.legend(loc="upper right")
    return figure


def logz_paths() -> Figure:
    """How AEPMCM sees the same data point: a mixture of one Gaussian a sampled path.

    As in Figure 4.2.2, but instead of carrying a Gaussian through the second layer, eight values of h are drawn (dots;
    the ticks below show where). Each sends its own narrow Gaussian to the output (right, thin lines, divided by eight),
    and Z is read off their average (thick). The average has a peak wherever paths arrive: it follows the exact density
    (grey) where AEP's single Gaussian cannot. With eight paths it is still coarse; Figure 4.3.3 shows what more paths
    do.
    """
    point = build()
    hidden_mean, hidden_variance = point.hidden()
    h = hidden_mean + np.sqrt(hidden_variance) * np.random.default_rng(7).standard_normal(PATHS)
    mean, variance = point.output(h)
    components = norm.pdf(GRID[:, None], mean, np.sqrt(variance)) / PATHS  # [y, S]

    figure, (left, right) = _layer_and_density(point)
    colour = canvas.METHODS["aepmcm"]
    left.plot(h, mean, "o", color=colour, markersize=5)
    left.vlines(h, -3.0, -2.6, color=colour, linewidth=1.2)
    right.plot(components, GRID, color=colour, linewidth=0.6)
    log_z = np.log(np.mean(norm.pdf(Y, mean, np.sqrt(variance))))
    right.plot(components.sum(1), GRID, color=colour, linewidth=2.0, label=f"AEPMCM: log Z = {log_z:.2f}")
    right.legend(loc="upper right")
    return figure


def _layer_and_density(point: OnePoint) -> tuple[Figure, tuple[Axes, Axes]]:
    """Left, y given h, and below it the density of h. Right, the density of y by quadrature, lying on its side. Across
    both, the observation."""
    figure, ((left, right),) = canvas.panels(1, 2, 2.9, sharey=True, width_ratios=(1.6, 1))
    h = np.linspace(-2.6, 3.0, 400)
    mean, variance = point.output(h)
    canvas.band(left, h, mean, np.sqrt(variance), canvas.BLACK, None)
    hidden_mean, hidden_variance = point.hidden()
    q = norm.pdf(h, hidden_mean, np.sqrt(hidden_variance))
    left.fill_between(h, -3.0, -3.0 + 1.2 * q / q.max(), color=canvas.GREY, alpha=0.5, linewidth=0)
    left.text(hidden_mean + 1.1, -2.2, "q(h)", ha="left", fontsize=8)
    left.set(xlabel="hidden value h", ylabel="y", ylim=(-3.0, 3.0), xlim=(-2.6, 3.0), title="second layer: y given h")
    exact = f"exact: log Z = {np.log(point.density(np.array([Y]))[0]):.2f}"
    right.fill_betweenx(GRID, 0, point.density(GRID), color=canvas.GREY, alpha=0.35, linewidth=0, label=exact)
    for ax in (left, right):
        ax.axhline(Y, color=canvas.RED, linestyle=":", linewidth=1.2)
    right.set(xlabel="density of y", xlim=(0, 1.35), title="all values of h together")
    return figure, (left, right)


def estimates(point: OnePoint, repeats: int = 400) -> dict[int, np.ndarray]:
    """Estimates of log Z (4.3.19) for every number of paths S: S -> [repeats]."""
    mean, variance = point.paths(max(SIZES), repeats)  # [S, repeats]
    log_densities = norm.logpdf(Y, mean, np.sqrt(variance))
    return {s: logsumexp(log_densities[:s], axis=0) - np.log(s) for s in SIZES}


def logz_samples() -> Figure:
    """More paths: AEPMCM's mixture and its estimate of log Z tend to the exact ones, AEP's do not.

    Left, the density of y for the point of Figure 4.2.2: exact (grey), AEP's Gaussian, and AEPMCM's mixtures of 5, 20
    and 200 sampled paths. Right, the estimate of log Z at the observation against the number of paths S, over 400
    repetitions: their mean (line) and the range of the middle 90 % (band). The estimate lies too low on average,
    because the logarithm of a mean is larger than the mean of logarithms, but the error shrinks as S grows; AEP's value
    has no S and stays where it is.
    """
    point = build()
    gaussian_mean, gaussian_variance = point.one_gaussian()
    gaussian = norm(gaussian_mean, np.sqrt(gaussian_variance))
    figure, ((left, right),) = canvas.panels(1, 2, 2.9)

    left.fill_between(GRID, point.density(GRID), color=canvas.GREY, alpha=0.35, linewidth=0, label="exact")
    left.plot(GRID, gaussian.pdf(GRID), color=canvas.METHODS["aep"], label="AEP")
    mean, variance = point.paths(200, 1, seed=3)
    for s, line in ((5, ":"), (20, "--"), (200, "-")):
        mixture = norm.pdf(GRID, mean[:s], np.sqrt(variance[:s])).mean(0)
        left.plot(GRID, mixture, line, color=canvas.METHODS["aepmcm"], label=f"AEPMCM, S = {s}")
    left.axvline(Y, ymax=0.65, color=canvas.RED, linestyle=":", linewidth=1.2)
    left.set(xlabel="y", ylabel="density of y", xlim=(-3, 3), ylim=(0, 1.35))
    left.legend(loc="upper left", ncols=2)

    drawn = estimates(point)
    low, high = np.array([np.quantile(e, (0.05, 0.95)) for e in drawn.values()]).T
    right.fill_between(SIZES, low, high, color=canvas.METHODS["aepmcm"], alpha=0.2, linewidth=0)
    right.plot(
        SIZES, [e.mean() for e in drawn.values()], "o-", color=canvas.METHODS["aepmcm"], markersize=3, label="AEPMCM"
    )
    right.axhline(np.log(point.density(np.array([Y]))[0]), color=canvas.BLACK, linestyle="--", label="exact")
    right.axhline(gaussian.logpdf(Y), color=canvas.METHODS["aep"], label="AEP")
    right.set(xscale="log", xlabel="sampled paths S", ylabel="log Z", ylim=(-2.6, 0.4))
    right.legend(loc="center right", bbox_to_anchor=(1.0, 0.42))
    return figure

"""How AEP sees one data point: one Gaussian for a density that has two peaks.

Two layers, one input, one observation (dotted line). Left, the second layer as a function of the hidden value h, with
its 95 % band; below it, in grey, the distribution of h that the first layer sends. Most of h falls to one side of the
step or the other, so the density of y (right, grey) has two peaks. AEP replaces it by the Gaussian of the same mean and
variance: much of its mass lies between the peaks, where few observations will be, and the observation, which is on a
peak, looks less likely than it is. Z is the height of each curve at the dotted line.
"""

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.stats import norm

from dgpexp.drawing import canvas

if TYPE_CHECKING:
    from dgpexp.figures.deep.one_point import OnePoint

GRID = np.linspace(-3.0, 3.0, 400)


def draw() -> Figure:
    from dgpexp.figures.deep import one_point

    point = one_point.build()
    figure, axes = canvas.panels(1, 2, 2.9, sharey=True, width_ratios=(1.6, 1))
    second_layer(axes[0, 0], point)
    density_panel(axes[0, 1], point)
    mean, variance = point.one_gaussian()
    gaussian = norm(mean, np.sqrt(variance))
    label = f"AEP: log Z = {gaussian.logpdf(one_point.Y):.2f}"
    axes[0, 1].plot(gaussian.pdf(GRID), GRID, color=canvas.METHODS["aep"], label=label)
    axes[0, 1].legend(loc="upper right")
    return figure


def second_layer(ax: Axes, point: "OnePoint") -> None:
    """y given h, and below it the density of h."""
    h = np.linspace(-2.6, 3.0, 400)
    mean, variance = point.output(h)
    canvas.band(ax, h, mean, np.sqrt(variance), canvas.BLACK, None)
    hidden_mean, hidden_variance = point.hidden()
    q = norm.pdf(h, hidden_mean, np.sqrt(hidden_variance))
    ax.fill_between(h, -3.0, -3.0 + 1.2 * q / q.max(), color=canvas.GREY, alpha=0.5, linewidth=0)
    ax.text(hidden_mean + 1.1, -2.2, "q(h)", ha="left", fontsize=8)
    ax.set(xlabel="hidden value h", ylabel="y", ylim=(-3.0, 3.0), xlim=(-2.6, 3.0), title="second layer: y given h")


def density_panel(ax: Axes, point: "OnePoint") -> None:
    """The density of y by quadrature, lying on its side, and the observation across the whole figure."""
    from dgpexp.figures.deep.one_point import Y

    exact = np.log(point.density(np.array([Y]))[0])
    ax.fill_betweenx(
        GRID, 0, point.density(GRID), color=canvas.GREY, alpha=0.35, linewidth=0, label=f"exact: log Z = {exact:.2f}"
    )
    for each in ax.figure.axes:
        each.axhline(Y, color=canvas.RED, linestyle=":", linewidth=1.2)
    ax.set(xlabel="density of y", xlim=(0, 1.35), title="all values of h together")

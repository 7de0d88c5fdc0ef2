"""The panels of Figures 5.2.1 and 5.2.2: the data, samples of each prediction, and densities at four inputs."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dgpexp.datasets import load_split, synthetic
from dgpexp.drawing import canvas
from dgpexp.figures.predictive.grid_predictions import grid
from dgpexp.methods import method_name
from dgpexp.predictive.mixture import Mixture

METHODS = ("vi", "aepmcm", "aep")  # the thesis's: its figures show the first two, AEP stands beside them for comparison
_LINES = dict(zip(METHODS, ("--", "-", "-."), strict=True))


def figure(
    dataset: str, split: int, rows: int, limits: tuple[float, float], inputs: tuple[float, ...],
    mixtures: dict[str, Mixture],
) -> Figure:  # fmt: skip
    """One figure of predictions on the grid, by method; the training data is that of `split`, made from `rows` rows.

    `limits` are those of y, and at `inputs` densities are compared.
    """
    drawing, (above, below) = canvas.panels(2, 4, 4.4, width=9.6, height_ratios=(1.6, 1))
    _data(above[0], dataset, split, rows)
    for ax, method in zip(above[1:], METHODS, strict=True):
        _samples(ax, grid(dataset), method, mixtures.get(method))
    for ax in above:
        ax.set(xlim=(grid(dataset)[0], grid(dataset)[-1]), ylim=limits, xlabel="x")
        for at in inputs:
            ax.axvline(at, color=canvas.GREY, linestyle=":", linewidth=0.8)
    for ax in above[1:]:
        ax.tick_params(labelleft=False)
    for ax, at in zip(below, inputs, strict=True):
        _densities(ax, dataset, limits, at, mixtures)
    above[0].set_ylabel("y")
    below[0].set_ylabel("density")
    handles, labels = below[0].get_legend_handles_labels()
    drawing.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return drawing


def _data(ax: Axes, dataset: str, split: int, rows: int) -> None:
    """The training data and the functions that generate it."""
    data = load_split(dataset, split, rows=rows)
    x, y = data.x_scaler.inverse(data.x_train)[:, 0], data.y_scaler.inverse(data.y_train)[:, 0]
    canvas.dots(ax, x, y, canvas.BLUE)
    ax.plot(grid(dataset), synthetic.branches(dataset, grid(dataset)).T, color=canvas.RED)
    ax.set_title("truth and training data")


def _samples(ax: Axes, x: np.ndarray, method: str, mixture: Mixture | None) -> None:
    """Draws of the predictive distribution, as many as there are training rows, more or less."""
    ax.set_title(method_name(method))
    if mixture is None:
        ax.text(0.5, 0.5, "no run yet", transform=ax.transAxes, ha="center")
        return
    y = mixture.sample(2, np.random.default_rng(0))  # [2, n]
    canvas.dots(ax, np.tile(x, 2), y.ravel(), canvas.METHODS[method])


def _densities(ax: Axes, dataset: str, limits: tuple[float, float], at: float, mixtures: dict[str, Mixture]) -> None:
    """The true density of y at one input, and the predicted ones."""
    y = np.linspace(*limits, 600)
    truth = synthetic.density(dataset, np.array(at), y)
    ax.fill_between(y, truth, color=canvas.GREY, alpha=0.4, linewidth=0, label="truth")
    n = int(np.abs(grid(dataset) - at).argmin())
    for method in METHODS:
        if method in mixtures:
            here = (np.repeat(a[:, [n]], len(y), axis=1) for a in (mixtures[method].means, mixtures[method].variances))
            density = np.exp(Mixture(*here).log_density(y))
            ax.plot(y, density, _LINES[method], color=canvas.METHODS[method], linewidth=1.2, label=method_name(method))
    ax.set(title=f"x = {at:g}", xlabel="y", xlim=limits, ylim=(0, None))

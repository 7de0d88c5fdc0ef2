"""Samples of deep Gaussian process priors."""

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.reference.deep_prior import sample_layers
from dgpexp.reference.kernels import RBF

DEPTHS = (1, 2, 4, 6)
GRID = np.linspace(-3, 3, 240)


def two_layer_prior() -> Figure:
    """A deep GP prior of two layers, layer by layer.

    Three draws (colours). Left, the hidden layer h = f¹(x), a sample of an ordinary GP. Middle, the second layer y =
    f²(h) as a function of h: again a sample of an ordinary GP, drawn only over the values that h takes. Right, what one
    sees, y = f²(f¹(x)): no longer a GP. Where the hidden layer stands still the composition is flat, where it moves
    fast the composition wiggles, and where it turns back the same values appear again in reverse order.
    """
    figure, axes = canvas.panels(1, 3, 2.7)
    x = np.linspace(-4, 4, 500)
    first, second, both = axes[0]
    for seed, colour in zip((0, 3, 8), canvas.LINES, strict=False):
        h, y = (layer[:, 0] for layer in sample_layers(x[:, None], 2, RBF(1.0, 0.9), np.random.default_rng(seed)))
        order = np.argsort(h)
        first.plot(x, h, color=colour)
        second.plot(h[order], y[order], color=colour)
        both.plot(x, y, color=colour)
    first.set(title="first layer", xlabel="x", ylabel="h = f¹(x)")
    second.set(title="second layer", xlabel="h", ylabel="y = f²(h)")
    both.set(title="the deep GP", xlabel="x", ylabel="y = f²(f¹(x))")
    return figure


def draws(identity_mean: bool, count: int = 100, seed: int = 0) -> np.ndarray:
    """y(x) of `count` draws of priors of 1 ... 6 layers: the hidden ones may have the mean function. [count, 6, n]"""
    rng = np.random.default_rng(seed)
    paths = [sample_layers(GRID[:, None], max(DEPTHS), RBF(1.0, 1.4), rng, identity_mean) for _ in range(count)]
    h = np.array(paths)[..., 0]
    # The last layer never has a mean function: take off what this one added.
    return np.diff(h, axis=1, prepend=np.broadcast_to(GRID, (count, 1, len(GRID)))) if identity_mean else h


def flat_share(functions: np.ndarray) -> float:
    """Share of the inputs at which |dh/dx| < 0.05, over all draws [count, n]."""
    return float(np.mean(np.abs(np.gradient(functions, GRID, axis=-1)) < 0.05))


def deep_pathology() -> Figure:
    """Why hidden layers get a mean function: samples of priors of growing depth, without and with it.

    Samples of deep GP priors of one unit a layer, of 1, 2, 4 and 6 layers; three draws each. Above, layers without a
    mean function: each maps ever more inputs to nearly the same value, until after six layers a draw hardly depends on
    its input any more. Below, each hidden layer adds its input to its GP (the mean function (4.3.27), here the
    identity): draws keep following the input at any depth. The number in each panel is the share of the input range on
    which a draw changes by less than 0.05 per unit of x, over 100 draws.
    """
    figure, axes = canvas.panels(2, len(DEPTHS), 3.6, sharex=True, sharey="row")
    for row, identity_mean in zip(axes, (False, True), strict=True):
        functions = draws(identity_mean)
        for ax, depth in zip(row, DEPTHS, strict=True):
            ax.plot(GRID, functions[:3, depth - 1].T)
            ax.set_ylim(-2.6, 2.9)
            canvas.note(ax, f"flat: {100 * flat_share(functions[:, depth - 1]):.0f} %")
    for ax, depth in zip(axes[0], DEPTHS, strict=True):
        ax.set_title(f"{depth} layer" + ("s" if depth > 1 else ""))
    for ax in axes[1]:
        ax.set_xlabel("x")
    axes[0, 0].set_ylabel("without a mean function")
    axes[1, 0].set_ylabel("with it")
    return figure

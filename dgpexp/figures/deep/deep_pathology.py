"""Why hidden layers get a mean function: samples of priors of growing depth, without and with it.

Samples of deep GP priors of one unit a layer, of 1, 2, 4 and 6 layers; three draws each. Above, layers without a mean
function: each maps ever more inputs to nearly the same value, until after six layers a draw hardly depends on its input
any more. Below, each hidden layer adds its input to its GP (the mean function (4.3.27), here the identity): draws keep
following the input at any depth. The number in each panel is the share of the input range on which a draw changes by
less than 0.05 per unit of x, over 100 draws.
"""

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.reference.deep_prior import sample_layers
from dgpexp.reference.kernels import RBF

DEPTHS = (1, 2, 4, 6)
GRID = np.linspace(-3, 3, 240)


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


def draw() -> Figure:
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

"""Samples of a Gaussian process prior for two lengthscales.

Every line is one function drawn from a GP with an RBF kernel before any data is seen; the grey band holds 95 % of the
values at each input. The lengthscale alone decides how quickly a function forgets its own value: with 0.3 it wiggles
many times across the panel, with 2 it bends once or twice. The band is the same in both: how far functions stray and
how fast they move are separate choices.
"""

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.reference.exact import sample
from dgpexp.reference.kernels import RBF


def draw() -> Figure:
    figure, axes = canvas.panels(1, 2, 2.6, sharey=True)
    x = np.linspace(-4, 4, 400)
    for ax, lengthscale in zip(axes[0], (0.3, 2.0), strict=True):
        K = RBF(1.0, lengthscale)(x[:, None], x[:, None])
        ax.axhspan(-1.96, 1.96, color=canvas.GREY, alpha=0.15, linewidth=0)
        ax.plot(x, sample(np.zeros(400), K, 4, np.random.default_rng(1)).T)
        ax.set(title=f"lengthscale {lengthscale:g}", xlabel="x", xlim=(-4, 4))
    axes[0, 0].set_ylabel("f(x)")
    return figure

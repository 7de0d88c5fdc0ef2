"""Other kernels, other functions: linear and polynomial.

Samples of three GP priors whose kernels are powers of 1 + x z. Degree 1 gives straight lines and nothing else: the GP
is Bayesian linear regression. Degrees 2 and 4 give parabolas and quartics. A kernel with so few functions in its span
cannot follow arbitrary data however much of it there is, and it grows without bound away from the origin (the grey band
holds 95 % of the values at each input).
"""

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.reference.exact import sample
from dgpexp.reference.kernels import Polynomial


def draw() -> Figure:
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

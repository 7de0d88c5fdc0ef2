"""A deep GP prior of two layers, layer by layer.

Three draws (colours). Left, the hidden layer h = f¹(x), a sample of an ordinary GP. Middle, the second layer y = f²(h)
as a function of h: again a sample of an ordinary GP, drawn only over the values that h takes. Right, what one sees, y =
f²(f¹(x)): no longer a GP. Where the hidden layer stands still the composition is flat, where it moves fast the
composition wiggles, and where it turns back the same values appear again in reverse order.
"""

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.reference.deep_prior import sample_layers
from dgpexp.reference.kernels import RBF


def draw() -> Figure:
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

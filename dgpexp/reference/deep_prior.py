"""Samples of a deep GP prior: each layer is a GP evaluated at the sample of the layer below (thesis, section 4.1)."""

import numpy as np

from dgpexp.reference.exact import sample
from dgpexp.reference.kernels import Array, Kernel


def sample_layers(
    x: Array, layers: int, kernel: Kernel, rng: np.random.Generator, identity_mean: bool = False
) -> list[Array]:
    """h¹ ... h^L at x [n, D], one joint draw: h^l = f^l(h^{l-1}), f^l ~ GP(0 or identity, kernel). Each [n, D]."""
    h, drawn = x, []
    for _ in range(layers):
        f = sample(np.zeros(len(h)), kernel(h, h), h.shape[1], rng).T  # the units are independent given h [n, D]
        h = f + h if identity_mean else f
        drawn.append(h)
    return drawn

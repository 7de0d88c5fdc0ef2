"""Elliptical slice sampling (Murray, Adams and MacKay 2010): draws of p(f) ∝ N(f | 0, K) L(f), with nothing to tune.

With ν ~ N(0, K), the point f' = f cos θ + ν sin θ of the ellipse through f and ν has the prior for every θ, and the
ellipse through f' and ν' = ν cos θ - f sin θ is the same one. So a step only has to leave the uniform distribution on
{θ : L(f') > level} invariant, with the level uniform below L(f): a bracket that holds θ = 0, where f' = f, is cut at
every θ that was refused, on its side of 0, until one is accepted. θ = π is -f: symmetric modes are a single step apart.
"""

from collections.abc import Callable

import numpy as np

from dgpexp.reference.kernels import Array


def step(
    f: Array,
    value: float,
    log_likelihood: Callable[[Array], float],
    prior_draw: Array,
    rng: np.random.Generator,
) -> tuple[Array, float]:
    """The next f and its log likelihood; `value` is the one of `f`, and ν = `prior_draw` ~ N(0, K) has f's shape."""
    level = value - rng.exponential()  # log of a uniform number below L(f)
    theta = rng.uniform(0.0, 2.0 * np.pi)
    low, high = theta - 2.0 * np.pi, theta
    while True:
        proposal = f * np.cos(theta) + prior_draw * np.sin(theta)
        value = log_likelihood(proposal)
        if value > level:
            return proposal, value
        low, high = (theta, high) if theta < 0.0 else (low, theta)
        theta = rng.uniform(low, high)

"""Learn the parameters of a small model by maximising its likelihood: L-BFGS with gradients by finite differences."""

from collections.abc import Callable

import numpy as np
from scipy.optimize import minimize

from dgpexp.reference.kernels import Array


def maximise(objective: Callable[[Array], float], start: Array, iterations: int = 200) -> Array:
    """The parameters [P] near `start` with the largest objective. Where it cannot be computed it counts as very bad.

    Positive parameters are for the caller to pass as logarithms.
    """

    def cost(theta: Array) -> float:
        try:
            value = -objective(theta)
        except np.linalg.LinAlgError:  # the line search went where a covariance is not positive definite
            return 1e10
        return value if np.isfinite(value) else 1e10

    return np.asarray(minimize(cost, start, method="L-BFGS-B", options={"maxiter": iterations, "maxfun": 10**6}).x)

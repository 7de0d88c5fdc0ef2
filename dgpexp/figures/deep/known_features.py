"""Approximate the known model by random features: layers with other parameters, and no noise between them.

`approximate` is the one way to make an approximation of either kind.
"""

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.figures.deep.known_model import Approximation, Known
from dgpexp.methods import find_method


def approximate(method: str, known: Known, x: np.ndarray, y: np.ndarray, settings: Settings) -> Approximation:
    """A method's model of x [N, 1], y [N] with the known parameters, not trained yet."""
    kind = FeatureApproximation if "features" in find_method(method).settings else Approximation
    return kind(method, known, x, y, settings)


class FeatureApproximation(Approximation):
    """f₁ and f₂ linear in random features; the hidden noise of the known model has no place in it."""

    def _take_over(self, known: Known) -> None:
        for layer, kernel in zip(self.model.layers, (known.first, known.second), strict=True):
            log_lengthscales = np.log(np.broadcast_to(kernel.lengthscales, layer.log_lengthscales.shape))
            layer.log_variance.assign(np.log(kernel.variance))
            layer.log_lengthscales.assign(log_lengthscales)
            self.fixed += [layer.log_variance, layer.log_lengthscales]
            # q(Ω) begins at its prior
            layer.frequency_log_deviation.assign(-log_lengthscales[:, None] + np.zeros(layer.draw.shape))

    def _begin_at_the_identity(self) -> None:
        layer = self.model.layers[0]
        phi = layer.features(self._x[None])[0].numpy()  # [N, 2R]
        ridge = phi @ phi.T + 1e-3 * np.eye(len(phi))
        layer.mean.assign(phi.T @ np.linalg.solve(ridge, self._x.numpy()))

    def functions(self, x: np.ndarray, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draws of f₁ at x [n, 1], and of f₂ at f₁(x), weights and frequencies from q: [count, n] each."""
        h, drawn = tf.constant(x)[None], []
        for layer in self.model.layers:
            seeds = tf.constant(rng.integers(2**31, size=(2, 2)))
            h = layer.sample(h, count, seeds[1])  # [count, n, 1]
            drawn.append(h.numpy()[:, :, 0])
        return drawn[0], drawn[1]

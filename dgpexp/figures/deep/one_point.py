"""A deep GP of two layers and a single data point, small enough to know log Z exactly: three figures look at it.

The first layer maps the input to h ~ N(mean, variance); the second is a smooth step, so that y given h is high or low
depending on which side of it h falls. The parameters are set by hand; every number comes from dgpexp/gp.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import tensorflow as tf
from scipy.integrate import trapezoid
from scipy.stats import norm

from dgpexp.gp.conditional import AnyConditional
from dgpexp.gp.dgp import DeepGP, gaussian_propagation, sampled_paths
from dgpexp.gp.kernels.stationary import RBF
from dgpexp.gp.layer import Layer
from dgpexp.gp.likelihoods.gaussian import Gaussian

X, Y = np.array([[0.0]]), -1.4  # the data point
_H = np.linspace(-5.0, 5.0, 4001)  # where h is integrated over


@dataclass(frozen=True)
class OnePoint:
    """The two layers, conditioned on their inducing values, and the noise variance of the likelihood."""

    layers: list[AnyConditional]
    noise: float

    def hidden(self) -> tuple[float, float]:
        """Mean and variance of h at the input."""
        mean, variance = self.layers[0].marginals(tf.constant(X))
        return float(mean[0, 0]), float(variance[0, 0])

    def output(self, h: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and variance of y given h [n], noise included: [n] each."""
        mean, variance = self.layers[1].marginals(tf.constant(h[:, None]))
        return mean[:, 0].numpy(), variance[:, 0].numpy() + self.noise

    def density(self, y: np.ndarray) -> np.ndarray:
        """Z(y) = ∫ p(y | h) q(h) dh by quadrature, for y [n]: what the methods approximate. [n]"""
        mean, variance = self.output(_H)  # [H]
        hidden_mean, hidden_variance = self.hidden()
        weights = norm.pdf(_H, hidden_mean, np.sqrt(hidden_variance))
        return np.asarray(trapezoid(weights * norm.pdf(y[:, None], mean, np.sqrt(variance)), _H, axis=1))

    def one_gaussian(self) -> tuple[float, float]:
        """AEP: mean and variance of the Gaussian that stands for the density, in closed form."""
        mean, variance = gaussian_propagation(self.layers, tf.constant(X))
        return float(mean[0, 0]), float(variance[0, 0]) + self.noise

    def paths(self, samples: int, repeats: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """AEPMCM: mean and variance of y along sampled paths, noise included: [samples, repeats] each."""
        mean, variance = sampled_paths(
            self.layers, tf.constant(np.tile(X, (repeats, 1))), samples, tf.constant([seed, 0])
        )
        return mean[..., 0].numpy(), variance[..., 0].numpy() + self.noise


def build() -> OnePoint:
    """The model of the figures."""
    first = _layer(np.linspace(-2.0, 2.0, 5), lambda z: 0.25 + 0.8 * z, lengthscale=1.5, covariance=0.8, noise=0.02)
    second = _layer(np.linspace(-4.0, 4.0, 33), lambda z: 1.4 * np.tanh(8.0 * z), 0.3, covariance=0.002, noise=None)
    likelihood = Gaussian(0.04)
    model = DeepGP([first, second], likelihood, jitter=1e-8, mixed=False)
    return OnePoint(model.given([layer.inducing_values for layer in model.layers]), float(likelihood.noise))


def _layer(
    z: np.ndarray,
    values: Callable[[np.ndarray], np.ndarray],
    lengthscale: float,
    covariance: float,
    noise: float | None,
) -> Layer:
    """A layer of one unit whose inducing values at z [M] have mean `values(z)`."""
    layer = Layer(RBF(1.0, [lengthscale]), z[None, :, None], 1, covariance, None, noise)
    whiten = layer.whitening(tf.constant(1e-8, tf.float64)).inverse_factor[0]  # L⁻¹ [M, M]
    layer.mean.assign((whiten.numpy() @ values(z))[None])
    return layer

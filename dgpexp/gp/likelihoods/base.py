"""What inference and prediction ask of a likelihood p(y | f), and how it is integrated where there is no closed form.

Every integral is against independent Gaussians f_c ~ N(mean_c, variance_c), arrays [..., n, C] (a leading [S] for
sampled paths); the targets y are [n, 1], of a classification the numbers of classes. Given a sampled path the units of
the last layer are independent; where AEP passes one Gaussian on, they are taken for independent.

A likelihood of one unit needs `log_density` and `given`: E[log p] and log E[p^α] are then sums over Gauss-Hermite
points, and predictions over the nodes of predictive/compound.py. A closed form takes the place of either.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.datasets import Scaler
from dgpexp.predictive.classes import Classes
from dgpexp.predictive.compound import Compound, Family, over_f

_SQRT_HALF = float(np.sqrt(0.5))
_LOG_SQRT_2PI = float(0.5 * np.log(2.0 * np.pi))
_TAIL = -20.0  # below it the series has 13 digits; erfc has its own down to -37


class Likelihood(tf.Module):
    """A tf.Module, so that its parameters are trained and kept with the model's."""

    outputs = 1  # C, units of the last layer
    scale_free = False  # p(y | f) = p(y | c f) for c > 0: the last layer's variance is not learned, it would drift
    points = 40  # of Gauss-Hermite
    predicts: type[Compound] = Compound

    @classmethod
    def start(cls, settings: Settings, labels: Sequence[str]) -> Self:
        """With the initial values that the settings say; `labels` are those of the classes, none for numbers."""
        return cls()

    def start_at(self, y: Any) -> None:
        """Take initial values from training targets y [N, 1], as the model sees them. Most likelihoods take none."""

    def log_density(self, y: tf.Tensor, f: tf.Tensor) -> tf.Tensor:
        """log p(y | f) for y [n, 1] and f [..., n, P]: [..., n, P]."""
        raise NotImplementedError

    def given(self) -> tuple[Callable[..., Any], Sequence[float]]:
        """A function of f and of parameters that gives the distribution of y by scipy's names, and the parameters."""
        raise NotImplementedError

    def around(
        self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, power: float
    ) -> tuple[tf.Tensor, tf.Tensor] | None:
        """Centre and deviation [..., n] of p(y | f)^power N(f | mean, variance), about; None: those of f.

        Gauss-Hermite points must lie where the integrand does: name it where p(y | f) may be narrower than f.
        """
        return None

    def expected_log_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor) -> tf.Tensor:
        """E[log p(y | f)], which VI averages: [..., n]."""
        nodes, weights = hermite(self.points)
        f = tf.cast(mean, tf.float64) + tf.sqrt(tf.cast(variance, tf.float64)) * nodes  # [..., n, P]
        return tf.reduce_sum(weights * self.log_density(y, f), axis=-1)

    def log_expected_density(self, y: tf.Tensor, mean: tf.Tensor, variance: tf.Tensor, power: float = 1) -> tf.Tensor:
        """log E[p(y | f)^power], which the methods of expectation propagation average: [..., n].

        With points f_p = c + s z_p about another centre than f's, E[g(f)] = Σ_p w_p g(f_p) N(f_p | mean, variance) /
        N(f_p | c, s²). The points are held while the sum is differentiated: it equals the integral wherever they are.
        """
        nodes, weights = hermite(self.points)
        mean, variance = tf.cast(mean[..., 0], tf.float64), tf.cast(variance[..., 0], tf.float64)
        found = self.around(y, mean, variance, power)
        centre, std = (mean, tf.sqrt(variance)) if found is None else (tf.stop_gradient(a) for a in found)
        f = centre[..., None] + std[..., None] * nodes  # [..., n, P]
        terms = np.log(weights) + power * self.log_density(y, f)
        if found is not None:
            away = tf.square(f - mean[..., None]) / variance[..., None] - nodes**2
            terms += tf.math.log(std / tf.sqrt(variance))[..., None] - 0.5 * away
        return tf.reduce_logsumexp(terms, axis=-1)

    def predictive(self, mean: tf.Tensor, variance: tf.Tensor) -> tuple[tf.Tensor, ...]:
        """What `distribution` needs of components of f [S, n, C]: here their moments, [S, n] each."""
        return tf.cast(mean[..., 0], tf.float64), tf.cast(variance[..., 0], tf.float64)

    def family(self) -> tuple[Family, Sequence[float]]:
        """The components of a prediction (predictive/compound.py) and their parameters."""
        given, parameters = self.given()
        return partial(over_f, given), parameters

    def distribution(self, arrays: list[np.ndarray], target: Scaler) -> Any:
        """What `predictive` gave as a predictive distribution (dgpexp/predictive) in the units of y."""
        (family, parameters), (means, variances) = self.family(), arrays
        return self.predicts.of(family, means, variances, parameters, target)


class OfClasses(Likelihood):
    """The likelihoods of classes predict log probabilities."""

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__()
        self.labels = tuple(labels)

    @classmethod
    def start(cls, settings: Settings, labels: Sequence[str]) -> Self:
        return cls(labels)

    def distribution(self, arrays: list[np.ndarray], target: Scaler) -> Classes:
        """From log probabilities [n, C]."""
        return Classes(arrays[0], self.labels)


def log_mean_exp(log_probabilities: tf.Tensor, axis: int = 0) -> tf.Tensor:
    """log of the mean of probabilities over paths, the first axis: improbable classes keep a finite logarithm."""
    count = tf.cast(tf.shape(log_probabilities)[axis], log_probabilities.dtype)
    return tf.reduce_logsumexp(log_probabilities, axis=axis) - tf.math.log(count)


@tf.custom_gradient
def log_cdf(x: tf.Tensor) -> tuple[tf.Tensor, Any]:
    """log Φ(x), finite and right for every x, in float64 whatever the type of x; its gradient φ(x)/Φ(x) likewise.

    With e = ½ erfc(|x|/√2), which keeps its relative precision, Φ(x) is e for x < 0 and 1 - e above. Far below 0, where
    e underflows, integrating φ by parts gives Φ(x) = φ(x)/|x| · s with s = 1 - 1/x² + 3/x⁴ - 15/x⁶ + ..., hence
    log Φ = -½x² - log √2π - log|x| + log s and φ/Φ = |x|/s: no difference of large numbers in either.
    """
    given, x = x.dtype, tf.cast(x, tf.float64)
    far = x < _TAIL
    near = tf.maximum(x, _TAIL)
    e = 0.5 * tf.math.erfc(_SQRT_HALF * tf.abs(near))
    below = near < 0.0
    away = tf.minimum(x, _TAIL)
    inverse = 1.0 / tf.square(away)
    s = tf.ones_like(x)
    for odd in (11.0, 9.0, 7.0, 5.0, 3.0, 1.0):  # Horner: 1 - t (1 - 3t (1 - 5t (...)))
        s = 1.0 - odd * inverse * s
    body = tf.where(below, tf.math.log(e), tf.math.log1p(-e))
    value = tf.where(far, -0.5 * tf.square(away) - _LOG_SQRT_2PI - tf.math.log(-away) + tf.math.log(s), body)

    def gradient(upstream: tf.Tensor) -> Any:
        density = tf.exp(-0.5 * tf.square(near) - _LOG_SQRT_2PI)
        ratio = tf.where(far, -away / s, density / tf.where(below, e, 1.0 - e))
        return tf.cast(upstream * ratio, given)

    return value, gradient


def hermite(points: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes z [P] and weights w [P] with E[g(f)] ≈ Σ_p w_p g(mean + √variance z_p) for f ~ N(mean, variance)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    return nodes, weights / weights.sum()

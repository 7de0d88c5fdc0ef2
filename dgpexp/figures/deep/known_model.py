"""A two-layer deep GP whose kernels and noises are given: its exact posterior, and what a method makes of it.

With everything fixed but q, a method and Markov chain Monte Carlo answer the same question, and all that lies between
them is the approximation. One input, one hidden unit; nothing is scaled.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf

from dgpexp import inference
from dgpexp.config import Settings
from dgpexp.gp import likelihoods
from dgpexp.gp.cavity import posterior
from dgpexp.gp.conditional import Conditional
from dgpexp.inference import Minibatch
from dgpexp.methods import find_method
from dgpexp.predictive.mixture import Mixture
from dgpexp.reference.exact import sample
from dgpexp.reference.kernels import RBF
from dgpexp.reference.two_layers import TwoLayers

JITTER = 1e-7  # of draws on a fine grid


@dataclass(frozen=True)
class Known:
    """h = x + f₁(x) + e₁ (or without the x), y = f₂(h) + e₂; noises are variances."""

    first: RBF
    second: RBF
    inner_noise: float
    noise: float
    linear: bool

    def exact(self, x: np.ndarray, y: np.ndarray) -> TwoLayers:
        """The posterior given x [N, 1], y [N], to be sampled."""
        weights = np.eye(1) if self.linear else None
        return TwoLayers(self.first, self.second, self.noise, x, y, inner_noise=self.inner_noise, weights=weights)

    def settings(self, **changes: Any) -> Settings:
        """For a model that begins with these parameters."""
        return Settings(
            hidden_width=1,
            mean_function="linear" if self.linear else "none",
            inner_noise=self.inner_noise,
            likelihood_noise=self.noise,
            **changes,
        )


class Approximation:
    """A method's model of x [N, 1], y [N], trained on all rows at once."""

    def __init__(self, method: str, known: Known, x: np.ndarray, y: np.ndarray, settings: Settings) -> None:
        self.entry, self.method = find_method(method), inference.get(method)
        self.rows, self.settings = len(x), settings
        self.model = self.method.build(settings, 2, x, likelihoods.make(settings), seed=0)
        self.fixed = [self.model.likelihood.log_noise]
        self._x, self._y = tf.constant(x), tf.constant(y[:, None])
        self._take_over(known)
        if not known.linear:
            self._begin_at_the_identity()

    def _take_over(self, known: Known) -> None:
        """The known parameters, into the model and among those that stay as they are."""
        self.fixed.append(self.model.layers[0].log_noise)
        for layer, kernel in zip(self.model.layers, (known.first, known.second), strict=True):
            layer.kernel.log_variance.assign(np.log(kernel.variance))
            layer.kernel.log_lengthscales.assign(np.log(np.atleast_1d(kernel.lengthscales)))
            self.fixed += layer.kernel.trainable_variables

    def _begin_at_the_identity(self) -> None:
        """h = x at the inducing inputs: f₁ = 0 is a saddle, from which q would not know where to go."""
        layer = self.model.layers[0]
        inverse = layer.whitening(self.model.jitter).inverse_factor[0]
        layer.mean.assign(tf.transpose(tf.matmul(inverse, layer.inducing_inputs[0])))

    def train(self, steps: int, everything: bool = False) -> "Approximation":
        """`steps` of the method's own, the rate falling to 0 in the last half, of what q has, or of all parameters."""
        held = set() if everything else {v.ref() for v in self.fixed}
        variables = self.model.trainable_variables
        ascent = inference.ascent(self.method, self.model, self.settings, steps)

        @tf.function(input_signature=[], autograph=False)
        def run() -> None:
            def one(step: tf.Tensor) -> tuple[tf.Tensor]:
                seed = tf.stack([tf.constant(0, tf.int64), step])
                batch = Minibatch(self._x, self._y, tf.range(self.rows), self.rows, seed)
                with tf.GradientTape() as tape:
                    value = self.method.objective(self.model, batch, self.settings)
                slopes = zip(variables, tape.gradient(value, variables), strict=True)
                ascent.ascend([tf.zeros_like(v) if v.ref() in held else slope for v, slope in slopes], step)
                return (step + 1,)

            tf.while_loop(lambda step: step < steps, one, (tf.constant(0, tf.int64),), parallel_iterations=1)

        run.get_concrete_function()()
        return self

    def known(self) -> Known:
        """The kernels and noises that the model has now."""
        first, last = (
            RBF(float(layer.kernel.variance), layer.kernel.lengthscales.numpy()) for layer in self.model.layers
        )
        inner_noise = float(np.exp(self.model.layers[0].log_noise.numpy()))
        linear = self.model.layers[0].weights is not None
        return Known(first, last, inner_noise, float(self.model.likelihood.noise), linear)

    def predict(self, x: np.ndarray) -> Mixture:
        """The predictive distribution at x [n, 1], noise included."""
        seed = tf.constant([0, -1], tf.int64)
        f = self.method.predictor(self.model, self.rows, self.settings)(tf.constant(x), seed)
        return Mixture(*(a.numpy() for a in self.model.likelihood.predictive(*f)))

    def functions(self, x: np.ndarray, count: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Draws of f₁ at x [n, 1], and of f₂ at f₁(x), from the posterior of the inducing values: [count, n] each."""
        cavity = "parameters" in self.entry.settings  # a tied factor: N(m, Σ) is its cavity
        conditionals = self.model.conditionals((lambda v: posterior(v, self.rows)) if cavity else (lambda v: v))
        hidden, output = drawn_functions(conditionals, x, count, rng)
        return hidden, output


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


def approximate(method: str, known: Known, x: np.ndarray, y: np.ndarray, settings: Settings) -> Approximation:
    """Give a method's model of x [N, 1], y [N] with the known parameters, not trained yet."""
    kind = FeatureApproximation if "features" in find_method(method).settings else Approximation
    return kind(method, known, x, y, settings)


def drawn_functions(
    conditionals: Sequence[Conditional], x: np.ndarray, count: int, rng: np.random.Generator
) -> list[np.ndarray]:
    """Draws of f₁ at x [n, 1], of f₂ at f₁(x), and so on, layers of one unit without their noise: [count, n] each."""
    drawn = [sample(*_joint(conditionals[0], x), count, rng, JITTER)]
    for conditional in conditionals[1:]:
        drawn.append(np.concatenate([sample(*_joint(conditional, h[:, None]), 1, rng, JITTER) for h in drawn[-1]]))
    return drawn


def _joint(conditional: Conditional, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean [n] and covariance [n, n] of a layer of one unit at x [n, 1], without its noise."""
    kernel = conditional.kernel
    a = kernel(x, conditional.inducing_inputs).numpy() @ conditional.inverse_factor.numpy().T  # [n, M]
    linear = 0.0 if conditional.weights is None else (x @ conditional.weights.numpy())[:, 0]
    mean = a @ conditional.values.mean[0].numpy() + linear
    return mean, kernel(x, x).numpy() + a @ conditional.values.excess[0].numpy() @ a.T

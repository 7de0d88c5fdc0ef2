"""SGHMC: a Markov chain of the inducing values (Havasi, Hernández-Lobato, Murillo-Fuentes 2018). There is no N(m, Σ).

The whitened values v of all layers are known at every step: a sample. Given them a layer has f(h) ~ N(A v, k - |A|²),
so with S paths drawn through the hidden layers

    log p(y | v) ≈ Σ_n log 1/S Σ_s p(y_n | path s),           -U(v) = log p(y | v) - ½ |v|².

S = 1, as in the paper, averages the logarithm over paths, as VI does; more paths approach the likelihood itself.

*The chain* (Chen, Fox, Guestrin 2014, their (15)). Beside every coordinate of v stands r, how far a step goes. With ∇U
from a minibatch, a friction α and a scale τ², a step is

    r ← (1 - α) r - τ² ∇U(v) + N(0, 2 α τ²),         v ← v + r.

Where U is quadratic with curvature P, v is an autoregression, v' = (2 - α - τ² P) v - (1 - α) v₋ + noise. Its variance
is exactly 1/P · 1 / (1 - τ² P / (4 - 2 α)): that of exp(-U) for small τ² P. If the gradient has noise of variance B, r
gets τ⁴ B more than 2 α τ²: the chain is too hot by the factor 1 + τ² B / 2 α.

*The scales* are those of the coordinates, τ² = min(ε² / √V, α / 5B), learned in the burn-in and then held.

- V is the mean of (∇U)² (Springenberg et al. 2016), at least 1. By parts E (∂U)² = E ∂²U under the posterior, so that
  ε² / √V is a step of about ε at a curvature of 1, that of the prior, and none exceeds ε however steep the way.
- B is half the mean square of the difference of successive gradients. α / 5B leaves a tenth of heat at most. Without
  minibatches the difference is the curvature times a step, so B bounds the error of a step, too.

Both are means over about the last half of the steps so far: a new value has the weight 2 / (t + 2).

*All else* (kernels, inducing inputs, noises) ascends E log p(y, v), the expectation over the posterior of v: the M step
of expectation maximisation, by Adam. The expectation is a mean of two samples, the present one and a random one of the
last S', S' = `test_samples`: a window that moves. So the objective here is the mean of log p(y, v) over both, and the
chain follows twice its gradient.

In the last part of the steps, `chain_share`, all else and the scales are held, and S' samples are kept, equally far
apart. Each gives one path of a prediction.
"""

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp import initial
from dgpexp.gp.dgp import DeepGP, Predict, sampled_paths
from dgpexp.gp.inducing_values import Points
from dgpexp.gp.layer import SparseLayer
from dgpexp.gp.likelihoods import Likelihood
from dgpexp.gp.likelihoods.base import log_mean_exp
from dgpexp.inference import Minibatch
from dgpexp.inference.adam import Adam, schedule

__all__ = ["ascent", "build", "objective", "predictor"]


class Chain(DeepGP):
    """A deep GP, the present sample v [D, M] of every layer, and those that were kept last, [S', D, M], in a ring."""

    def __init__(self, model: DeepGP, kept: int, seed: int) -> None:
        super().__init__(model.layers, model.likelihood, model.jitter.numpy(), mixed=model.dtype == tf.float32)
        shapes = [(layer.units, layer.inducing_inputs.shape[1]) for layer in model.layers]
        self.now = [tf.Variable(np.zeros(shape), name="value") for shape in shapes]
        self.kept = [tf.Variable(np.zeros((kept, *shape)), trainable=False, name="kept") for shape in shapes]
        self.seed = tf.Variable(seed, dtype=tf.int64, trainable=False, name="seed")
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False, name="step")

    @property
    def filled(self) -> tf.Tensor:
        """How many samples have been kept, at most S'; before the first step, the one that it starts from."""
        return tf.clip_by_value(self.step, 1, self.kept[0].shape[0])

    def random(self, number: int) -> tf.Tensor:
        """A seed of this step, one for each number."""
        return tf.random.experimental.stateless_fold_in(tf.stack([self.seed, self.step]), number)


def build(settings: Settings, depth: int, x: np.ndarray, likelihood: Likelihood, seed: int) -> Chain:
    """The deep GP of the other methods; the chain begins at v = 0, where a hidden layer is its mean function."""
    model = initial.build(settings, depth, x, likelihood, seed, layer=SparseLayer)
    return Chain(model, settings.test_samples, seed)


def objective(model: Chain, batch: Minibatch, settings: Settings) -> tf.Tensor:
    """The mean of log p(y, v) over the present sample and one of the window, estimated from a minibatch and S paths."""
    s = settings.train_samples
    chosen = tf.random.stateless_uniform([], model.random(0), 0, model.filled, tf.int64)
    both = [tf.stack([now, kept[chosen]]) for now, kept in zip(model.now, model.kept, strict=True)]  # [2, D, M]
    conditionals = model.given([Points(tf.repeat(v, s, axis=0)) for v in both])
    mean, variance = sampled_paths(conditionals, batch.x, 2 * s, batch.seed)  # [2 S, n, C]
    fit = model.likelihood.log_expected_density(batch.y, mean, variance)  # [2 S, n]
    fit = log_mean_exp(tf.reshape(fit, [2, s, -1]), axis=1)  # [2, n]
    prior = tf.add_n([tf.reduce_sum(tf.square(v)) for v in both])
    return float(batch.total) * tf.reduce_mean(fit) - 0.25 * prior


class Sampler:
    """A step of the chain and, until samples are kept, one of Adam."""

    def __init__(self, model: Chain, settings: Settings, steps: int) -> None:
        self._model, self._burn_in = model, steps - round(settings.chain_share * steps)
        self._every = max(1, (steps - self._burn_in) // settings.test_samples)  # steps from one kept sample to the next
        self._epsilon, self._friction = settings.chain_step, settings.chain_friction
        chain = {id(v) for v in model.now}
        self._sampled = [id(v) in chain for v in model.trainable_variables]
        rate = schedule(settings, self._burn_in)
        self._adam = Adam(
            [v for v in model.trainable_variables if id(v) not in chain],
            lambda step: tf.where(step < self._burn_in, rate(step), 0.0),
        )
        # r, the last ∇U, V and B of every layer
        self._state = [[tf.Variable(tf.zeros_like(v), trainable=False) for _ in range(4)] for v in model.now]
        self.slots = [slot for layer in self._state for slot in layer] + list(self._adam.slots)

    def ascend(self, gradients: list[tf.Tensor], step: tf.Tensor) -> None:
        """One step along `gradients`; `step` counts from 0."""
        mine = [gradient for gradient, sampled in zip(gradients, self._sampled, strict=True) if sampled]
        others = [gradient for gradient, sampled in zip(gradients, self._sampled, strict=True) if not sampled]
        adapts = step < self._burn_in
        samples = self._model.kept[0].shape[0]
        place = tf.where(adapts, step, (step - self._burn_in) // self._every) % samples
        for number, (v, kept, state, half) in enumerate(
            zip(self._model.now, self._model.kept, self._state, mine, strict=True), start=1
        ):
            v.assign_add(self._moved(state, -2.0 * half, step, self._model.random(number)))
            kept.scatter_nd_update([[place]], [v])
        self._adam.ascend(others, step)
        self._model.step.assign(step + 1)

    def _moved(self, state: list[tf.Variable], slope: tf.Tensor, step: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
        """How far v goes, r [D, M], for ∇U = `slope`; in the burn-in the scales follow it."""
        r, last, square, noise = state
        share = tf.where(step < self._burn_in, 2.0 / (2.0 + tf.cast(step, tf.float64)), 0.0)
        square.assign_add(share * (tf.square(slope) - square))
        noise.assign_add(share * (0.5 * tf.square(slope - last) - noise))
        last.assign(slope)
        scale = tf.minimum(self._epsilon**2 / tf.sqrt(tf.maximum(square, 1.0)), self._friction / (5.0 * noise))  # τ²
        normal = tf.random.stateless_normal(r.shape, seed, dtype=tf.float64)
        r.assign((1.0 - self._friction) * r - scale * slope + tf.sqrt(2.0 * self._friction * scale) * normal)
        return r


ascent = Sampler


def predictor(model: Chain, rows: int, settings: Settings) -> Predict:
    """f along a path of each of the S' samples, a component of the predictive mixture."""
    samples = model.kept[0].shape[0]
    places = tf.range(samples, dtype=tf.int64) % model.filled
    conditionals = model.given([Points(tf.gather(v, places)) for v in model.kept])
    prepared = [conditional.for_predictions() for conditional in conditionals]
    return lambda x, seed: sampled_paths(prepared, x, samples, seed, settings.shared_paths)

"""The deep GP: layers one after the other, the output of each the input of the next, and a likelihood at the end."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import tensorflow as tf

from dgpexp.gp.conditional import AnyConditional
from dgpexp.gp.inducing_values import InducingValues
from dgpexp.gp.layer import Layer, SparseLayer
from dgpexp.gp.likelihoods import Likelihood
from dgpexp.gp.shapes import shapes

Predict = Callable[[tf.Tensor, tf.Tensor], tuple[tf.Tensor, tf.Tensor]]  # from x [n, Q] and seed [2]: [S, n, C] each


class DeepGP(tf.Module):
    """f_L(... f_2(f_1(x))), Gaussian noise after every hidden layer; the last has a unit for each of C outputs."""

    def __init__(self, layers: Sequence[SparseLayer], likelihood: Likelihood, jitter: float, mixed: bool) -> None:
        super().__init__()
        self.layers = list(layers)
        self.likelihood = likelihood
        self.jitter = tf.Variable(jitter, dtype=tf.float64, trainable=False, name="jitter")
        self.dtype = tf.float32 if mixed else tf.float64  # of the work on [n, M] arrays

    @property
    def hidden_covariances(self) -> list[tf.Variable]:
        """R of every hidden layer that has moments for parameters: [D, M, M] each."""
        return [layer.factor for layer in self.layers[:-1] if isinstance(layer, Layer)]

    def given(self, values: Sequence[InducingValues]) -> list[AnyConditional]:
        """Every layer conditioned on a Gaussian over its inducing values."""
        return [layer.given(v, self.jitter, self.dtype) for layer, v in zip(self.layers, values, strict=True)]

    def conditionals(self, change: Callable[[InducingValues], InducingValues] = lambda v: v) -> list[AnyConditional]:
        """Every layer conditioned on the inducing values of its parameters, or on what `change` makes of them."""
        whitenings = [layer.whitening(self.jitter) for layer in self.layers]
        return [
            layer.conditional(whitening, change(layer.values_given(whitening)), self.dtype)
            for layer, whitening in zip(self.layers, whitenings, strict=True)
        ]


@shapes(x="n Q", seed="2", returns=("S n C", "S n C"))
def sampled_paths(
    conditionals: Sequence[AnyConditional], x: tf.Tensor, samples: int, seed: tf.Tensor, shared: bool = False
) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean and variance of the outputs along S sampled paths: two arrays [S, n, C], from x [n, Q] and seed [2].

    A path draws h_l ~ N(mean_l(h_{l-1}), var_l(h_{l-1})) at every hidden layer. The first layer sees the same inputs on
    every path: it is evaluated once and only then are S paths drawn. With one layer there is nothing to draw: S = 1.

    With `shared` random numbers, path s draws the same ones for every row: what is said of a row does then not depend
    on the rows beside it, and is a smooth function of its inputs.
    """
    n = tf.shape(x)[0]
    dtype = conditionals[0].dtype
    mean, variance = conditionals[0].marginals(tf.cast(x, dtype))  # [n, D]
    if len(mean.shape) == 2:  # not, where every path has inducing values of its own
        mean, variance = mean[None], variance[None]
    for depth, conditional in enumerate(conditionals[1:], start=1):
        noise = path_noise([samples, 1 if shared else n, mean.shape[2]], seed, depth, dtype)
        mean, variance = conditional.marginals(mean + tf.sqrt(variance) * noise)  # [S, n, D]
    return mean, variance


@dataclass(frozen=True)
class Paths:
    """`sampled_paths` as a function of inputs and seed, and what it is made of."""

    conditionals: Sequence[AnyConditional]
    prepared: Sequence[AnyConditional]
    samples: int
    shared: bool

    def __call__(self, x: tf.Tensor, seed: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return sampled_paths(self.prepared, x, self.samples, seed, self.shared)


def path_predictor(conditionals: Sequence[AnyConditional], samples: int, shared: bool) -> Paths:
    """Paths for any number of calls: all M x M work is done here."""
    return Paths(conditionals, [conditional.for_predictions() for conditional in conditionals], samples, shared)


def path_noise(shape: Sequence[Any], seed: tf.Tensor, depth: int, dtype: tf.DType) -> tf.Tensor:
    """The standard normal draws of hidden layer `depth`, counted from 1."""
    return tf.random.stateless_normal(shape, layer_seed(seed, depth), dtype=dtype)


@shapes(x="n Q", returns=("n C", "n C"))
def gaussian_propagation(conditionals: Sequence[AnyConditional], x: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean and variance of the outputs when every layer's are taken for Gaussian, (4.2.21)-(4.2.26): [n, C] each.

    Moments are not sampled: the closed forms multiply large numbers of either sign, and need float64.
    """
    mean, variance = conditionals[0].marginals(tf.cast(x, conditionals[0].dtype))  # [n, D]
    for conditional in conditionals[1:]:
        mean, variance = conditional.marginals_of_gaussian(tf.cast(mean, tf.float64), tf.cast(variance, tf.float64))
    return mean, variance


def layer_seed(seed: tf.Tensor, depth: int) -> tf.Tensor:
    """Random numbers of their own for every layer of a step."""
    return tf.random.experimental.stateless_fold_in(seed, depth)

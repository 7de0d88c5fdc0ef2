"""Cheaper paths for training: most path rows draw a hidden layer's *function*, not its values row by row.

Row by row ("marginals", gp/dgp.py), unit d of a hidden layer has f_d(h) ~ N(A m_d, k + A (Σ_d - I) Aᵀ), and A Σ_d Aᵀ
costs n D M² products for n rows. But with v_d = m_d + R_d ξ_d, ξ_d ~ N(0, I), and ε ~ N(0, 1),

    f_d(h) = A v_d + sqrt(k - |A|²) ε

has the same distribution at every single h, whatever else shares ξ; so a draw of v_d may serve many rows, and costs M²
once and M a row. Rows that share it have correlated values. The objectives do not see that: each is a sum over rows of
a function of the S paths of one row, and these stay independent, since no two paths share a draw. So the objective
keeps its expectation, and so do its gradients, which are those of a sum of such terms.

What sharing changes is the variance. For the means, the inducing inputs and the kernel it rises a little. For R it
would be ruinous: R̄ = v̄ ξᵀ is a few outer products, where row by row each row gives 2 v̄ Aᵀ A R, without noise of its
own (benchmarks/variance.py prints both). Therefore R is held fixed in the draws (no gradient), and a part of the path
rows, the *teacher*, goes row by row and has its gradient of R counted for all.

The S paths of n rows are G = S P groups: each path's rows in P parts of g = n/P, of about 100 rows where a minibatch
has several hundred (P = 1 below). Group 0, path 0 of the first part, teaches, and counts S n / g times. That is
unbiased. For one row the S paths are independent and identically distributed and the objective is symmetric in them
(VI's mean, AEPMCM's log of a mean), so each path contributes the same expected gradient of R. And a minibatch is a
random permutation of random rows, so each part contributes the same on average over minibatches. One scheme, then, for
S = 20 paths of few rows and S = 1 path of many: VI's bound needs no more than one path, and wants the rows.

The first layer sees n rows and not S n. With P = 1 it is cheap row by row, and all paths teach; else its first part
teaches, for all paths and n / g times, and the other parts draw. In the last layer nothing is drawn.
"""

from collections.abc import Sequence

import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp.conditional import AnyConditional, normal
from dgpexp.gp.dgp import layer_seed, sampled_paths
from dgpexp.gp.shapes import shapes

_PART = 100  # rows of a part, about: fewer teach R more slowly
_PARTS_FROM = 3  # parts, below which a minibatch stays whole


def training_paths(
    conditionals: Sequence[AnyConditional], x: tf.Tensor, settings: Settings, seed: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean and variance of the outputs along the S paths of a gradient step: [S, n, C] each."""
    if settings.paths == "marginals":
        return sampled_paths(conditionals, x, settings.train_samples, seed)
    parts = settings.batch_size // _PART
    return function_paths(conditionals, x, settings.train_samples, seed, parts if parts >= _PARTS_FROM else 1)


@shapes(x="n Q", seed="2", returns=("S n C", "S n C"))
def function_paths(
    conditionals: Sequence[AnyConditional], x: tf.Tensor, samples: int, seed: tf.Tensor, parts: int = 1
) -> tuple[tf.Tensor, tf.Tensor]:
    """As `sampled_paths`: mean and variance of the outputs along S paths, [S, n, C] each; from x [n, Q], seed [2].

    The rows are cut into P = `parts` parts; the last is filled up with zeros, which are not returned.
    """
    if samples * parts == 1 or len(conditionals) == 1:
        return sampled_paths(conditionals, x, samples, seed)
    first, *hidden, last = conditionals
    n = tf.shape(x)[0]
    each = (n + parts - 1) // parts  # g
    h = _first(first, tf.cast(x, first.dtype), samples, parts, each, seed)  # [G, g, D]
    times = tf.cast(samples * n, tf.float64) / tf.cast(
        each, tf.float64
    )  # path rows that a row of the teacher counts for
    for depth, conditional in enumerate(hidden, start=2):
        noise = normal([samples * parts, each, conditional.units], layer_seed(seed, depth), first.dtype)
        mean, variance = conditional.scale_covariance_gradient(times).marginals(h[0])  # [g, D]
        taught = mean + tf.sqrt(variance) * noise[0]
        drawn = conditional.sample_functions(h[1:], noise[1:], layer_seed(seed, -depth))
        h = tf.concat([taught[None], drawn], axis=0)
    mean, variance = (_paths_of(part, samples, n) for part in last.marginals_of_outputs(h))
    return mean, variance


def _first(
    first: AnyConditional, x: tf.Tensor, samples: int, parts: int, each: tf.Tensor, seed: tf.Tensor
) -> tf.Tensor:
    """The outputs of the first layer at x [n, Q] for every group: [S P, g, D]."""
    noise = normal([samples * parts, each, first.units], layer_seed(seed, 1), first.dtype)
    if parts == 1:
        mean, variance = first.marginals(x)  # [n, D]
        return mean + tf.sqrt(variance) * noise
    n, q = tf.shape(x)[0], x.shape[1]
    rows = tf.reshape(tf.pad(x, [[0, parts * each - n], [0, 0]]), [parts, each, q])
    times = tf.cast(n, tf.float64) / tf.cast(each, tf.float64)
    mean, variance = first.scale_covariance_gradient(times).marginals(rows[0])  # [g, D]
    noise = tf.reshape(noise, [samples, parts, each, first.units])
    taught = mean + tf.sqrt(variance) * noise[:, 0]  # [S, g, D]
    others = tf.reshape(noise[:, 1:], [samples * (parts - 1), each, first.units])
    drawn = first.sample_functions(tf.tile(rows[1:], [samples, 1, 1]), others, layer_seed(seed, -1))
    drawn = tf.reshape(drawn, [samples, parts - 1, each, first.units])
    return tf.reshape(tf.concat([taught[:, None], drawn], axis=1), [samples * parts, each, first.units])


def _paths_of(groups: tf.Tensor, samples: int, n: tf.Tensor) -> tf.Tensor:
    """Groups [S P, g, C] as paths [S, n, C], without what the last part was filled up with."""
    return tf.reshape(groups, [samples, -1, groups.shape[2]])[:, :n]

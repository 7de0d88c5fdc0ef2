"""Cheaper paths for training: all but one of the S paths draw a hidden layer's *function*, not its values row by row.

Row by row ("marginals", gp/dgp.py), unit d of a hidden layer has f_d(h) ~ N(A m_d, k + A (Σ_d - I) Aᵀ), and A Σ_d Aᵀ
costs n D M² products for n rows. But with v_d = m_d + R_d ξ_d, ξ_d ~ N(0, I), and ε ~ N(0, 1),

    f_d(h) = A v_d + sqrt(k - |A|²) ε

has the same distribution at every single h, whatever else shares ξ; so a draw of v_d may serve many rows, and costs M²
once and M a row. Rows that share it have correlated values. The objectives do not see that: each is a sum over rows of
a function of the S paths of one row, and these stay independent, since no two paths share a draw. So the objective
keeps its expectation, and so do its gradients, which are those of a sum of such terms.

What sharing changes is the variance. For the means, the inducing inputs and the kernel it rises a little. For R it
would be ruinous: R̄ = v̄ ξᵀ is a few outer products, where row by row each row gives 2 v̄ Aᵀ A R, without noise of its
own (benchmarks/variance.py prints both). Therefore R is held fixed in the draws (no gradient), and one path, the
*teacher*, goes row by row and has its gradient of R counted S times. That is unbiased: for one row the S paths are
independent and identically distributed and the objective is symmetric in them (VI's mean, AEPMCM's log of a mean), so
each path contributes the same expected gradient of R, and S times that of one is that of all.

The first layer sees n rows and not S n: it is cheap row by row, and all paths teach. In the last layer nothing is
drawn.
"""

from collections.abc import Sequence

import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp.conditional import AnyConditional, normal
from dgpexp.gp.dgp import layer_seed, sampled_paths
from dgpexp.gp.shapes import shapes


def training_paths(
    conditionals: Sequence[AnyConditional], x: tf.Tensor, settings: Settings, seed: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean and variance of the outputs along the S paths of a gradient step: [S, n, C] each."""
    draw = function_paths if settings.paths == "functions" else sampled_paths
    return draw(conditionals, x, settings.train_samples, seed)


@shapes(x="n Q", seed="2", returns=("S n C", "S n C"))
def function_paths(
    conditionals: Sequence[AnyConditional], x: tf.Tensor, samples: int, seed: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """As `sampled_paths`: mean and variance of the outputs along S paths, [S, n, C] each; from x [n, Q], seed [2]."""
    if samples == 1 or len(conditionals) == 1:
        return sampled_paths(conditionals, x, samples, seed)
    first, *hidden, last = conditionals
    n = tf.shape(x)[0]
    mean, variance = first.marginals(tf.cast(x, first.dtype))  # [n, D]
    h = mean + tf.sqrt(variance) * normal([samples, n, first.units], layer_seed(seed, 1), first.dtype)  # [S, n, D]
    for depth, conditional in enumerate(hidden, start=2):
        noise = normal([samples, n, conditional.units], layer_seed(seed, depth), first.dtype)
        mean, variance = conditional.scale_covariance_gradient(float(samples)).marginals(h[0])  # [n, D]
        taught = mean + tf.sqrt(variance) * noise[0]
        drawn = conditional.sample_functions(h[1:], noise[1:], layer_seed(seed, -depth))
        h = tf.concat([taught[None], drawn], axis=0)
    return last.marginals_of_outputs(h)

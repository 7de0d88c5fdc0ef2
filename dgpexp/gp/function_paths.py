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
from dgpexp.gp.conditional import Conditional
from dgpexp.gp.dgp import layer_seed, sampled_paths
from dgpexp.gp.linalg import gram_of_columns, quadratic_forms, squared_rows

_DRAWS = 18  # functions a layer and step, about: the fewer, the more rows share one


def training_paths(
    conditionals: Sequence[Conditional], x: tf.Tensor, settings: Settings, seed: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean and variance of the outputs along the S paths of a gradient step: [S, n, C] each."""
    draw = function_paths if settings.paths == "functions" else sampled_paths
    return draw(conditionals, x, settings.train_samples, seed)


def function_paths(
    conditionals: Sequence[Conditional], x: tf.Tensor, samples: int, seed: tf.Tensor
) -> tuple[tf.Tensor, tf.Tensor]:
    """As `sampled_paths`: mean and variance of the outputs along S paths, [S, n, C] each; from x [n, Q], seed [2]."""
    if samples == 1 or len(conditionals) == 1:
        return sampled_paths(conditionals, x, samples, seed)
    first, *hidden, last = conditionals
    n = tf.shape(x)[0]
    mean, variance = first.marginals(tf.cast(x, first.dtype), few=True)  # [n, D]
    h = mean + tf.sqrt(variance) * _normal([samples, n, first.layer.units], layer_seed(seed, 1), first.dtype)
    for depth, conditional in enumerate(hidden, start=2):
        units = conditional.layer.units
        noise = _normal([samples, n, units], layer_seed(seed, depth), first.dtype)
        mean, variance = conditional.taught_by_one_of(samples).marginals(h[0], few=True)  # [n, D]
        taught = mean + tf.sqrt(variance) * noise[0]
        h = tf.concat([taught[None], _functions(conditional, h[1:], noise[1:], layer_seed(seed, -depth))], axis=0)
    if last.dtype == tf.float64 and 2 * last.layer.units <= samples:
        last = last.unwhitened()
    mean, variance = last.marginals(tf.reshape(h, [samples * n, h.shape[2]]))  # [S·n, C]
    outputs = last.layer.units
    return tf.reshape(mean, [samples, n, outputs]), tf.reshape(variance, [samples, n, outputs])


def _functions(conditional: Conditional, h: tf.Tensor, noise: tf.Tensor, seed: tf.Tensor) -> tf.Tensor:
    """Values [P, n, D] at the inputs h [P, n, Q] of P paths; each has some functions of its own, for equal parts of n.

    noise [P, n, D] is ε. Float64 needs no A:  A v = k (L⁻ᵀ v) and |A|² = k Kuu⁻¹ kᵀ; Kuu⁻¹ is too large for float32.
    """
    paths, inputs, units, dtype = h.shape[0], h.shape[2], noise.shape[2], conditional.dtype
    parts = max(1, _DRAWS // paths)
    n = tf.shape(h)[1]
    each = (n + parts - 1) // parts  # rows of a part; the last may be filled up
    rows = tf.reshape(tf.pad(h, [[0, 0], [0, parts * each - n], [0, 0]]), [paths * parts * each, inputs])
    drawn = _inducing_values(conditional, paths * parts, seed)  # v [P', D, M], P' = P · parts

    values, variances = [], []
    for g, of_group in conditional.groups():
        v, y = drawn[:, of_group], conditional.whitening(g)
        if dtype == tf.float64:
            basis = conditional.kernel_at(rows, g)  # [P'·each, M]
            v = tf.reshape(tf.matmul(tf.reshape(v, [-1, y.shape[0]]), y), tf.shape(v))
            explained = quadratic_forms(basis, gram_of_columns(y)[None])
        else:
            basis = conditional.projection(rows, g)
            explained = squared_rows(basis)
        basis = tf.reshape(basis, [paths * parts, each, y.shape[0]])
        values.append(tf.matmul(basis, tf.cast(v, dtype), transpose_b=True))  # [P', each, D]
        variances.append(tf.reshape(conditional.prior_variance() - explained, [paths, parts * each, 1])[:, :n])
    value = tf.reshape(tf.concat(values, axis=2), [paths, parts * each, units])[:, :n]
    deviation = tf.sqrt(conditional.with_noise(tf.concat(variances, axis=2)))  # [P, n, 1 or D]
    return value + conditional.mean_function(h) + deviation * noise


def _inducing_values(conditional: Conditional, count: int, seed: tf.Tensor) -> tf.Tensor:
    """`count` draws v = m + R ξ of the whitened inducing values of all units, R held fixed: [count, D, M], float64."""
    values = conditional.values
    units, m = values.mean.shape
    covariance = tf.stop_gradient(values.covariance)
    factor = tf.linalg.cholesky(covariance) if values.factor is None else tf.stop_gradient(values.factor)  # [D, M, M]
    noise = _normal([units, m, count], seed, conditional.dtype)
    around = tf.matmul(tf.cast(factor, conditional.dtype), noise)  # [D, M, count]
    return values.mean + tf.cast(tf.transpose(around, [2, 0, 1]), tf.float64)


def _normal(shape: list, seed: tf.Tensor, dtype: tf.DType) -> tf.Tensor:
    """N(0, 1) by float32, at half the cost of float64: its 24 bits are enough for noise."""
    return tf.cast(tf.random.stateless_normal(shape, seed, dtype=tf.float32), dtype)

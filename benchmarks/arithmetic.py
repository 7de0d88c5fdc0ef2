"""The arithmetic that a VI step must do, and how fast this machine multiplies matrices.

Counted are the matrix products of the cheapest arrangement we know, forwards and backwards, as 2·rows·inner·columns;
what is linear in the size of its arrays (exponentials, row sums, Adam) is left out, so 100 % is out of reach.
For a layer with n rows (the minibatch in the first, S times it above), Q inputs, D units and M inducing points:

    k(H, Z)                 2 n Q M   three times: the distances, and their gradients with respect to H and Z
    A = k L⁻ᵀ               2 n M²    three times: A, and the gradients of k and of L⁻¹
    A m                     2 n M D   three times
    T = A (Σ - I)           2 n D M²  1¾ times: T, and the gradient of Σ, which is symmetric, by halves of A; that of A
                                      takes no product once T is known
    Σ = R Rᵀ                2 D M³    twice: Σ, and the gradient of R
    L, L⁻¹                  M³/3 + M³/3, and 6 M³ for the gradient of Kuu
"""

import statistics
import time
from collections.abc import Callable

import numpy as np

from benchmarks.work import Work


def operations(work: Work) -> float:
    """Floating-point operations of one VI gradient step."""
    m, total = work.inducing, 0.0
    for depth, (q, d) in enumerate(work.widths):
        n = work.batch if depth == 0 else work.batch * work.samples
        on_rows = 6 * n * q * m + 6 * n * m**2 + 6 * n * m * d + 3.5 * n * d * m**2
        on_inducing = 4 * d * m**3 + (2 / 3 + 6) * m**3
        total += on_rows + on_inducing
    return total


def product_rates(repeats: int = 15) -> dict[str, float]:
    """Operations a second of a matrix product, TensorFlow's and NumPy's: large, and of the shape a layer needs."""
    import tensorflow as tf

    rates = {}
    for label, (rows, inner, columns) in {"large": (1024, 1024, 1024), "layer": (1000, 100, 800)}.items():
        for dtype in ("float64", "float32"):
            rng = np.random.default_rng(0)
            a, b = (rng.standard_normal(s).astype(dtype) for s in ((rows, inner), (inner, columns)))
            ta, tb = tf.constant(a), tf.constant(b)
            flops = 2 * rows * inner * columns
            rates[f"tensorflow {dtype} {label}"] = flops / _seconds(lambda u=ta, v=tb: tf.matmul(u, v), repeats)
            rates[f"numpy {dtype} {label}"] = flops / _seconds(lambda u=a, v=b: u @ v, repeats)
    return rates


def _seconds(product: Callable[[], object], repeats: int) -> float:
    """The median of the processor time of `product`, on one thread."""
    product()
    times = []
    for _ in range(repeats):
        start = time.process_time()
        product()
        times.append(time.process_time() - start)
    return statistics.median(times)

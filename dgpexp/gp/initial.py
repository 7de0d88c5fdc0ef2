"""A deep GP for a training set, with the initial values of the protocol (each a setting, see config.Settings)."""

import warnings
from functools import partial

import numpy as np
import tensorflow as tf
from scipy.cluster.vq import kmeans2
from scipy.spatial.distance import pdist

from dgpexp.blocks import blocks
from dgpexp.config import Settings
from dgpexp.datasets.large import some
from dgpexp.errors import UserError
from dgpexp.gp.dgp import DeepGP
from dgpexp.gp.kernels import Stationary, kernel_class
from dgpexp.gp.layer import Layer, SparseLayer
from dgpexp.gp.likelihoods import Likelihood
from dgpexp.gp.natural import NaturalLayer, with_moments_of

_ROWS_FOR_CLUSTERS = 10_000  # k-means and distances look at a random part of a larger set
_ROWS_FOR_DISTANCES = 1_000


def build(
    settings: Settings,
    depth: int,
    x: np.ndarray,
    likelihood: Likelihood,
    seed: int,
    power: float = 1.0,
    layer: type[SparseLayer] | None = None,
) -> DeepGP:
    """A model of `depth` layers for scaled training inputs x [N, Q]; the likelihood says how many outputs it has.

    A `layer` of its own kind has other parameters than N(m, Σ), and starts as it likes.
    """
    rows, q = x.shape
    if rows < 2:
        raise UserError(f"{rows} training row(s) are too few to train on: give at least 2.")
    rng = np.random.default_rng(seed)
    width = settings.width(q)
    maps = linear_maps(x, width, depth - 1)
    z = inducing_inputs(x, min(settings.inducing_points, rows), rng)
    h = x[some(rows, _ROWS_FOR_DISTANCES, rng)]

    make = layer or partial(_layer, settings, rows / power, rng)
    layers = []
    for index in range(depth):
        hidden = index < depth - 1
        units = width if hidden else likelihood.outputs
        groups = units if settings.separate_inducing else 1
        distance = 1.0 if settings.initial_values == "author" and index else typical_distance(h)
        lengthscales = np.full(z.shape[1] if settings.ard else 1, distance)
        kernel = kernel_class(settings.kernel)(
            settings.kernel_variance, lengthscales, hidden or not likelihood.scale_free
        )
        weights = maps[index] if hidden and settings.mean_function == "linear" else None
        noise = settings.inner_noise if hidden else None
        layers.append(make(kernel, np.tile(z, (groups, 1, 1)), units, weights, noise))
        if hidden:
            z, h = z @ maps[index], h @ maps[index]
    return DeepGP(layers, likelihood, settings.jitter, mixed=settings.precision == "mixed")


def _layer(
    settings: Settings,
    factors: float,
    rng: np.random.Generator,
    kernel: Stationary,
    z: np.ndarray,  # [G, M, Q]
    units: int,
    weights: np.ndarray | None,
    noise: float | None,
) -> SparseLayer:
    """Either start in either parameters: they are independent of each other."""
    covariance = settings.output_covariance if noise is None else settings.inner_covariance
    if settings.parameters == "moments" and settings.initial_values == "protocol":
        return Layer(kernel, z, units, covariance, weights, noise)
    natural = NaturalLayer(kernel, z, units, weights, noise, factors)
    if settings.initial_values == "author":
        natural.start_at_random(rng)
    else:
        natural.start_at(covariance, settings.jitter)
    return natural if settings.parameters == "natural" else with_moments_of(natural, settings.jitter)


def linear_maps(x: np.ndarray, width: int, count: int) -> list[np.ndarray]:
    """Mean functions (4.3.27): W_l [Q_l, width] of `count` hidden layers of one width, for network inputs x [N, Q].

    Where the widths agree, the identity; where the layer widens, the identity padded with zeros; where it narrows, the
    first right-singular vectors of X, found as eigenvectors of XᵀX.
    """
    q = x.shape[1]
    # eigh sorts ascending: the leading vectors are the last columns
    first = np.linalg.eigh(_gram(x))[1][:, ::-1][:, :width] if width < q else np.eye(q, width)
    return ([first] + [np.eye(width)] * (count - 1))[:count]


def _gram(x: np.ndarray) -> np.ndarray:
    """XᵀX [Q, Q]; x may be too large to be in memory as a whole."""
    return np.sum([part.T @ part for part in blocks(x)], axis=0)


def inducing_inputs(x: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """`count` cluster centres of x [N, Q] by k-means: [count, Q]."""
    part = x[some(len(x), _ROWS_FOR_CLUSTERS, rng)]
    start = part[:count]
    # Fewer distinct rows than centres leave clusters empty; kmeans2 then keeps the centre where it was, as we want.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        centres, _ = kmeans2(part, start, iter=20, minit="matrix")
    return centres


def typical_distance(h: np.ndarray) -> float:
    """√(median squared distance) between rows of h [n, Q]; 1 where they all coincide."""
    median = float(np.median(pdist(h, "sqeuclidean")))
    return np.sqrt(median) if median > 0 else 1.0


def copy_values(source: tf.Module, target: tf.Module) -> None:
    """Give `target` the values of `source`, a model of the same shape: the traced graph of the target stays in use."""
    for old, new in zip(target.variables, source.variables, strict=True):
        old.assign(new)

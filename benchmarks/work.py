"""What a step is asked to do, and the parameters everybody starts from: the same numbers for every contestant."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np


@dataclass(frozen=True)
class Work:
    """A gradient step: L layers, M inducing points, S paths, `width` hidden units, a minibatch of `batch` rows."""

    layers: int = 3
    inducing: int = 100
    samples: int = 10
    width: int = 8
    inputs: int = 8
    batch: int = 100
    rows: int = 10_000

    @property
    def widths(self) -> list[tuple[int, int]]:
        """(inputs, units) of every layer; the last has one unit."""
        sizes = [self.inputs] + [self.width] * (self.layers - 1) + [1]
        return list(pairwise(sizes))

    def __str__(self) -> str:
        return f"L={self.layers} M={self.inducing} S={self.samples} width={self.width}"


@dataclass(frozen=True)
class LayerStart:
    """Parameters of one layer: ARD RBF kernel, inducing inputs, whitened N(m_d, R_d R_dᵀ), linear mean function."""

    inducing: np.ndarray  # Z [M, Q]
    variance: float
    lengthscales: np.ndarray  # [Q]
    mean: np.ndarray  # m [D, M]
    factor: np.ndarray  # R [D, M, M], lower triangular
    weights: np.ndarray | None  # W [Q, D], none in the last layer


@dataclass(frozen=True)
class Start:
    """Data and parameters from which every contestant starts."""

    x: np.ndarray  # [N, Q]
    y: np.ndarray  # [N, 1]
    layers: list[LayerStart]
    noise: float  # σ² of the likelihood
    jitter: float


def start(work: Work, seed: int = 0) -> Start:
    """Random data, a smooth target, and parameters away from any special value, so that an error would show."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((work.rows, work.inputs))
    y = np.sin(x.sum(axis=1, keepdims=True)) + 0.1 * rng.standard_normal((work.rows, 1))
    layers = []
    for depth, (q, d) in enumerate(work.widths):
        last = depth == work.layers - 1
        scale = 0.5 if last else 0.1
        factor = np.tril(0.02 * rng.standard_normal((d, work.inducing, work.inducing))) + scale * np.eye(work.inducing)
        layers.append(
            LayerStart(
                inducing=rng.standard_normal((work.inducing, q)),
                variance=1.0 + 0.1 * depth,
                lengthscales=np.sqrt(q) * rng.uniform(0.8, 1.2, q),
                mean=0.3 * rng.standard_normal((d, work.inducing)),
                factor=factor,
                weights=None if last else np.eye(q, d),
            )
        )
    return Start(x, y, layers, noise=0.05, jitter=1e-6)

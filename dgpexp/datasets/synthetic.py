"""Generated data whose true conditional density p(y | x) is known (section 5.2 and Figure 4.3.4).

Each set is a mixture of equally likely branches y = f_b(x) + s(x) e, e ~ N(0, 1), over x ~ U[low, high]:

    sincos            f_1 = 10 sin x, f_2 = 10 cos x, s = 1                  two branches: p(y | x) is bimodal
    heteroscedastic   f_1 = 7 sin x,                  s = 3 |cos(x / 2)|     the noise depends on x
    step              f_1 = 1 if x >= 0 else 0,       s = 0.05               no stationary GP fits the jump
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

_TINY = 1e-9  # stands for a deviation of 0, where the density would be infinite


@dataclass(frozen=True)
class Generator:
    """How a synthetic set is made: where x lies, the branches of the mean, the deviation of the noise."""

    low: float
    high: float
    means: tuple[Callable[[np.ndarray], np.ndarray], ...]
    std: Callable[[np.ndarray], np.ndarray]


GENERATORS = {
    "sincos": Generator(-2.0, 2.0, (lambda x: 10 * np.sin(x), lambda x: 10 * np.cos(x)), np.ones_like),
    "heteroscedastic": Generator(-4.0, 4.0, (lambda x: 7 * np.sin(x),), lambda x: 3 * np.abs(np.cos(x / 2))),
    "step": Generator(-2.0, 2.0, (lambda x: np.where(x >= 0, 1.0, 0.0),), lambda x: np.full_like(x, 0.05)),
}


def generate(name: str, rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """x [rows, 1] and y [rows], the same for the same seed on every machine."""
    g = GENERATORS[name]
    rng = np.random.RandomState(seed)  # numpy promises never to change this stream
    x = rng.uniform(g.low, g.high, rows)
    branch = rng.randint(len(g.means), size=rows)
    y = branches(name, x)[branch, np.arange(rows)] + g.std(x) * rng.standard_normal(rows)
    return x[:, None], y


def branches(name: str, x: np.ndarray) -> np.ndarray:
    """The means of the branches, [B, *x.shape]; each has probability 1/B."""
    return np.stack([f(np.asarray(x, float)) for f in GENERATORS[name].means])


def mean(name: str, x: np.ndarray) -> np.ndarray:
    """E[y | x], same shape as x."""
    return np.asarray(branches(name, x).mean(0))


def noise_std(name: str, x: np.ndarray) -> np.ndarray:
    """The deviation of y about its branch, same shape as x."""
    return np.asarray(GENERATORS[name].std(np.asarray(x, float)))


def density(name: str, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The true p(y | x) of the generator; x and y broadcast against each other."""
    x, y = np.broadcast_arrays(np.asarray(x, float), np.asarray(y, float))
    s = np.maximum(noise_std(name, x), _TINY)
    z = (y - branches(name, x)) / s  # [B, ...]
    return np.asarray(np.mean(np.exp(-0.5 * z**2) / (np.sqrt(2 * np.pi) * s), axis=0))

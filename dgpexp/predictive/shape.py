"""The shape of a mixture's density: its modes, and its highest-density regions.

A highest-density region of level q is {y: p(y) ≥ t} with the t for which it has probability q, so that nothing outside
is as likely as anything inside (Hyndman 1996). By definition q = E[1{p(Y) ≥ t}], so log t is the quantile 1 - q of
log p(Y), and an expectation under the mixture is a mean over components of means under Gaussians, each taken at
quantiles that cut its Gaussian into pieces of equal probability.
"""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

if TYPE_CHECKING:
    from dgpexp.predictive.mixture import Mixture

_NODES = 1000  # of equal probability, over all components of a point: a first guess of t, corrected in the rounds below
_FAR = np.array([-10.0, -5.0, -2.5, 2.5, 5.0, 10.0])  # deviations: for the gaps between components
_AT_ONCE = 10_000_000  # values of component densities that are computed together
_OFF = 0.02  # their error, and more
_BELOW = 8.0  # how much lower the log density is than at any node where only 1e-4 of the probability is left
_ROUNDS = 12  # halve it to a hundred-thousandth
_BISECTIONS = 30
_GOLDEN = (np.sqrt(5) - 1) / 2


def highest_density_regions(mixture: "Mixture", level: float) -> np.ndarray:
    """Intervals [n, K, 2] in increasing order, NaN where a point has fewer than K."""
    found = []
    for part in _parts(mixture):
        likely, nodes, log_p = _nodes(part)
        likely = np.sort(likely, axis=0)
        low, high = (_quantile(likely, 1 - level + off) for off in (-_OFF, _OFF))  # log t [n] is between them
        for _ in range(_ROUNDS):
            threshold = 0.5 * (low + high)
            ends, point = _ends(part, nodes, log_p, threshold)
            within = np.tile([-1.0, 1.0], len(point) // 2) * _at(part, point).cdf(ends)
            too_large = np.bincount(point, within, minlength=len(threshold)) > level
            low, high = np.where(too_large, threshold, low), np.where(too_large, high, threshold)
        found += _by_point(ends.reshape(-1, 2), point[::2], len(threshold))
    return _padded(found, (2,))


def _ends(
    part: "Mixture", nodes: np.ndarray, log_p: np.ndarray, threshold: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where the density crosses the threshold [n], point by point and upwards: values [2R], the points they belong to.

    At the outermost nodes it is below, so that they begin and end a region by turns.
    """
    above = log_p >= threshold
    node, point = np.nonzero(above[1:] != above[:-1])
    order = np.lexsort((node, point))
    node, point = node[order], point[order]
    low, high, goal = nodes[node, point], nodes[node + 1, point], threshold[point]
    return _crossing(_at(part, point).log_density, low, high, goal, rising=~above[node, point]), point


def _quantile(ordered: np.ndarray, p: float) -> np.ndarray:
    """About the quantile p of J ordered log densities [J, n]: [n]; below the lowest for a negative p."""
    return ordered[min(int(p * len(ordered)), len(ordered) - 1)] if p >= 0 else ordered[0] - _BELOW


def modes(mixture: "Mixture", prominence: float) -> np.ndarray:
    """Maxima [n, K] of a prominence of at least this part of their height, the highest first, padded with NaN."""
    from scipy.signal import find_peaks  # here, since it takes longer to import than most predictions to make

    found = []
    for part in _parts(mixture):
        _, nodes, log_p = _nodes(part)
        peaks, points = [], []
        for j, log_density in enumerate(log_p.T):
            p = np.exp(log_density - log_density.max())
            peak, about = find_peaks(p, prominence=0)
            peak = peak[about["prominences"] >= prominence * p[peak]]
            peak = peak[np.argsort(-p[peak], kind="stable")]
            peaks.append(peak)
            points.append(np.full(len(peak), j))
        node, point = np.concatenate(peaks), np.concatenate(points)
        at = _maximum(_at(part, point).log_density, nodes[node - 1, point], nodes[node + 1, point])
        found += _by_point(at, point, nodes.shape[1])
    return _padded(found, ())


def _parts(mixture: "Mixture") -> Iterator["Mixture"]:
    """Some points at a time, so that the densities at all of their nodes fit into memory."""
    s, n = mixture.means.shape
    size = max(1, _AT_ONCE // (s * (max(s, _NODES) + s * len(_FAR))))
    for start in range(0, n, size):
        at = slice(start, start + size)
        yield type(mixture)(mixture.means[:, at], mixture.variances[:, at])


def _nodes(part: "Mixture") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """log p at nodes of equal probability [J, n]; these and far nodes [G, n] upwards; log p at all of them [G, n]."""
    s, n = part.means.shape
    each = -(-_NODES // s)
    z = np.concatenate([ndtri((np.arange(each) + 0.5) / each), _FAR])[:, None, None]
    std = np.sqrt(part.variances)
    y = (part.means + std * z).reshape(-1, n)  # [G, n]
    # Not by log_density, which takes thrice as long: here it may underflow, as it does at far nodes alone.
    squares = y[:, None] - part.means
    squares /= std
    squares *= squares
    squares *= -0.5
    with np.errstate(divide="ignore"):
        log_p = np.log((np.exp(squares, out=squares) / std).sum(1)) - np.log(np.sqrt(2 * np.pi) * s)
    order = np.argsort(y, axis=0)
    return log_p[: each * s], np.take_along_axis(y, order, 0), np.take_along_axis(log_p, order, 0)


def _at(part: "Mixture", point: np.ndarray) -> "Mixture":
    """The distributions at these points, several of which may be the same."""
    return type(part)(part.means[:, point], part.variances[:, point])


def _crossing(
    log_p: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray, goal: np.ndarray, rising: np.ndarray
) -> np.ndarray:
    """Where log p, on one side of `goal` at `low` and on the other at `high`, crosses it."""
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        up = (log_p(middle) < goal) == rising
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return 0.5 * (low + high)


def _maximum(log_p: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The maximum between `low` and `high`, by golden sections."""
    for _ in range(_BISECTIONS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        up = log_p(left) < log_p(right)
        low, high = np.where(up, left, low), np.where(up, high, right)
    return 0.5 * (low + high)


def _by_point(values: np.ndarray, point: np.ndarray, points: int) -> list[np.ndarray]:
    """Values, which stand point by point, as a list of those of each point."""
    return np.split(values, np.searchsorted(point, np.arange(1, points)))


def _padded(found: list[np.ndarray], kind: tuple[int, ...]) -> np.ndarray:
    padded = np.full((len(found), max(map(len, found), default=0), *kind), np.nan)
    for row, values in zip(padded, found, strict=True):
        row[: len(values)] = values
    return padded

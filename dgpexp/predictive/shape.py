"""The shape of a predictive density: its modes, and its highest-density regions.

A highest-density region of level q is {y: p(y) ≥ t} with the t for which it has probability q, so that nothing outside
is as likely as anything inside (Hyndman 1996). By definition q = E[1{p(Y) ≥ t}], so log t is the quantile 1 - q of
log p(Y), which is first guessed from the distribution's nodes and their shares of probability.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from dgpexp.predictive.distribution import Distribution

_AT_ONCE = 10_000_000  # values of component densities that are computed together
_OFF = 0.02  # the error of that guess, and more
_BELOW = 8.0  # how much lower the log density is than at any node where only 1e-4 of the probability is left
_ROUNDS = 12  # halve it to a hundred-thousandth
_BISECTIONS = 30
_GOLDEN = (np.sqrt(5) - 1) / 2


def highest_density_regions(distribution: "Distribution", level: float) -> np.ndarray:
    """Intervals [n, K, 2] in increasing order, NaN where a point has fewer than K."""
    found = []
    for part in _parts(distribution):
        nodes, log_p, share = part.nodes()
        low, high = (_least(log_p, share, 1 - level + off) for off in (-_OFF, _OFF))  # log t [n] is between them
        for _ in range(_ROUNDS):
            threshold = 0.5 * (low + high)
            ends, point = _ends(part, nodes, log_p, threshold)
            within = np.tile([-1.0, 1.0], len(point) // 2) * part.at(point).cdf(ends)
            too_large = np.bincount(point, within, minlength=len(threshold)) > level
            low, high = np.where(too_large, threshold, low), np.where(too_large, high, threshold)
        found += _by_point(ends.reshape(-1, 2), point[::2], len(threshold))
    return padded(found, (2,))


def _ends(
    part: "Distribution", nodes: np.ndarray, log_p: np.ndarray, threshold: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where the density crosses the threshold [n], point by point and upwards: values [2R], the points they belong to.

    At the outermost nodes it is below, so that they begin and end a region by turns.
    """
    above = log_p >= threshold
    node, point = np.nonzero(above[1:] != above[:-1])
    order = np.lexsort((node, point))
    node, point = node[order], point[order]
    low, high, goal = nodes[node, point], nodes[node + 1, point], threshold[point]
    return _crossing(part.at(point).log_density, low, high, goal, rising=~above[node, point]), point


def _least(log_p: np.ndarray, share: np.ndarray, p: float) -> np.ndarray:
    """About the quantile p of log p(Y), from nodes with their shares of probability [G, n]: [n]."""
    if p < 0:
        return np.asarray(np.where(share > 0, log_p, np.inf).min(0) - _BELOW)
    order = np.argsort(log_p, axis=0)
    fewer = np.sum(np.cumsum(np.take_along_axis(share, order, 0), axis=0) <= p, axis=0)
    place = order[np.minimum(fewer, len(order) - 1), np.arange(order.shape[1])]
    return np.asarray(log_p[place, np.arange(order.shape[1])])


def modes(distribution: "Distribution", prominence: float) -> np.ndarray:
    """Maxima [n, K] of a prominence of at least this part of their height, the highest first, padded with NaN."""
    found = []
    for part in _parts(distribution):
        nodes, log_p, _ = part.nodes()
        each = [peaks(np.exp(log_density - log_density.max()), prominence) for log_density in log_p.T]
        node, point = np.concatenate(each), np.repeat(np.arange(len(each)), [len(peak) for peak in each])
        at = _maximum(part.at(point).log_density, nodes[node - 1, point], nodes[node + 1, point])
        found += _by_point(at, point, nodes.shape[1])
    return padded(found, ())


def peaks(p: np.ndarray, prominence: float) -> np.ndarray:
    """Places of the maxima of p [G] whose prominence is at least this part of their height, the highest first."""
    from scipy.signal import find_peaks  # here, since it takes longer to import than most predictions to make

    peak, about = find_peaks(np.concatenate([[0.0], p, [0.0]]), prominence=0)
    peak = peak[about["prominences"] >= prominence * p[peak - 1]] - 1
    return np.asarray(peak[np.argsort(-p[peak], kind="stable")])


def _parts(distribution: "Distribution") -> Iterator["Distribution"]:
    """Some points at a time, so that the densities at all of their nodes fit into memory."""
    size = max(1, _AT_ONCE // distribution.node_densities)
    for start in range(0, len(distribution), size):
        yield distribution.at(slice(start, start + size))


def _crossing(
    log_p: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray, goal: np.ndarray, rising: np.ndarray
) -> np.ndarray:
    """Where log p, on one side of `goal` at `low` and on the other at `high`, crosses it."""
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        up = (log_p(middle) < goal) == rising
        low, high = np.where(up, middle, low), np.where(up, high, middle)
    return np.asarray(0.5 * (low + high))


def _maximum(log_p: Callable[[np.ndarray], np.ndarray], low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The maximum between `low` and `high`, by golden sections."""
    for _ in range(_BISECTIONS):
        left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
        up = log_p(left) < log_p(right)
        low, high = np.where(up, left, low), np.where(up, high, right)
    return np.asarray(0.5 * (low + high))


def _by_point(values: np.ndarray, point: np.ndarray, points: int) -> list[np.ndarray]:
    """Values, which stand point by point, as a list of those of each point."""
    return np.split(values, np.searchsorted(point, np.arange(1, points)))


def padded(found: Sequence[np.ndarray], kind: tuple[int, ...]) -> np.ndarray:
    """Values of each point, [k, *kind], as one array [n, K, *kind] with NaN where a point has fewer than K."""
    padded = np.full((len(found), max(map(len, found), default=0), *kind), np.nan)
    for row, values in zip(padded, found, strict=True):
        row[: len(values)] = values
    return padded

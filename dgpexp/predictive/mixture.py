"""A predictive distribution: at every point an equally weighted mixture of S Gaussians, in the units of y.

VI and AEPMCM give a component for each sampled path, (4.2.53) and (4.3.22); AEP gives one component, (4.2.30).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr, ndtri

from dgpexp.predictive.distribution import Distribution

_PAIRS_AT_ONCE = 1_000_000  # pairs of components, over all points, worked on at a time
_NODES = 1000  # of equal probability, over all components of a point
_FAR = np.array([-10.0, -5.0, -2.5, 2.5, 5.0, 10.0])  # deviations: for the gaps between components
_NARROW = 1e-5  # half a cell in deviations, times the steepness of the density there


@dataclass(frozen=True)
class Mixture(Distribution):
    """p(y_n) = 1/S Σ_s N(y_n | means[s, n], variances[s, n]), for n points at once."""

    means: np.ndarray  # [S, n]
    variances: np.ndarray  # [S, n]
    noise: np.ndarray | None = None  # [n], what the variances have of the likelihood; None: all of it

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The points of all `parts`, in order."""
        means, variances = (
            np.concatenate([getattr(p, name) for p in parts], axis=1) for name in ("means", "variances")
        )
        noise = [p.noise for p in parts if p.noise is not None]
        return cls(means, variances, np.concatenate(noise) if len(noise) == len(parts) else None)

    def __len__(self) -> int:
        return int(self.means.shape[1])

    def at(self, points: "np.ndarray | slice | list[int]") -> Self:
        """The distributions at these points, which may repeat."""
        noise = None if self.noise is None else self.noise[points]
        return type(self)(self.means[:, points], self.variances[:, points], noise)

    def mean(self) -> np.ndarray:
        """[n]"""
        return np.asarray(self.means.mean(0))

    def variance(self) -> np.ndarray:
        """The mean of the components' variances plus the variance of their means: [n]."""
        return np.asarray(self.variances.mean(0) + self.means.var(0))

    def spread(self) -> np.ndarray:
        """The likelihood's noise, the rest of the components' variances, and the variance of their means: [3, n]."""
        within = self.variances.mean(0)
        noise = within if self.noise is None else np.minimum(self.noise, within)
        return np.array([noise, within - noise, self.means.var(0)])

    def log_density(self, y: np.ndarray) -> np.ndarray:
        """log p(y_n) for y [..., n]: [..., n]."""
        return np.asarray(logsumexp(self._log_components(y), axis=-2) - np.log(len(self.means)))

    def log_mean_density(self, y: np.ndarray, width: float) -> np.ndarray:
        """log of the density averaged over a cell of `width` about y [n], P(y - w/2 < Y_n ≤ y + w/2) / w: [n].

        The score of a y that was rounded to a multiple of `width`: a peak that is narrower gains nothing by it. The log
        density is its limit for w → 0.
        """
        if width == 0:
            return self.log_density(y)
        std = np.sqrt(self.variances)
        z, half = -np.abs(y - self.means) / std, 0.5 * width / std  # by symmetry, in the lower tail
        upper, lower = log_ndtr(z + half), log_ndtr(z - half)
        with np.errstate(divide="ignore"):
            log_mean = upper + np.log(-np.expm1(lower - upper)) - np.log(width)
        # Over a cell in which the density hardly changes, the difference of two distribution functions has lost its
        # digits, and the density at the centre is as good.
        log_mean = np.where(half * (1 - z) > _NARROW, log_mean, self._log_components(y))
        return np.asarray(logsumexp(log_mean, axis=0) - np.log(len(self.means)))

    def _log_components(self, y: np.ndarray) -> np.ndarray:
        """log N(y_n | means[s, n], variances[s, n]) for y [..., n]: [..., S, n]."""
        return np.asarray(-0.5 * (np.log(2 * np.pi * self.variances) + (_beside(y) - self.means) ** 2 / self.variances))

    def cdf(self, y: np.ndarray) -> np.ndarray:
        """P(Y_n ≤ y_n) for y [..., n]: [..., n]."""
        return np.asarray(ndtr((_beside(y) - self.means) / np.sqrt(self.variances)).mean(-2))

    def _cdf_and_pdf(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        std = np.sqrt(self.variances)
        z = (y - self.means) / std
        return ndtr(z).mean(0), (np.exp(-0.5 * z**2) / std).mean(0) / np.sqrt(2 * np.pi)

    def bracket(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest quantile p [n] of the components, between which the mixture's lies: [n] each."""
        each = self.means + np.sqrt(self.variances) * ndtri(p)
        return each.min(0), each.max(0)

    @property
    def node_densities(self) -> int:
        s = len(self.means)
        return s * (max(s, _NODES) + s * len(_FAR))

    def nodes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Each component's Gaussian is cut into pieces of equal probability; far nodes see the gaps between them."""
        s, n = self.means.shape
        each = -(-_NODES // s)
        z = np.concatenate([ndtri((np.arange(each) + 0.5) / each), _FAR])[:, None, None]
        std = np.sqrt(self.variances)
        y = (self.means + std * z).reshape(-1, n)  # [G, n]
        # Not by log_density, which takes thrice as long: here it may underflow, as it does at far nodes alone.
        squares = y[:, None] - self.means
        squares /= std
        squares *= squares
        squares *= -0.5
        with np.errstate(divide="ignore"):
            log_p = np.log((np.exp(squares, out=squares) / std).sum(1)) - np.log(np.sqrt(2 * np.pi) * s)
        share = np.repeat([1.0 / (each * s), 0.0], [each * s, len(_FAR) * s])[:, None]
        order = np.argsort(y, axis=0)
        y, log_p = np.take_along_axis(y, order, 0), np.take_along_axis(log_p, order, 0)
        return y, log_p, np.take_along_axis(np.broadcast_to(share, y.shape), order, 0)

    def sample(self, count: int, rng: np.random.Generator | int | None = None) -> np.ndarray:
        """`count` draws at every point: [count, n]; `rng` is a generator or a seed."""
        rng = np.random.default_rng(rng)  # a generator is passed on as it is
        s, n = self.means.shape
        which = rng.integers(s, size=(count, n))
        points = np.arange(n)
        return np.asarray(
            self.means[which, points] + np.sqrt(self.variances[which, points]) * rng.standard_normal((count, n))
        )

    def crps(self, y: np.ndarray) -> np.ndarray:
        """The continuous ranked probability score, ∫ (F(t) - 1{t ≥ y})² dt, of y [n]: [n]. Lower is better.

        CRPS = E|Y - y| - ½ E|Y - Y'|; with e(μ, v) = E|N(μ, v)| = μ (2Φ(μ/√v) - 1) + 2 √v φ(μ/√v), both expectations
        are averages of e over components and over pairs of components. Pairs are taken some at a time: S² of them need
        time, not memory.
        """
        s, n = self.means.shape
        to_y = _mean_absolute(y - self.means, self.variances).mean(0)
        # pairs s ≠ s' twice, and s = s' once, for which E|Y - Y'| = 2 √(v/π)
        between = 2 * np.sqrt(self.variances / np.pi).sum(0)
        pairs = s * (s - 1) // 2
        points = max(1, _PAIRS_AT_ONCE // max(1, pairs))
        rows = max(1, _PAIRS_AT_ONCE // (s * points))  # components that are paired with all later ones, at a time
        for start in range(0, n, points):
            at = slice(start, start + points)
            m, v = self.means[:, at], self.variances[:, at]
            total = np.zeros((1, m.shape[1]))
            for row in range(0, s - 1, rows):
                first, second = _later_pairs(s, np.arange(row, min(row + rows, s - 1)))
                each = _mean_absolute(m[first] - m[second], v[first] + v[second])
                total = np.concatenate([total, each]).sum(0, keepdims=True)
            between[at] += 2 * total[0]
        return np.asarray(to_y - 0.5 * between / s**2)


def _later_pairs(size: int, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """All pairs (i, j) with i in `rows` and i < j < size."""
    many = size - 1 - rows
    first = np.repeat(rows, many)
    return first, np.arange(len(first)) - np.repeat(np.cumsum(many) - many, many) + first + 1


def _beside(y: np.ndarray) -> np.ndarray:
    """y [..., n] as [..., 1, n], to be put beside components [S, n]; a number as it is."""
    y = np.asarray(y)
    return y[..., None, :] if y.ndim else y


def _mean_absolute(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """E|N(mean, variance)|, elementwise."""
    std = np.sqrt(variance)
    z = mean / std
    return np.asarray(mean * (2 * ndtr(z) - 1) + std * np.sqrt(2 / np.pi) * np.exp(-0.5 * z**2))

"""A predictive distribution: at every point an equally weighted mixture of S Gaussians, in the units of y.

VI and AEPMCM give a component a sampled path, (4.2.53) and (4.3.22); AEP gives one component, (4.2.30).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr

_PAIRS_AT_ONCE = 4_000_000  # elements of an [S, S, n] array worked on at a time
_NARROW = 1e-5  # half a cell in deviations, times the steepness of the density there
_BISECTIONS = 60  # halve a bracket to the last bit of a double that matters


@dataclass(frozen=True)
class Mixture:
    """p(y_n) = 1/S Σ_s N(y_n | means[s, n], variances[s, n])."""

    means: np.ndarray  # [S, n]
    variances: np.ndarray  # [S, n]

    @classmethod
    def joined(cls, parts: Sequence["Mixture"]) -> "Mixture":
        """The points of all `parts`, in order."""
        return cls(*(np.concatenate([getattr(p, name) for p in parts], axis=1) for name in ("means", "variances")))

    def mean(self) -> np.ndarray:
        """[n]"""
        return self.means.mean(0)

    def variance(self) -> np.ndarray:
        """The mean of the components' variances plus the variance of their means: [n]."""
        return self.variances.mean(0) + self.means.var(0)

    def std(self) -> np.ndarray:
        """[n]"""
        return np.sqrt(self.variance())

    def log_density(self, y: np.ndarray) -> np.ndarray:
        """log p(y_n) for y [n]: [n]."""
        return logsumexp(self._log_components(y), axis=0) - np.log(len(self.means))

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
        return logsumexp(log_mean, axis=0) - np.log(len(self.means))

    def _log_components(self, y: np.ndarray) -> np.ndarray:
        return -0.5 * (np.log(2 * np.pi * self.variances) + (y - self.means) ** 2 / self.variances)

    def cdf(self, y: np.ndarray) -> np.ndarray:
        """P(Y_n ≤ y_n) for y [n]: [n]."""
        return ndtr((y - self.means) / np.sqrt(self.variances)).mean(0)

    def quantile(self, p: float) -> np.ndarray:
        """The y at which the distribution function is p, by bisection: [n]."""
        if not 0 < p < 1:
            raise ValueError(f"a quantile is asked for at a probability between 0 and 1, not {p}")
        spread = 40 * np.sqrt(self.variances)  # no double is that improbable
        low, high = (self.means - spread).min(0), (self.means + spread).max(0)
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            below = self.cdf(middle) < p
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return 0.5 * (low + high)

    def sample(self, count: int, rng: np.random.Generator) -> np.ndarray:
        """`count` draws at every point: [count, n]."""
        s, n = self.means.shape
        which = rng.integers(s, size=(count, n))
        points = np.arange(n)
        return self.means[which, points] + np.sqrt(self.variances[which, points]) * rng.standard_normal((count, n))

    def crps(self, y: np.ndarray) -> np.ndarray:
        """The continuous ranked probability score, ∫ (F(t) - 1{t ≥ y})² dt, of y [n]: [n]. Lower is better.

        CRPS = E|Y - y| - ½ E|Y - Y'|; with e(μ, v) = E|N(μ, v)| = μ (2Φ(μ/√v) - 1) + 2 √v φ(μ/√v), both expectations
        are averages of e over components and over pairs of components.
        """
        s, n = self.means.shape
        to_y = _mean_absolute(y - self.means, self.variances).mean(0)
        first, second = np.triu_indices(s, k=1)
        # pairs s ≠ s' twice, and s = s' once, for which E|Y - Y'| = 2 √(v/π)
        between = 2 * np.sqrt(self.variances / np.pi).sum(0)
        chunk = max(1, _PAIRS_AT_ONCE // max(1, len(first)))
        for start in range(0, n, chunk):
            at = slice(start, start + chunk)
            m, v = self.means[:, at], self.variances[:, at]
            between[at] += 2 * _mean_absolute(m[first] - m[second], v[first] + v[second]).sum(0)
        return to_y - 0.5 * between / s**2


def _mean_absolute(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """E|N(mean, variance)|, elementwise."""
    std = np.sqrt(variance)
    z = mean / std
    return mean * (2 * ndtr(z) - 1) + std * np.sqrt(2 / np.pi) * np.exp(-0.5 * z**2)

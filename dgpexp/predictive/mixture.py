"""A predictive distribution: at every point an equally weighted mixture of S Gaussians, in the units of y.

VI and AEPMCM give a component a sampled path, (4.2.53) and (4.3.22); AEP gives one component, (4.2.30).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr

from dgpexp.predictive import shape

_PAIRS_AT_ONCE = 4_000_000  # elements of an [S, S, n] array worked on at a time
_NARROW = 1e-5  # half a cell in deviations, times the steepness of the density there
_BISECTIONS = 60  # halve a bracket to the last bit of a double that matters


@dataclass(frozen=True)
class Mixture:
    """p(y_n) = 1/S Σ_s N(y_n | means[s, n], variances[s, n]), for n points at once.

    Where a method takes values y, they are [n], one for each point, or [..., n], several for each, or one number.
    By the names of scipy's distributions, `logpdf` is `log_density`, and `ppf` is `quantile`.
    """

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
        """log p(y_n) for y [..., n]: [..., n]."""
        return np.asarray(logsumexp(self._log_components(y), axis=-2) - np.log(len(self.means)))

    def pdf(self, y: np.ndarray) -> np.ndarray:
        """The density p(y_n) for y [..., n]: [..., n]."""
        return np.exp(self.log_density(y))

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
        """log N(y_n | means[s, n], variances[s, n]) for y [..., n]: [..., S, n]."""
        return -0.5 * (np.log(2 * np.pi * self.variances) + (_beside(y) - self.means) ** 2 / self.variances)

    def cdf(self, y: np.ndarray) -> np.ndarray:
        """P(Y_n ≤ y_n) for y [..., n]: [..., n]."""
        return np.asarray(ndtr((_beside(y) - self.means) / np.sqrt(self.variances)).mean(-2))

    def quantile(self, p: float | Sequence[float] | np.ndarray) -> np.ndarray:
        """The y at which the distribution function is p, by bisection: [n] for a number p, [k, n] for k of them."""
        p = np.asarray(p, dtype=float)[..., None]  # [..., 1]
        if not np.all((p > 0) & (p < 1)):
            raise ValueError(f"a quantile is asked for at a probability between 0 and 1, not {np.squeeze(p)}")
        spread = 40 * np.sqrt(self.variances)  # no double is that improbable
        whole = np.zeros(p.shape[:-1] + self.means.shape[1:])
        low, high = whole + (self.means - spread).min(0), whole + (self.means + spread).max(0)
        for _ in range(_BISECTIONS):
            middle = 0.5 * (low + high)
            below = self.cdf(middle) < p
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return 0.5 * (low + high)

    logpdf, ppf = log_density, quantile

    def interval(self, level: float = 0.9, kind: str = "central") -> np.ndarray:
        """Where Y_n lies with probability `level`.

        central: from the quantile (1 - level)/2 to (1 + level)/2, low and high: [n, 2].
        hdr: the highest-density region, the smallest set of that probability. Of several modes it is several intervals,
        and leaves the gap between them out: [n, K, 2], where K is the most that a point has, NaN where it has fewer.
        """
        if not 0 < level < 1:
            raise ValueError(f"an interval is asked for at a level between 0 and 1, not {level}")
        if kind == "central":
            return self.quantile([(1 - level) / 2, (1 + level) / 2]).T
        if kind != "hdr":
            raise ValueError(f"an interval is 'central' or 'hdr', not {kind!r}")
        return shape.highest_density_regions(self, level)

    def modes(self, prominence: float = 0.1) -> np.ndarray:
        """The maxima of the density, the highest first: [n, K], where K is the most that a point has, NaN elsewhere.

        A maximum counts if the density falls by this part of its height before it rises to a higher one: a hundred
        sampled paths make ripples that mean nothing. 0 counts them all.
        """
        return shape.modes(self, prominence)

    def sample(self, count: int, rng: np.random.Generator | int | None = None) -> np.ndarray:
        """`count` draws at every point: [count, n]; `rng` is a generator or a seed."""
        rng = np.random.default_rng(rng)  # a generator is passed on as it is
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


def _beside(y: np.ndarray) -> np.ndarray:
    """y [..., n] as [..., 1, n], to be put beside components [S, n]; a number as it is."""
    y = np.asarray(y)
    return y[..., None, :] if y.ndim else y


def _mean_absolute(mean: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """E|N(mean, variance)|, elementwise."""
    std = np.sqrt(variance)
    z = mean / std
    return mean * (2 * ndtr(z) - 1) + std * np.sqrt(2 / np.pi) * np.exp(-0.5 * z**2)

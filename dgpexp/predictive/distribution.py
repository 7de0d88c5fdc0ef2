"""What can be asked of a predictive distribution of numbers, whatever its components are."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise
from typing import Self

import numpy as np
from scipy.special import ndtri

from dgpexp.predictive import shape

_TAIL = np.array([1e-9, 1e-7, 1e-5, 1e-4, 1e-3, 0.01, 0.03])
_LEVELS = np.concatenate([_TAIL, np.linspace(0.06, 0.94, 23), 1 - _TAIL[::-1]])  # ends of the panels of `crps`
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)  # in each panel
_ROUNDS = 100  # of `quantile`; Newton needs about six
_CLOSE, _EXACT = 1e-10, 1e-15  # steps, beside the value


class Distribution(ABC):
    """Predictive distributions of a number at n points, in the units of y.

    Where a method takes values y, they are [n], one for each point, or [..., n], several for each, or one number.
    By the names of scipy's distributions, `logpdf` is `log_density`, and `ppf` is `quantile`.
    """

    @classmethod
    @abstractmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The points of all `parts`, in order."""

    @abstractmethod
    def __len__(self) -> int:
        """n"""

    @abstractmethod
    def at(self, points: "np.ndarray | slice | list[int]") -> Self:
        """The distributions at these points, which may repeat."""

    @abstractmethod
    def mean(self) -> np.ndarray:
        """[n]"""

    @abstractmethod
    def variance(self) -> np.ndarray:
        """[n]"""

    @abstractmethod
    def spread(self) -> np.ndarray:
        """The variance in three parts: noise about the function, doubt about the function, sampled paths: [3, n]."""

    def ignorance(self, unknown: np.ndarray | float) -> np.ndarray:
        """The part of the variance that more rows would take away: [n].

        What paths through hidden layers add is noise where training rows are near, such as two branches, and
        ignorance as far as they are `unknown` (Seen.unknown).
        """
        _, function, paths = self.spread()
        return np.asarray(function + unknown * paths)

    @abstractmethod
    def log_density(self, y: np.ndarray) -> np.ndarray:
        """log p(y_n) for y [..., n]: [..., n]. Where Y is a count, the logarithm of its probability."""

    @abstractmethod
    def cdf(self, y: np.ndarray) -> np.ndarray:
        """P(Y_n ≤ y_n) for y [..., n]: [..., n]."""

    @abstractmethod
    def bracket(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Values between which the quantiles p [n] lie: the least and the greatest of the components', [n] each."""

    @abstractmethod
    def nodes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Values upwards, close where the density may have structure; log p there; shares of probability: [G, n]."""

    @property
    @abstractmethod
    def node_densities(self) -> int:
        """How many densities of components `nodes` computes for a point."""

    @abstractmethod
    def log_mean_density(self, y: np.ndarray, width: float) -> np.ndarray:
        """log of the density averaged over a cell of `width` about y [n], P(y - w/2 < Y_n ≤ y + w/2) / w: [n]."""

    @abstractmethod
    def sample(self, count: int, rng: np.random.Generator | int | None = None) -> np.ndarray:
        """`count` draws at every point: [count, n]; `rng` is a generator or a seed."""

    def std(self) -> np.ndarray:
        """[n]"""
        return np.asarray(np.sqrt(self.variance()))

    def pdf(self, y: np.ndarray) -> np.ndarray:
        """The density p(y_n) for y [..., n]: [..., n]."""
        return np.asarray(np.exp(self.log_density(y)))

    def pit(self, y: np.ndarray) -> np.ndarray:
        """The probability integral transform of y [n]: [n], uniform on (0, 1) where predictions are calibrated."""
        return self.cdf(y)

    def quantile(self, p: float | Sequence[float] | np.ndarray) -> np.ndarray:
        """The y at which the distribution function is p: [n] for a number p, [k, n] for k of them.

        By Newton's method for Φ⁻¹(F(y)) = Φ⁻¹(p), which is nearly linear. A step that leaves the bracket, or that is
        not half as long as the one before, is replaced by a bisection: several modes cannot mislead it.
        """
        p = np.asarray(p, dtype=float)
        if not np.all((p > 0) & (p < 1)):
            raise ValueError(f"a quantile is asked for at a probability between 0 and 1, not {p}")
        mean, spread = self.mean(), self.std()
        n = len(self)
        levels = np.repeat(p.reshape(-1), n)  # [k n]
        point = np.tile(np.arange(n), p.size)
        low, high = self.at(point).bracket(levels)
        y = np.clip(mean[point] + np.where(np.isfinite(spread), spread, 0.0)[point] * ndtri(levels), low, high)
        before, left = high - low, np.arange(len(y))  # left: still to be found
        for _ in range(_ROUNDS):
            now, goal = y[left], levels[left]
            below, density = self.at(point[left])._cdf_and_pdf(now)
            low[left] = np.where(below < goal, now, low[left])
            high[left] = np.where(below < goal, high[left], now)
            with np.errstate(all="ignore"):
                z = ndtri(below)
                step = (ndtri(goal) - z) / (density * np.exp(0.5 * z**2) * np.sqrt(2 * np.pi))
            new = now + step
            newton = (low[left] <= new) & (new <= high[left]) & (np.abs(step) <= 0.5 * before[left])
            new = np.where(newton, new, 0.5 * (low[left] + high[left]))
            before[left], y[left] = np.abs(new - now), new
            # Newton's next step would be the square of this one; a bisection must go on to the last digit.
            size = np.abs(new) + np.abs(mean[point[left]])
            tight = high[left] - low[left] <= _EXACT * size
            left = left[~(tight | (before[left] <= np.where(newton, _CLOSE, _EXACT) * size))]
            if not len(left):
                break
        return np.asarray(y.reshape((*p.shape, n)))

    def _cdf_and_pdf(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both for y [n]: [n] each. The density may underflow."""
        return self.cdf(y), self.pdf(y)

    def logpdf(self, y: np.ndarray) -> np.ndarray:
        return self.log_density(y)

    def ppf(self, p: float | Sequence[float] | np.ndarray) -> np.ndarray:
        return self.quantile(p)

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
        return self._highest_density_regions(level)

    def _highest_density_regions(self, level: float) -> np.ndarray:
        return shape.highest_density_regions(self, level)

    def modes(self, prominence: float = 0.1) -> np.ndarray:
        """The maxima of the density, the highest first: [n, K], where K is the most that a point has, NaN elsewhere.

        A maximum counts if the density falls by this part of its height before it rises to a higher one: a hundred
        sampled paths make ripples that mean nothing. 0 counts them all.
        """
        return shape.modes(self, prominence)

    def crps(self, y: np.ndarray) -> np.ndarray:
        """The continuous ranked probability score, ∫ (F(t) - 1{t ≥ y})² dt, of y [n]: [n]. Lower is better.

        By Gauss-Legendre points between quantiles, among which y is one more end of a panel: F is smooth within.
        """
        ends = np.sort(np.concatenate([self.quantile(_LEVELS), np.asarray(y)[None]]), axis=0)  # [K, n]
        total = np.zeros(ends.shape[1])
        for low, high in pairwise(ends):
            half = 0.5 * (high - low)
            t = 0.5 * (low + high) + half * _NODES[:, None]  # [8, n]
            total += half * (_WEIGHTS @ (self.cdf(t) - (t >= y)) ** 2)
        return total

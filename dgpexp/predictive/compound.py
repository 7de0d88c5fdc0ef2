"""Predictive distributions whose components are not Gaussian: y given f, averaged over f, at every point.

A likelihood without closed forms gives a `Family`, a function from the moments of f to J distributions of y, with
weights, for each path and point. Every expectation is then a weighted sum over S J components. `over_f` makes a family
from the distribution of y given f: its components are those of f at J nodes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from scipy.special import logsumexp

from dgpexp.predictive import shape
from dgpexp.predictive.distribution import Distribution

# From means and variances of f [S, n], and parameters [n]: log weights [J, n] or [J, 1], and distributions of y
# [S, J, n] by scipy's names (logpdf or logpmf, cdf, ppf, mean, var, rvs).
Family = Callable[..., tuple[np.ndarray, Any]]

_AT_ONCE = 4_000_000  # components, over all points, worked on at a time
_REACH = 8.0  # deviations of f
_FEWEST, _MOST = 24, 20_000  # nodes of f: at least so many for a path, at most so many for all paths of a point
_CORE = np.array([0.01, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 0.99])  # levels that show where modes may be
_WHOLE = np.array([1e-9, 1e-6, 1e-4, 1e-3, *np.linspace(0.01, 0.99, 50), 1 - 1e-3, 1 - 1e-4, 1 - 1e-6, 1 - 1e-9])
_STEP, _LARGEST = 0.1, 10_000  # of √rate in the table of counts: rates above a million are taken for a million
_SINGLE = 512  # counts that are looked at one by one
_RARE = 1e-10  # probability that is left out


def over_f(given: Callable[..., Any], means: np.ndarray, variances: np.ndarray, *parameters: np.ndarray) -> Any:
    """The family of y given f: f at equally spaced nodes within eight deviations, by the trapezoidal rule.

    For a smooth integrand the rule's error falls exponentially once its nodes are as close as the integrand is wide.
    As a function of f that width is 1 / √(1 + ρ²) deviations of f, where ρ says how far the mean of y given f moves, in
    deviations of y given f, when f moves by its own. There are as many nodes as the largest ρ asks for.
    """
    std = np.sqrt(variances)
    probe = given(means + std * np.linspace(-3.0, 3.0, 7)[:, None, None], *parameters)
    moves, spread = np.abs(np.diff(probe.mean(), axis=0)), (probe.ppf(0.84) - probe.ppf(0.16)) / 2
    spread = np.where(spread > 0, spread, np.sqrt(probe.var()))  # small counts have no middle part
    steepest = float((moves / np.maximum(spread[:-1], spread[1:])).max())
    wanted = 2 * _REACH * np.sqrt(1 + steepest**2) / 0.7
    nodes = np.linspace(-_REACH, _REACH, int(np.clip(wanted, _FEWEST, max(_FEWEST, _MOST // len(means)))))
    log_weights = -0.5 * nodes**2
    f = means[:, None] + std[:, None] * nodes[:, None]  # [S, J, n]
    return (log_weights - logsumexp(log_weights))[:, None], given(f, *parameters)


@dataclass(frozen=True)
class Compound(Distribution):
    """Y_n = shift_n + unit_n · Y', where Y' ~ 1/S Σ_s Σ_j w_j family(means, variances, *parameters)[s, j, n]."""

    family: Family
    means: np.ndarray  # of f [S, n]
    variances: np.ndarray  # of f [S, n]
    parameters: tuple[np.ndarray, ...]  # [n] each
    shift: np.ndarray  # [n]
    unit: np.ndarray  # [n]

    @classmethod
    def of(
        cls, family: Family, means: np.ndarray, variances: np.ndarray, parameters: Sequence[float], scaler: Any
    ) -> Self:
        """For moments of f [S, n], with the same parameters and the same scaling of y at every point."""
        each = [np.full(means.shape[1], float(np.squeeze(a))) for a in (*parameters, scaler.mean, scaler.std)]
        return cls(family, means, variances, tuple(each[:-2]), each[-2], each[-1])

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The points of all `parts`, in order."""
        every = [(p.means, p.variances, p.shift, p.unit, *p.parameters) for p in parts]
        means, variances, shift, unit, *parameters = (
            np.concatenate(arrays, axis=-1) for arrays in zip(*every, strict=True)
        )
        return cls(parts[0].family, means, variances, tuple(parameters), shift, unit)

    def __len__(self) -> int:
        return int(self.means.shape[1])

    def at(self, points: "np.ndarray | slice | list[int]") -> Self:
        """The distributions at these points, which may repeat."""
        arrays = (self.means[:, points], self.variances[:, points], tuple(p[points] for p in self.parameters))
        return type(self)(self.family, *arrays, self.shift[points], self.unit[points])

    @cached_property
    def _components(self) -> tuple[np.ndarray, Any]:
        return self.family(self.means, self.variances, *self.parameters)

    @cached_property
    def _size(self) -> int:
        """S J, of the points that have most."""
        return len(self.means) * max(len(self.at([k])._components[0]) for k in {0, int(np.argmax(self.means.max(0)))})

    def _parts(self) -> Iterator[tuple[slice, Self]]:
        """Some points at a time, so that their components fit into memory."""
        size = max(1, _AT_ONCE // self._size)
        for start in range(0, len(self), size):
            at = slice(start, start + size)
            yield at, self if size >= len(self) else self.at(at)

    def _averaged(self, of: Callable[[Any], np.ndarray]) -> np.ndarray:
        """Σ_j w_j / S Σ_s of the components' `of` [S, J, n]: [n], before shift and unit."""
        return np.concatenate([_mean(part._components[0], of(part._components[1])) for _, part in self._parts()])

    def mean(self) -> np.ndarray:
        """[n]"""
        return np.asarray(self.shift + self.unit * self._averaged(lambda given: given.mean()))

    def variance(self) -> np.ndarray:
        """E[variance given f] + variance of the mean given f: [n]."""
        mean = self._averaged(lambda given: given.mean())
        return np.asarray(self.unit**2 * (self._averaged(lambda given: given.var() + given.mean() ** 2) - mean**2))

    def spread(self) -> np.ndarray:
        """E[variance given f], the variance of the mean given f along a path, and between paths: [3, n]."""
        noise = self._averaged(lambda given: given.var())
        paths = [
            (np.exp(log_w) * given.mean()).sum(-2).var(0)
            for log_w, given in (part._components for _, part in self._parts())
        ]
        between = self.unit**2 * np.concatenate(paths)
        noise = self.unit**2 * noise
        return np.array([noise, np.maximum(self.variance() - noise - between, 0.0), between])

    def _pointwise(self, y: np.ndarray, of: Callable[[Self, np.ndarray], np.ndarray]) -> np.ndarray:
        """`of` some points and values [k, n] in the family's units, for y [..., n]: [..., n]."""
        y = (np.asarray(y, dtype=float) - self.shift) / self.unit
        rows = y.reshape(-1, len(self))
        found = np.empty(rows.shape)
        for at, part in self._parts():
            many = max(1, _AT_ONCE // (self._size * len(part)))
            for k in range(0, len(rows), many):
                found[k : k + many, at] = of(part, rows[k : k + many, at])
        return found.reshape(y.shape)

    def log_density(self, y: np.ndarray) -> np.ndarray:
        """log p(y_n) for y [..., n]: [..., n]."""

        def of(part: Self, y: np.ndarray) -> np.ndarray:
            log_w, given = part._components
            log_p = part._log_given(given, y[:, None, None]) + log_w  # [k, S, J, n]
            return np.asarray(logsumexp(log_p, axis=(1, 2)) - np.log(len(part.means)))

        return np.asarray(self._pointwise(y, of) - np.log(self.unit))

    def _log_given(self, given: Any, y: np.ndarray) -> np.ndarray:
        return np.asarray(given.logpdf(y))

    def cdf(self, y: np.ndarray) -> np.ndarray:
        """P(Y_n ≤ y_n) for y [..., n]: [..., n]."""

        def of(part: Self, y: np.ndarray) -> np.ndarray:
            log_w, given = part._components
            return np.asarray(np.clip(_mean(log_w, given.cdf(y[:, None, None])), 0.0, 1.0))

        return self._pointwise(y, of)

    def log_mean_density(self, y: np.ndarray, width: float) -> np.ndarray:
        """log P(y - w/2 < Y_n ≤ y + w/2) / w: [n]; the log density where that difference has lost its digits."""
        log_density = self.log_density(y)
        if width == 0:
            return log_density
        p = self.cdf(y + 0.5 * width) - self.cdf(y - 0.5 * width)
        return np.where(p > 1e-9, np.log(np.maximum(p, 1e-300)) - np.log(width), log_density)

    def bracket(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest quantile p [n] of the components, between which the whole's lies: [n] each."""
        low, high = np.empty(len(self)), np.empty(len(self))
        for at, part in self._parts():
            each = part._components[1].ppf(np.broadcast_to(p, len(self))[at])
            low[at], high[at] = each.min((0, 1)), each.max((0, 1))
        return self.shift + self.unit * low, self.shift + self.unit * high

    @property
    def node_densities(self) -> int:
        return self._size * (len(_CORE) * len(self.means) + len(_WHOLE))

    def nodes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Quantiles of every path's weightiest component, and of the whole; shares by the trapezoidal rule."""
        log_w, given = self._components
        weightiest = np.broadcast_to(np.argmax(log_w, axis=0), len(self))
        cores = given.ppf(_CORE[:, None, None, None])[:, :, weightiest, np.arange(len(self))]  # [K, S, n]
        cores = self.shift + self.unit * cores.reshape(-1, len(self))
        nodes = np.sort(np.concatenate([cores, self.quantile(_WHOLE)]), axis=0)
        log_p = self.log_density(nodes)
        gaps = np.diff(nodes, axis=0)
        share = np.exp(log_p)
        share[1:-1] *= gaps[1:] + gaps[:-1]
        share[[0, -1]] *= gaps[[0, -1]]
        return nodes, log_p, share / share.sum(0)

    def sample(self, count: int, rng: np.random.Generator | int | None = None) -> np.ndarray:
        """`count` draws at every point: [count, n]; `rng` is a generator or a seed."""
        rng = np.random.default_rng(rng)
        point = np.tile(np.arange(len(self)), count)
        path = rng.integers(len(self.means), size=len(point))
        means, variances = (a[path, point][None] for a in (self.means, self.variances))
        drawn = []
        for _, part in replace(self.at(point), means=means, variances=variances)._parts() if count else ():
            log_w, given = part._components
            below = np.cumsum(np.exp(np.broadcast_to(log_w, (len(log_w), len(part)))), axis=0)  # [J, N]
            node = np.minimum((rng.random(len(part)) > below).sum(0), len(below) - 1)
            each = given.rvs(size=(1, len(below), len(part)), random_state=rng)
            drawn.append(part.shift + part.unit * each[0, node, np.arange(len(part))])
        return np.concatenate([*drawn, []]).reshape(count, len(self))


class Counts(Compound):
    """What differs where Y is 0, 1, 2, ... and a component is decided by its `rate` alone; y is not scaled.

    Most questions are answered by a table of the distribution function. The rates λ of a point's S J components are
    many, and P(Y ≤ k | λ) is smooth in √λ, where Y has deviation ½ whatever λ is. So they are replaced by weights of
    a few hundred values of √λ, at steps of 0.1, each rate by those of its four neighbours that interpolate cubics.
    """

    def _log_given(self, given: Any, y: np.ndarray) -> np.ndarray:
        return np.asarray(given.logpmf(y))

    @cached_property
    def _table(self) -> tuple[np.ndarray, np.ndarray]:
        """Counts k [K], every one at first, then every fiftieth part of their size; P(Y_n ≤ k) [K, n]."""
        weights, kinds = [], type(self.at([0])._components[1])
        top = 4
        for _, part in self._parts():
            log_w, given = part._components
            place = np.minimum(np.sqrt(given.rate) / _STEP, _LARGEST)  # [S, J, n]
            first = np.maximum(np.floor(place).astype(int) - 1, 0)
            x = place - first  # from 0 to 3; between the middle two but at the edge
            share = np.exp(log_w) / len(part.means)
            total = np.zeros((int(first.max()) + 4) * len(part))
            for j, others in enumerate(((1, 2, 3), (0, 2, 3), (0, 1, 3), (0, 1, 2))):
                cubic = np.prod([(x - i) / (j - i) for i in others], axis=0)
                at = (first + j) * len(part) + np.arange(len(part))
                total += np.bincount(at.ravel(), (share * cubic).ravel(), minlength=len(total))
            weights.append(total.reshape(-1, len(part)))
            top = max(top, len(weights[-1]))
        whole = np.concatenate([np.pad(w, ((0, top - len(w)), (0, 0))) for w in weights], axis=1)  # [B, n]
        rates = (np.arange(top) * _STEP) ** 2
        largest = rates[np.nonzero(np.cumsum(np.abs(whole).max(1)[::-1])[::-1] > _RARE)[0].max(initial=0)]
        largest += 8 * np.sqrt(largest) + 20
        k, last = [np.arange(_SINGLE)], _SINGLE - 1
        while last < largest:
            last += last // 50
            k.append(np.array([last]))
        counts = np.concatenate(k).astype(float)
        return counts, np.clip(kinds(rates).cdf(counts[:, None]) @ whole, 0.0, 1.0)

    def pit(self, y: np.ndarray) -> np.ndarray:
        """P(Y < y) + u P(Y = y) with u uniform, and the same every time: [n]. F(Y) itself would not be uniform."""
        u = np.random.default_rng(0).random(len(self))
        return np.asarray(self.cdf(y - 1.0) + u * np.exp(self.log_density(y)))

    def log_mean_density(self, y: np.ndarray, width: float) -> np.ndarray:
        """Up to a width of 1 the cell of y has no other count, and the score is log P(Y_n = y_n): [n]."""
        return self.log_density(y) if width <= 1 else super().log_mean_density(y, width)

    def quantile(self, p: float | Sequence[float] | np.ndarray) -> np.ndarray:
        """The least count at which the distribution function is at least p: [n], or [k, n] for k of them."""
        p = np.asarray(p, dtype=float)
        if not np.all((p > 0) & (p < 1)):
            raise ValueError(f"a quantile is asked for at a probability between 0 and 1, not {p}")
        k, below = self._table
        found = np.empty((p.size, len(self)))
        for j, level in enumerate(p.reshape(-1)):
            above = np.minimum(np.sum(below < level - 1e-12, axis=0), len(k) - 1)
            high, low = k[above], k[np.maximum(above - 1, 0)]
            f_high, f_low = below[above, np.arange(len(self))], below[np.maximum(above - 1, 0), np.arange(len(self))]
            part = np.where(f_high > f_low, (level - f_low) / np.maximum(f_high - f_low, 1e-300), 1.0)
            found[j] = np.where(high - low <= 1, high, np.ceil(low + np.clip(part, 0, 1) * (high - low)))
        return found.reshape((*p.shape, len(self)))

    def crps(self, y: np.ndarray) -> np.ndarray:
        """Σ_k (P(Y ≤ k) - 1{k ≥ y})² over all counts k: [n]; between those of the table F is a line."""
        k, below = self._table
        single = np.sum((below[:_SINGLE] - (k[:_SINGLE, None] >= y)) ** 2, axis=0)
        ends = np.clip(y, k[_SINGLE - 1 : -1, None], k[_SINGLE:, None])  # where y cuts each of the longer steps
        low, high = k[_SINGLE - 1 : -1, None], k[_SINGLE:, None]
        slope = np.diff(below[_SINGLE - 1 :], axis=0) / (high - low)
        middle = below[_SINGLE - 1 : -1] + slope * (ends - low)
        left = (below[_SINGLE - 1 : -1] ** 2 + middle**2) / 2 * (ends - low)
        right = ((1 - middle) ** 2 + (1 - below[_SINGLE:]) ** 2) / 2 * (high - ends)
        return np.asarray(single + np.sum(left + right, axis=0) + np.maximum(y - 1 - k[-1], 0))

    def modes(self, prominence: float = 0.1) -> np.ndarray:
        """The most probable counts among their neighbours, the highest first: [n, K], NaN where a point has fewer."""
        k, p = self._probabilities()
        return shape.padded([k[shape.peaks(p[:, j], prominence)] for j in range(len(self))], ())

    def _highest_density_regions(self, level: float) -> np.ndarray:
        """Runs of counts, first and last, that are as few as have probability `level`: [n, K, 2]."""
        found = []
        k, each = self._probabilities()
        long = np.diff(k, prepend=-1)  # counts that a place stands for
        for p in each.T:
            order = np.argsort(-p, kind="stable")
            taken = np.sort(order[: np.searchsorted(np.cumsum((p * long)[order]), level) + 1])
            runs = np.split(taken, np.nonzero(np.diff(taken) > 1)[0] + 1)
            found.append(np.array([[k[run[0]] - long[run[0]] + 1, k[run[-1]]] for run in runs]))
        return shape.padded(found, (2,))

    def _probabilities(self) -> tuple[np.ndarray, np.ndarray]:
        """Counts k [K], and P(Y_n = k), an average over the counts since the one before: [K, n]."""
        k, below = self._table
        return k, np.diff(below, axis=0, prepend=0.0) / np.diff(k, prepend=-1)[:, None]


def _mean(log_w: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Σ_j w_j / S Σ_s values [..., S, J, n], w_j from log weights [J, n]: [..., n]."""
    return np.asarray((np.exp(log_w) * values).sum(-2).mean(-2))

"""Stacking: the predictions of several models as one mixture, Σ_k w_k p_k(y), its weights learnt from held-out rows.

The weights maximise the mean log density of rows that no member was trained on (Yao et al., 2018),

    f(w) = 1/n Σ_i log Σ_k w_k p_ik,    p_ik = p_k(y_i),    w on the simplex.

f is concave, so there is one best value. Its gradient is g_k = 1/n Σ_i p_ik / Σ_j w_j p_ij, with Σ_k w_k g_k = 1. EM
sets w_k to w_k g_k: the posterior share of member k, averaged over rows. By concavity f(v) - f(w) ≤ Σ_k g_k (v_k - w_k)
≤ max_k g_k - 1 for every v on the simplex, a bound that says when to stop.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy.special import logsumexp

from dgpexp.predictive.classes import Classes
from dgpexp.predictive.distribution import Distribution

_CLOSE, _ROUNDS = 1e-5, 20_000  # nats for each row that better weights could gain at most; steps of EM
_GAIN = 0.005  # nats for each row by which a costly member must better the mixture, to be kept


def weights(log_p: np.ndarray) -> np.ndarray:
    """The weights [K] with the largest mean log density, from log p_k(y_i) [K, n]; a member without gain has 0."""
    p = np.exp(log_p - log_p.max(0))  # a factor of each row changes nothing
    w = np.full(len(p), 1 / len(p))
    for _ in range(_ROUNDS):
        gradient = (p / (w @ p)).mean(1)
        w = w * gradient
        if gradient.max() - 1 < _CLOSE:
            break
    w = np.where(w < 1e-3, 0.0, w)
    return np.asarray(w / w.sum())


def score(log_p: np.ndarray, w: np.ndarray) -> float:
    """The mean log density of the mixture, f(w)."""
    with np.errstate(divide="ignore"):
        return float(logsumexp(log_p + np.log(w)[:, None], axis=0).mean())


def frugal_weights(log_p: np.ndarray, costs: Sequence[float]) -> np.ndarray:
    """Weights [K] that leave out, the costliest first, each member without which the mixture is nearly as good."""
    kept = list(range(len(log_p)))
    best = score(log_p, weights(log_p))
    for k in sorted((k for k in kept if costs[k] > 0), key=lambda k: -costs[k]):
        without = [j for j in kept if j != k]
        if without and (found := score(log_p[without], weights(log_p[without]))) > best - _GAIN:
            kept, best = without, found
    w = np.zeros(len(log_p))
    w[kept] = weights(log_p[kept])
    return w


def stacked(members: Sequence[Any], w: Sequence[float] | np.ndarray) -> Any:
    """The mixture of predictions for the same points, Distributions or Classes; one alone stays what it is."""
    pairs = [(member, float(share)) for member, share in zip(members, w, strict=True) if share > 0]
    if len(pairs) == 1:
        return pairs[0][0]
    parts, shares = tuple(member for member, _ in pairs), np.array([share for _, share in pairs])
    if isinstance(parts[0], Classes):
        every = np.stack([part.log_probabilities for part in parts])
        return Classes(logsumexp(every + np.log(shares)[:, None, None], axis=0), parts[0].labels)
    return Stack(parts, shares)


@dataclass(frozen=True)
class Stack(Distribution):
    """p(y_n) = Σ_k weights[k] members[k](y_n): members are distributions of the same n points."""

    members: tuple[Distribution, ...]
    weights: np.ndarray  # [K], positive

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        """The points of all `parts`, in order."""
        columns = zip(*(part.members for part in parts), strict=True)
        return cls(tuple(type(column[0]).joined(column) for column in columns), parts[0].weights)

    def __len__(self) -> int:
        return len(self.members[0])

    def at(self, points: "np.ndarray | slice | list[int]") -> Self:
        """The distributions at these points, which may repeat."""
        return type(self)(tuple(member.at(points) for member in self.members), self.weights)

    def _mean_of(self, values: Sequence[np.ndarray]) -> np.ndarray:
        return np.asarray(sum(w * value for w, value in zip(self.weights, values, strict=True)))

    def _log_mean_of(self, values: Sequence[np.ndarray]) -> np.ndarray:
        with np.errstate(invalid="ignore"):  # none of the members has any density there
            return np.asarray(np.logaddexp.reduce([np.log(w) + v for w, v in zip(self.weights, values, strict=True)]))

    def mean(self) -> np.ndarray:
        """[n]"""
        return self._mean_of([member.mean() for member in self.members])

    def variance(self) -> np.ndarray:
        """The mean of the members' variances plus the variance of their means: [n]."""
        mean = self.mean()
        return self._mean_of([member.variance() + (member.mean() - mean) ** 2 for member in self.members])

    def spread(self) -> np.ndarray:
        """The means of the members' parts; where members differ, that is doubt about the function: [3, n]."""
        found = self._mean_of([member.spread() for member in self.members])
        mean = self.mean()
        found[1] += self._mean_of([(member.mean() - mean) ** 2 for member in self.members])
        return found

    def log_density(self, y: np.ndarray) -> np.ndarray:
        """log p(y_n) for y [..., n]: [..., n]."""
        return self._log_mean_of([member.log_density(y) for member in self.members])

    def log_mean_density(self, y: np.ndarray, width: float) -> np.ndarray:
        """log of the density averaged over a cell of `width` about y [n]: [n]."""
        return self._log_mean_of([member.log_mean_density(y, width) for member in self.members])

    def cdf(self, y: np.ndarray) -> np.ndarray:
        """P(Y_n ≤ y_n) for y [..., n]: [..., n]."""
        return self._mean_of([member.cdf(y) for member in self.members])

    def _cdf_and_pdf(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        each = [member._cdf_and_pdf(y) for member in self.members]
        return self._mean_of([cdf for cdf, _ in each]), self._mean_of([pdf for _, pdf in each])

    def bracket(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The least and the greatest of the members' quantiles p [n], between which the mixture's lies: [n] each."""
        lows, highs = zip(*(member.bracket(p) for member in self.members), strict=True)
        return np.min(lows, axis=0), np.max(highs, axis=0)

    @property
    def node_densities(self) -> int:
        return 2 * sum(member.node_densities for member in self.members)

    def nodes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Every K-th node of the K members, with the mixture's density there, and their shares of it."""
        found = [_thinned(*member.nodes(), len(self.members)) for member in self.members]
        y = np.concatenate([nodes for nodes, _ in found])
        share = np.concatenate([w * shares for w, (_, shares) in zip(self.weights, found, strict=True)])
        order = np.argsort(y, axis=0)
        y = np.take_along_axis(y, order, 0)
        return y, self.log_density(y), np.take_along_axis(share, order, 0)

    def sample(self, count: int, rng: np.random.Generator | int | None = None) -> np.ndarray:
        """`count` draws at every point: [count, n]; `rng` is a generator or a seed."""
        rng = np.random.default_rng(rng)
        which = rng.choice(len(self.weights), size=(count, len(self)), p=self.weights)
        draws = np.stack([member.sample(count, rng) for member in self.members])
        return np.asarray(np.take_along_axis(draws, which[None], 0)[0])


def _thinned(y: np.ndarray, log_p: np.ndarray, share: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Every k-th of nodes that go upwards, the last too, each with the shares up to the next: [G', n] both."""
    at = np.unique([*range(0, len(y), k), len(y) - 1])
    return y[at], np.add.reduceat(share, at, axis=0)


# ---- out-of-fold rows


@dataclass(frozen=True)
class HeldOut:
    """What members say of the rows of a fold that none of them was trained on."""

    rows: np.ndarray  # [t], their numbers in the table
    y: np.ndarray  # [t]
    members: dict[str, Any]  # name -> prediction of these rows

    @property
    def halves(self) -> "list[HeldOut]":
        """Two, where there is no other fold to learn weights from."""
        parts = (slice(0, None, 2), slice(1, None, 2))
        return [HeldOut(self.rows[p], self.y[p], {k: m.at(p) for k, m in self.members.items()}) for p in parts]


def log_densities(folds: Sequence[HeldOut], names: Sequence[str]) -> np.ndarray:
    """log p_k(y_i) of the rows of all folds, one after another: [K, n]."""
    return np.array([np.concatenate([fold.members[name].log_density(fold.y) for fold in folds]) for name in names])


def cross_stacked(folds: Sequence[HeldOut], names: Sequence[str], costs: Sequence[float]) -> list[Any]:
    """The mixture on every fold, with weights from rows of the others: its scores there are those of rows unseen.

    A row of this fold that is in another one too (random splits overlap) does not count there.
    """
    log_p, rows = log_densities(folds, names), np.concatenate([fold.rows for fold in folds])
    found = []
    for fold in folds:
        seen = ~np.isin(rows, fold.rows)
        w = frugal_weights(log_p[:, seen], costs) if seen.any() else np.full(len(names), 1 / len(names))
        found.append(stacked([fold.members[name] for name in names], w))
    return found

"""Means, ranks and tests over data sets, as papers on methods and data sets print them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

ALPHA = 0.05
LEAST_COINS = 6  # with 5 data sets the smallest two-sided p-value of the sign test is 2/2⁵ = 0.0625


@dataclass(frozen=True)
class Average:
    """The mean of n values, its standard error and their deviation (None for one value, or if one is not finite)."""

    n: int
    mean: float
    stderr: float | None
    deviation: float | None


def average(values: ArrayLike) -> Average:
    """The standard error is s / sqrt(n) with s² = Σ(v - mean)² / (n - 1): that of papers, for independent values."""
    v = np.asarray(values, dtype=float)
    mean = float(v.mean()) if v.size else math.nan
    if v.size < 2 or not np.isfinite(v).all():
        return Average(v.size, mean, None, None)
    deviation = float(v.std(ddof=1))
    return Average(v.size, mean, deviation / math.sqrt(v.size), deviation)


def sign_test(wins: int, losses: int) -> float | None:
    """Two-sided p-value that heads and tails are equally likely; None where too few coins fell to say anything."""
    if wins + losses < LEAST_COINS:
        return None
    return float(stats.binomtest(wins, wins + losses).pvalue)


def holm(pvalues: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p-values, in the order given: the running maximum of (m - rank) · p, at most 1."""
    order = np.argsort(pvalues, kind="stable")
    adjusted = np.empty(len(pvalues))
    running = 0.0
    for rank, i in enumerate(order):
        running = max(running, (len(pvalues) - rank) * pvalues[i])
        adjusted[i] = min(1.0, running)
    return [float(p) for p in adjusted]


def average_ranks(values: np.ndarray, higher_is_better: bool) -> np.ndarray:
    """Mean rank of each column over the rows; 1 is best, ties share their mean.  [data sets, methods] -> [methods]"""
    signed = -values if higher_is_better else values
    ranks: np.ndarray = stats.rankdata(signed, axis=1).mean(axis=0)
    return ranks


def friedman(values: np.ndarray) -> float | None:
    """p-value of Friedman's test that all columns rank alike; None with fewer than 3 columns or 2 rows."""
    if values.shape[0] < 2 or values.shape[1] < 3:
        return None
    p = float(stats.friedmanchisquare(*values.T).pvalue)
    return None if math.isnan(p) else p


def critical_difference(methods: int, datasets: int, alpha: float = ALPHA) -> float:
    """Nemenyi's: two average ranks further apart than this differ at level alpha.

    q · sqrt(k(k+1) / 6N), where q is the studentised range of k means with infinite degrees of freedom over sqrt(2).
    """
    q = stats.studentized_range.isf(alpha, methods, np.inf) / math.sqrt(2)
    return float(q * math.sqrt(methods * (methods + 1) / (6 * datasets)))


def cliques(ranks: Sequence[float], difference: float) -> list[tuple[int, int]]:
    """Maximal runs (first, last) of *sorted* ranks that no critical difference separates: the bars of the diagram."""
    found: list[tuple[int, int]] = []
    for first in range(len(ranks)):
        last = max((j for j in range(first, len(ranks)) if ranks[j] - ranks[first] <= difference), default=first)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found

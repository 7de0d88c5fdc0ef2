"""The statistics that papers on methods and data sets are published with.

All of them are paired: splits move boston by as much as methods do, so methods are compared on the same splits.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

ALPHA = 0.05
LEAST_PAIRS = 6  # with 5 pairs the smallest two-sided signed-rank p-value is 2/2⁵ = 0.0625: nothing could be found


@dataclass(frozen=True)
class Summary:
    """Mean, standard error (None for one value) and deviation of n values."""

    n: int
    mean: float
    stderr: float | None
    deviation: float | None


def summarise(values: Sequence[float]) -> Summary:
    """Of a sample; the standard error is s / sqrt(n) with s² = Σ(v - mean)² / (n - 1)."""
    v = np.asarray(values, dtype=float)
    if v.size < 2:
        return Summary(v.size, float(v.mean()) if v.size else math.nan, None, None)
    deviation = float(v.std(ddof=1))
    return Summary(v.size, float(v.mean()), deviation / math.sqrt(v.size), deviation)


def signed_rank(differences: Sequence[float]) -> float | None:
    """Two-sided p-value of Wilcoxon's signed-rank test; None where too few pairs differ for it to say anything."""
    d = np.asarray(differences, dtype=float)
    d = d[d != 0]
    if d.size < LEAST_PAIRS:
        return None
    return float(stats.wilcoxon(d).pvalue)


def sign_test(wins: int, losses: int) -> float | None:
    """Two-sided p-value that heads and tails are equally likely; None where too few coins fell to say anything."""
    if wins + losses < LEAST_PAIRS:
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
        last = max(j for j in range(first, len(ranks)) if ranks[j] - ranks[first] <= difference)
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return found


def t_interval(differences: Sequence[float], level: float = 0.95) -> tuple[float, float] | None:
    """Student's interval for the mean of paired differences; None for fewer than two."""
    s = summarise(differences)
    if s.stderr is None:
        return None
    half = float(stats.t.ppf(0.5 + level / 2, s.n - 1)) * s.stderr
    return s.mean - half, s.mean + half

"""Methods against each other on the same splits: tests, wins and losses, average ranks over data sets."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd

from dgpexp.methods import METHODS, method_name
from dgpexp.predictive.metrics import METRICS
from dgpexp.report.cells import Groups
from dgpexp.report.comparable import share_tested
from dgpexp.report.statistics.paired import Difference, corrected, paired
from dgpexp.report.statistics.stats import average_ranks, critical_difference, friedman

_ENOUGH = 5  # splits of a data set for a rank


@dataclass(frozen=True)
class WinTieLoss:
    """`first` against `second` over data sets and depths, by significant differences; untested pairs are left out."""

    metric: str
    first: str
    second: str
    wins: int
    ties: int
    losses: int
    untested: int


@dataclass(frozen=True)
class Ranking:
    """Average ranks of methods (with depth) over data sets on which all of them share splits."""

    metric: str
    names: tuple[str, ...]  # best first
    ranks: tuple[float, ...]
    datasets: tuple[str, ...]
    splits: tuple[int, ...]  # of each data set
    critical: float
    friedman: float | None


def _by_split(groups: Groups, metric: str) -> dict[tuple[str, str, int], pd.Series]:
    """Values by split for every (data set, method, depth) of section 5.1."""
    return {
        (g.dataset, g.method, g.layers): pd.Series(g.runs[metric].to_numpy(float), g.runs["split"]).dropna()
        for g in groups.values()
        if g.section == "uci" and len(g.runs)
    }


def pair_tests(groups: Groups, metric: str) -> list[Difference]:
    """Every two methods of the same depth on every data set, on the splits that both have; Holm within a data set."""
    values = _by_split(groups, metric)
    tests: list[Difference] = []
    for dataset in sorted({d for d, _, _ in values}):
        family: list[Difference] = []
        present = sorted(((m, n) for d, m, n in values if d == dataset), key=lambda t: (t[1], _order(t[0])))
        for (a, depth), (b, other) in itertools.combinations(present, 2):
            if depth != other:
                continue
            both = pd.concat([values[dataset, a, depth], values[dataset, b, depth]], axis=1, join="inner").to_numpy()
            if len(both):
                share = share_tested(dataset)
                family.append(paired(metric, both[:, 0], both[:, 1], share, dataset, "", (a, b), depth))
        tests += corrected(family)
    return tests


def _order(method: str) -> tuple[int, str]:
    """The latest first, as it is what was proposed against the others; AEPMCM among the thesis's."""
    known = list(METHODS)
    return (-known.index(method) if method in known else -len(known), method)


def win_tie_loss(tests: list[Difference]) -> list[WinTieLoss]:
    """Counted over data sets and depths, one line for each pair of methods and metric."""
    lines = []
    for (metric, first, second), same in itertools.groupby(
        sorted(tests, key=lambda t: (t.metric, _order(t.first), _order(t.second))),
        key=lambda t: (t.metric, t.first, t.second),
    ):
        outcomes = [(t.better if t.p is not None else "untested") for t in same]
        counts = [outcomes.count(first), outcomes.count(""), outcomes.count(second), outcomes.count("untested")]
        lines.append(WinTieLoss(metric, first, second, *counts))
    return lines


def ranking(groups: Groups, metric: str) -> Ranking | None:
    """Average ranks over a full block of runs: methods with depth x data sets x the splits that all share.

    None with fewer than 2 methods or data sets. Of all blocks it is the one whose test is sharpest, whose critical
    difference is the smallest part of the k - 1 ranks that k methods can be apart; of these, the one of most runs.
    """
    blocks = list(_blocks(_by_split(groups, metric)))
    if not blocks:
        return None
    treatments, shared = min(blocks, key=lambda block: (_bluntness(*block), -sum(b.size for b in block[1].values())))
    means = np.array([block.mean(axis=0) for block in shared.values()])
    ranks = average_ranks(means, METRICS[metric].higher_is_better)
    order = np.argsort(ranks, kind="stable")
    return Ranking(
        metric,
        tuple(f"{method_name(treatments[i][0])} {treatments[i][1]}" for i in order),
        tuple(float(ranks[i]) for i in order),
        tuple(shared),
        tuple(map(len, shared.values())),
        critical_difference(len(treatments), len(shared)),
        friedman(means),
    )


Block = tuple[list[tuple[str, int]], dict[str, pd.DataFrame]]  # methods with depth; by data set [splits, methods]


def _blocks(values: dict[tuple[str, str, int], pd.Series]) -> Iterator[Block]:
    """Blocks of the data sets that some method has, and of the methods that have at least so many splits of each.

    A data set counts from five shared splits on (or from as many as there are anywhere): a mean over fewer may put
    methods in an order of chance.
    """
    enough = min(_ENOUGH, max(map(len, values.values()), default=0))
    having: dict[tuple[str, int], set[str]] = {}
    for dataset, method, layers in values:
        having.setdefault((method, layers), set()).add(dataset)
    for candidate in sorted({tuple(sorted(s)) for s in having.values()}):
        splits = {t: min(len(values[d, *t]) for d in candidate) for t, s in having.items() if s >= set(candidate)}
        for least in sorted(set(splits.values())):
            kept = sorted(t for t, count in splits.items() if count >= least)
            shared = {d: c for d in candidate if len(c := _common(values, d, kept)) >= enough}
            if min(len(shared), len(kept)) >= 2:
                yield kept, shared


def _bluntness(treatments: list[tuple[str, int]], shared: dict[str, pd.DataFrame]) -> float:
    return critical_difference(len(treatments), len(shared)) / (len(treatments) - 1)


def _common(
    values: dict[tuple[str, str, int], pd.Series], dataset: str, treatments: list[tuple[str, int]]
) -> pd.DataFrame:
    """Splits that all treatments have on the data set.  [splits, treatments]"""
    return pd.concat([values[dataset, m, n] for m, n in treatments], axis=1, join="inner")

"""Do runs made here give the numbers that were committed? Each is compared with the committed run of the same id.

Equal: the printed digits are. Within the spread: as far away as another seed may be. Only what is farther differs.
"""

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd

from dgpexp.methods import SAMPLING
from dgpexp.numerals import fixed
from dgpexp.predictive.metrics import METRICS
from dgpexp.report.cells import called
from dgpexp.report.spread import Spread, spread
from dgpexp.store.stored_run import COMPLETED
from dgpexp.store.tidy_table import BIG_DATA, read_measured
from dgpexp.tasks import TASKS

SEEDS = "seeds"  # the folder of the same runs under other seeds, in that of the committed ones
_COMPARED = tuple(dict.fromkeys(name for task in TASKS.values() for name in task.headline))


EQUAL, WITHIN, DIFFERENT, UNJUDGED = "equal", "within the spread", "different", "no spread"


@dataclass(frozen=True)
class Pair:
    """A run and its committed twin: what is printed of each, by the name of the metric."""

    run_id: str
    label: str
    numbers: dict[str, tuple[str, str]]  # ours, committed
    outcome: str

    @property
    def difference(self) -> str:
        """`RMSE 2.91, committed 2.92`: the numbers that differ."""
        parts = (
            f"{name} {ours}, committed {theirs}" for name, (ours, theirs) in self.numbers.items() if ours != theirs
        )
        return "; ".join(parts)


@dataclass(frozen=True)
class Repetition:
    """The runs that have a committed twin, and how many have none."""

    pairs: list[Pair]
    without_twin: int = 0

    def count(self, outcome: str) -> int:
        return sum(pair.outcome == outcome for pair in self.pairs)

    @property
    def different(self) -> list[Pair]:
        """The runs that failed to repeat."""
        return [pair for pair in self.pairs if pair.outcome == DIFFERENT]

    @property
    def sentence(self) -> str:
        if not self.pairs:
            return f"None of {self.without_twin} finished runs has a committed one to be compared with yet."
        text = f"{self.count(EQUAL)} of {len(self.pairs)} runs equal the committed ones to the printed digits"
        text += f", {self.count(WITHIN)} lie within the spread of other seeds, {self.count(DIFFERENT)} differ"
        if unjudged := self.count(UNJUDGED):
            text += f", {unjudged} have other digits and no spread to be judged by"
        apart = f"; {self.without_twin} more have no committed run to be compared with" if self.without_twin else ""
        return f"{text}{apart}."


def repeated(runs: pd.DataFrame, profile: str) -> Repetition:
    """The finished runs of a profile beside those that came with dgpexp. A row each, as in store.tidy_table."""
    committed = {row["run_id"]: row for row in read_measured(profile).to_dict("records")}
    seeds = read_measured(f"{profile}/{SEEDS}").to_dict("records")
    draws = spread(committed.values(), seeds, _COMPARED)
    finished = runs[runs["status"] == COMPLETED].to_dict("records")
    pairs = [_pair(row, committed[row["run_id"]], draws) for row in finished if row["run_id"] in committed]
    return Repetition(pairs, len(finished) - len(pairs))


def _pair(ours: dict[Any, Any], committed: dict[Any, Any], draws: Spread) -> Pair:
    several = ours["dataset"] in BIG_DATA and ours["method"] in SAMPLING  # runs that differ in S alone
    name = called(ours["method"], ours["train_samples"] if several else None)
    label = f"{ours['dataset']} {name} depth {ours['layers']} split {ours['split']}"
    measured = [name for name in _COMPARED if not (pd.isna(ours[name]) and pd.isna(committed[name]))]
    printed = {n: (_printed(n, ours[n], committed[n]), _printed(n, committed[n])) for n in measured}
    apart = [name for name, (mine, theirs) in printed.items() if mine != theirs]
    judged = [draws.within(committed, name, ours[name]) for name in apart]
    outcome = EQUAL if not apart else DIFFERENT if False in judged else UNJUDGED if None in judged else WITHIN
    return Pair(ours["run_id"], label, {METRICS[n].brief: both for n, both in printed.items()}, outcome)


def _printed(name: str, value: float, beside: float | None = None) -> str:
    """As a table prints it: with as many digits as the number that it stands beside."""
    metric = METRICS[name]
    like = value if beside is None or not math.isfinite(beside) else beside
    return fixed(metric.scale * value, metric.decimals([like])) or "no number"

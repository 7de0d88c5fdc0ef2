"""Two sets of runs, paired run by run: `dgpexp compare A B`.

A set is written `[FOLDER@]PROFILE[:KEY=VALUE[,KEY=VALUE...]]`: the runs of a profile (in the results folder FOLDER,
else in --results) that have these values. KEY is a column of a run (dataset, method, layers, split, precision, ...) or
a setting (epochs, inner_noise, ...). A run of A is paired with the run of B of the same data set, method, depth and
split, and of the same S where a set has several; what both sets fix at different values (`thesis:method=vi` against
`thesis:method=aep`) is not asked to agree.

The interval is Student's over the pairs. A single pair has one for `ll` over its test points, marked as such: it says
how much other points would change the difference of these two models, not how much other models would, so it names no
winner.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dgpexp.config import Settings
from dgpexp.errors import UserError
from dgpexp.methods import SAMPLING
from dgpexp.numerals import fixed
from dgpexp.predictive.metrics import METRICS
from dgpexp.report import source
from dgpexp.report.source import Source
from dgpexp.report.statistics.stats import holm, sign_test, signed_rank, summarise, t_interval
from dgpexp.store.stored_run import runs_dir
from dgpexp.store.tidy_table import recorded_settings
from dgpexp.tasks import CLASSIFICATION

PAIRED_BY = ("dataset", "method", "layers", "split")
SAMPLES = "train_samples"
HEAD = ("cell", "pairs", "A", "B", "B - A", "95 % interval", "p (Holm)", "better")


@dataclass(frozen=True)
class Selector:
    """One set of runs, as written and as understood."""

    text: str
    results: Path
    profile: str
    wanted: dict[str, str]

    @cached_property
    def source(self) -> Source:
        """Where its runs were found."""
        return source.load(self.results, self.profile)


def parse(text: str, results: Path) -> Selector:
    """`[FOLDER@]PROFILE[:KEY=VALUE,...]`"""
    folder, at, rest = text.rpartition("@")
    profile, _, filters = rest.partition(":")
    wanted: dict[str, str] = {}
    for part in filter(None, filters.split(",")):
        key, equals, value = part.partition("=")
        if not equals or not key or not value:
            raise UserError(f"'{part}' in '{text}' is not KEY=VALUE; a set of runs is PROFILE or PROFILE:KEY=VALUE,...")
        wanted[key] = value
    if not profile:
        raise UserError(f"'{text}' names no profile; a set of runs is [FOLDER@]PROFILE[:KEY=VALUE,...].")
    if at and not Path(folder).is_dir():
        raise UserError(f"'{text}': there is no results folder '{folder}'.")
    selector = Selector(text, Path(folder) if at else results, profile, wanted)
    if at and selector.source.committed and not runs_dir(selector.results, profile).is_dir():
        raise UserError(f"'{text}': the results folder '{folder}' has no runs of profile '{profile}'.")
    return selector


def read(selector: Selector) -> pd.DataFrame:
    """The finished runs of the set, one column more a setting (`set_epochs`, ...)."""
    runs = selector.source.runs  # without those on random data
    runs = runs[runs["status"] == "COMPLETED"] if len(runs) else runs
    settings = pd.DataFrame([recorded_settings(text) for text in runs["settings"]], index=runs.index).add_prefix("set_")
    runs = pd.concat([runs, settings], axis=1)
    for key, value in selector.wanted.items():
        column = key if key in runs.columns and not key.startswith("set_") else f"set_{key}"
        if column not in runs.columns and key not in Settings.__dataclass_fields__:
            raise UserError(f"'{key}' in '{selector.text}' is neither a column of a run nor a setting.")
        if column in runs.columns:
            runs = runs[[_same(v, value) for v in runs[column]]]
    if runs.empty:
        raise UserError(
            f"'{selector.text}' has no finished run in {selector.results}; `dgpexp status` shows what there is."
        )
    return runs


def _same(actual: Any, wanted: str) -> bool:
    """As numbers if both are (1e-5 is 0.00001), else as text."""
    if isinstance(actual, bool | np.bool_):
        return str(actual).lower() == wanted.lower()
    try:
        return math.isclose(float(actual), float(wanted), rel_tol=1e-12)
    except (TypeError, ValueError):
        return str(actual) == wanted


@dataclass(frozen=True)
class Difference:
    """B - A in one cell: its mean over the pairs, a 95 % interval, and the signed-rank test after Holm."""

    metric: str
    cell: str
    dataset: str  # empty where A and B are of two data sets
    n: int
    mean_a: float
    mean_b: float
    difference: float
    low: float | None
    high: float | None
    p: float | None
    over_points: bool = False  # the interval of a single pair, over its test points
    of_classes: bool = False
    adjusted: float | None = None

    @property
    def family(self) -> str:
        """Of the differences that stand in one table: the log density of a number is no log probability of a class."""
        shared = len(METRICS[self.metric].tasks) > 1
        return f"{self.metric} of classes" if shared and self.of_classes else self.metric

    @property
    def title(self) -> str:
        """Over that table."""
        return self.family.replace(self.metric, METRICS[self.metric].label)

    @property
    def better(self) -> str:
        """Who is better, where the interval says so: A, B, or nobody."""
        if self.low is None or self.high is None or self.over_points or self.low <= 0 <= self.high:
            return ""
        return "B" if self.gain > 0 else "A"

    @property
    def gain(self) -> float:
        """By how much B is better than A, in the mean."""
        metric = METRICS[self.metric]
        return metric.loss(self.mean_a) - metric.loss(self.mean_b)

    def printed(self) -> tuple[str, ...]:
        """The row of a table under `HEAD`."""
        metric = METRICS[self.metric]
        half = None if self.high is None else self.high - self.difference
        digits = 1 + metric.decimals([self.mean_a], [half])

        def shown(value: float | None) -> str:
            return "" if value is None else fixed(metric.scale * value, digits)

        interval = "" if self.low is None else f"{shown(self.low)} to {shown(self.high)}"
        interval += " (points)" if self.over_points else ""
        p = "" if self.adjusted is None else f"{self.adjusted:.3g}"
        numbers = (shown(v) for v in (self.mean_a, self.mean_b, self.difference))
        return (self.cell, str(self.n), *numbers, interval, p, self.better)


@dataclass(frozen=True)
class OverDatasets:
    """On how many data sets A and B are ahead, and the sign test of it.

    A data set counts once, by the mean over the pairs of all its cells (depths, methods), because they share its rows:
    a cell of one split does not outweigh one of twenty. Signs are tested, not sizes: a nat on one data set is not a
    nat on another.
    """

    a_ahead: int
    b_ahead: int
    p: float

    def sentence(self) -> str:
        total = self.a_ahead + self.b_ahead
        return f"Of {total} data sets A is ahead on {self.a_ahead}, B on {self.b_ahead} (sign test: p = {self.p:.2g})."


def over_datasets(found: list[Difference]) -> dict[str, OverDatasets]:
    """The data sets counted, by family; nothing for a family that has too few of them for a test."""
    counted = {}
    for family in dict.fromkeys(d.family for d in found):
        gains: dict[str, float] = {}
        for d in found:
            if d.family == family and d.dataset:
                gains[d.dataset] = gains.get(d.dataset, 0.0) + d.n * d.gain
        signs = [np.sign(gain) for gain in gains.values()]
        a_ahead, b_ahead = signs.count(-1), signs.count(1)
        p = sign_test(a_ahead, b_ahead)
        if p is not None:
            counted[family] = OverDatasets(a_ahead, b_ahead, p)
    return counted


def compare(a: Selector, b: Selector, metrics: tuple[str, ...]) -> list[Difference]:
    """Every cell that both sets have, metric by metric, numbers before classes."""
    freed = {k for k in a.wanted if k in b.wanted and a.wanted[k] != b.wanted[k]}
    keys = [k for k in PAIRED_BY if k not in freed]
    read_a, read_b = (_without_idle_samples(read(s)) for s in (a, b))
    if SAMPLES not in freed and any(runs.duplicated(keys).any() for runs in (read_a, read_b)):
        keys.append(SAMPLES)
    both = _paired(_unique(read_a, keys, a), _unique(read_b, keys, b))
    if both.empty:
        raise UserError(f"'{a.text}' and '{b.text}' share no {' and '.join(keys)}: nothing can be paired.")
    cell_keys = [k for k in keys if k != "split"]
    found: list[Difference] = []
    for metric in metrics:
        pairs = both.dropna(subset=[f"{metric}_a", f"{metric}_b"])
        every = [
            _difference(metric, dict(zip(cell_keys, names, strict=True)), rows)
            for names, rows in pairs.groupby(level=cell_keys)
        ]
        for of_classes in (False, True):
            found += _corrected([d for d in every if d.of_classes is of_classes])
    return found


def _without_idle_samples(runs: pd.DataFrame) -> pd.DataFrame:
    """Where nothing is sampled, the model is the same whatever its S is set to."""
    return runs.assign(**{SAMPLES: runs[SAMPLES].where(runs["method"].isin(SAMPLING), 0).fillna(0).astype(int)})


def _unique(runs: pd.DataFrame, keys: list[str], selector: Selector) -> pd.DataFrame:
    """One run per key; two runs of one key are refused, and told apart."""
    twice = runs[runs.duplicated(keys, keep=False)]
    if len(twice):
        first = twice.iloc[0]
        same = twice[(twice[keys] == first[keys]).all(axis=1)]
        settings = [c for c in same.columns if c.startswith("set_") and same[c].astype(str).nunique() > 1]
        differ = [c.removeprefix("set_") for c in settings] or ["run_id"]
        example = (
            f"{selector.text}{',' if selector.wanted else ':'}{differ[0]}={same.iloc[0].get('set_' + differ[0], '...')}"
        )
        raise UserError(
            f"'{selector.text}' has {len(same)} runs of {_label(first[keys].to_dict())} that differ in "
            f"{', '.join(differ)}; narrow it, e.g. '{example}'."
        )
    return runs.set_index(keys)


def _paired(runs_a: pd.DataFrame, runs_b: pd.DataFrame) -> pd.DataFrame:
    """The runs of both sets by key; a set that samples nothing (AEP) is paired with every S of the other."""
    keys = list(runs_a.index.names)
    left, right = runs_a.add_suffix("_a").reset_index(), runs_b.add_suffix("_b").reset_index()
    if SAMPLES in keys and (left[SAMPLES].any() != right[SAMPLES].any()):
        left, right = (r if r[SAMPLES].any() else r.drop(columns=SAMPLES) for r in (left, right))
    return left.merge(right, on=[k for k in keys if k in left and k in right]).set_index(keys)


def _label(key: dict[Any, Any]) -> str:
    samples = f" S={key['train_samples']}" if key.get("train_samples") else ""
    words = [str(key[k]) for k in ("dataset", "method", "layers") if k in key]
    return "-".join(words) + samples + (f" split {key['split']}" if "split" in key else "")


def _difference(metric: str, key: dict[Any, Any], rows: pd.DataFrame) -> Difference:
    a, b = (rows[f"{metric}_{side}"].to_numpy(float) for side in "ab")
    d = b - a
    interval, of_points = t_interval(d), _interval_over_points(metric, rows)
    low, high = interval or of_points or (None, None)
    means = float(a.mean()), float(b.mean()), summarise(d).mean
    cell = metric, _label(key), key.get("dataset", ""), len(d)
    over_points = not interval and of_points is not None
    of_classes = bool(rows[f"{CLASSIFICATION.headline[1]}_a"].notna().any())
    return Difference(*cell, *means, low, high, signed_rank(d), over_points, of_classes)


def _interval_over_points(metric: str, rows: pd.DataFrame) -> tuple[float, float] | None:
    """Of a single pair: its difference -/+ 1.96 standard errors, as if the two models had been tested on other points.

    Both were tested on the same points: Var[b - a] = Var[a] + Var[b] - 2 Cov[a, b], and the last term is left out. So
    the interval is too wide where the two find the same points hard, as models of the same data mostly do.
    """
    stderr = METRICS[metric].stderr
    if len(rows) != 1 or not stderr:
        return None
    pair = rows.iloc[0]
    half = 1.96 * math.hypot(*(pair[f"{stderr}_{side}"] for side in "ab"))
    difference = pair[f"{metric}_b"] - pair[f"{metric}_a"]
    return None if math.isnan(half) else (float(difference - half), float(difference + half))


def _corrected(family: list[Difference]) -> list[Difference]:
    tested = [i for i, d in enumerate(family) if d.p is not None]
    adjusted = dict(zip(tested, holm([family[i].p or 0.0 for i in tested]), strict=True))
    return [Difference(**{**d.__dict__, "adjusted": adjusted.get(i)}) for i, d in enumerate(family)]

"""Two sets of runs, paired run by run: `dgpexp compare A B`.

A set is written `[FOLDER@]PROFILE[:KEY=VALUE[,KEY=VALUE...]]`: the runs of a profile (in the results folder FOLDER,
else in --results) that have these values. KEY is a column of a run (dataset, method, layers, split, precision, ...) or
a setting (epochs, inner_noise, ...). A run of A is paired with the run of B of the same data set, method, depth and
split, and of the same S where a set has several; what both sets fix at different values (`thesis:method=vi` against
`thesis:method=aep`) is not asked to agree.

The interval and the test are those of statistics/paired.py, and Holm's correction runs over the cells of a metric. A
single pair has an interval for `ll` over its test points, marked as such: it says how much other points would change
the difference of these two models, not how much other models would, so it names no winner. Settings in which a pair
differs besides what was asked for are named, and no winner is called across them.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from dgpexp.config import Settings
from dgpexp.errors import UserError
from dgpexp.methods import SAMPLING
from dgpexp.predictive.metrics import METRICS
from dgpexp.report import source
from dgpexp.report.comparable import brought, share_tested
from dgpexp.report.source import Source
from dgpexp.report.statistics.paired import Difference, corrected, paired
from dgpexp.report.statistics.stats import sign_test
from dgpexp.store.stored_run import runs_dir
from dgpexp.store.tidy_table import recorded_settings
from dgpexp.tasks import CLASSIFICATION

PAIRED_BY = ("dataset", "method", "layers", "split")
SAMPLES = "train_samples"
_BRINGING = ("profile", "method", "dataset")
HEAD = ("cell", "pairs", "A", "B", "B - A", "95 % interval", "p (Holm)", "better")


@dataclass(frozen=True)
class Selector:
    """One set of runs, as written and as understood."""

    text: str
    results: Path
    profile: str
    wanted: dict[str, str]
    tags: tuple[str, ...] = ()  # that its runs must have

    @cached_property
    def source(self) -> Source:
        """Where its runs were found."""
        return source.load(self.results, self.profile, self.tags)


def parse(text: str, results: Path, tags: tuple[str, ...] = ()) -> Selector:
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
    selector = Selector(text, Path(folder) if at else results, profile, wanted, tags)
    if at and selector.source.committed and not runs_dir(selector.results, profile).is_dir():
        raise UserError(f"'{text}': the results folder '{folder}' has no runs of profile '{profile}'.")
    return selector


def read(selector: Selector) -> pd.DataFrame:
    """The finished runs of the set, with a column for each setting (`set_epochs`, ...)."""
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
class Comparison:
    """B - A in every cell that both have, metric by metric; and the settings that differ besides what was asked for."""

    differences: list[Difference]
    confounds: dict[str, str]  # setting -> its values in A and B


def title(d: Difference) -> str:
    """Over the table of a family."""
    metric = METRICS[d.metric]
    what = d.family.replace(d.metric, metric.label)
    return what if metric.nominal is None else f"{what}, distance from {100 * metric.nominal:g} %"


def printed(d: Difference) -> tuple[str, ...]:
    """The row of a table under `HEAD`."""
    p = "" if d.adjusted is None else f"{d.adjusted:.3g}"
    numbers = (d.shown(v) for v in (d.mean_second, d.mean_first, d.difference))
    return (d.cell, str(d.n), *numbers, d.interval, p, d.better)


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


def compare(a: Selector, b: Selector, metrics: tuple[str, ...], confounded: bool = False) -> Comparison:
    """Every cell that both sets have, numbers before classes. `confounded`: name winners whatever else differs."""
    freed = {k for k in a.wanted if k in b.wanted and a.wanted[k] != b.wanted[k]}
    keys = [k for k in PAIRED_BY if k not in freed]
    read_a, read_b = (_without_idle_samples(read(s)) for s in (a, b))
    if SAMPLES not in freed and any(runs.duplicated(keys).any() for runs in (read_a, read_b)):
        keys.append(SAMPLES)
    both = _paired(_unique(read_a, keys, a), _unique(read_b, keys, b)).copy()
    if both.empty:
        raise UserError(f"'{a.text}' and '{b.text}' share no {' and '.join(keys)}: nothing can be paired.")
    confounds = [_confounds(pair, freed) for pair in both.reset_index().to_dict("records")]
    both = both.assign(confounds=pd.Series(confounds, both.index, dtype=object))
    cell_keys = [k for k in keys if k != "split"]
    found: list[Difference] = []
    for metric in metrics:
        pairs = both.dropna(subset=[f"{metric}_a", f"{metric}_b"])
        every = [
            _difference(metric, dict(zip(cell_keys, names, strict=True)), rows, confounded)
            for names, rows in pairs.groupby(level=cell_keys)
        ]
        for of_classes in (False, True):
            found += corrected(d for d in every if d.of_classes is of_classes)
    settings = sorted({name for names in both["confounds"] for name in names})
    return Comparison(found, {name: _values(both, name) for name in settings})


def _confounds(pair: dict[Any, Any], freed: set[str]) -> tuple[str, ...]:
    """The settings in which the two runs of a pair differ, besides what was asked for.

    Asked for is what both sets fix at different values; if they fix nothing so, the profiles themselves, whatever they
    are made of. A method or a data set brings the settings that its protocol gives it, and an experiment those that its
    name carries (`uci+cooldown=0.5`).
    """
    if not freed:
        return ()
    excused = set(freed)
    for side in "ab":
        experiment, *of_runs = (str(pair.get(f"{k}_{side}", pair.get(k))) for k in ("experiment", *_BRINGING))
        if "experiment" in freed:
            excused |= {part.partition("=")[0] for part in experiment.split("+")[1:]}
        if freed & set(_BRINGING):
            excused |= brought(experiment, *of_runs)
    names = [k.removeprefix("set_").removesuffix("_a") for k in pair if str(k).startswith("set_") and k.endswith("_a")]
    differ = (n for n in names if str(pair[f"set_{n}_a"]) != str(pair.get(f"set_{n}_b")))
    return tuple(sorted(n for n in differ if n not in excused))


def _values(both: pd.DataFrame, name: str) -> str:
    """`1500, 6000`: what A and what B have."""
    a, b = (sorted(set(both[f"set_{name}_{side}"].astype(str))) for side in "ab")
    return f"{' or '.join(a)}, {' or '.join(b)}"


def _without_idle_samples(runs: pd.DataFrame) -> pd.DataFrame:
    """Where nothing is sampled, the model is the same whatever its S is set to."""
    return runs.assign(**{SAMPLES: runs[SAMPLES].where(runs["method"].isin(SAMPLING), 0).fillna(0).astype(int)})


def _unique(runs: pd.DataFrame, keys: list[str], selector: Selector) -> pd.DataFrame:
    """One run per key; two runs of one key are refused with the settings in which they differ."""
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


def _difference(metric: str, key: dict[Any, Any], rows: pd.DataFrame, confounded: bool) -> Difference:
    a, b = (rows[f"{metric}_{side}"].to_numpy(float) for side in "ab")
    splits = zip(_column(rows, "dataset"), rows["set_split_list_a"], strict=True)
    share = max(share_tested(str(dataset), str(wanted)) for dataset, wanted in splits)
    found = paired(metric, b, a, share, key.get("dataset", ""), _label(key), ("B", "A"))
    of_classes = bool(rows[f"{CLASSIFICATION.headline[1]}_a"].notna().any())
    confounds = () if confounded else tuple(sorted({name for names in rows["confounds"] for name in names}))
    found = replace(found, of_classes=of_classes, confounds=confounds)
    if of_points := _interval_over_points(metric, rows):
        found = replace(found, low=of_points[0], high=of_points[1], over_points=True)
    return found


def _column(rows: pd.DataFrame, name: str) -> Any:
    """A column of the runs of A, whether it is part of the pairing or not."""
    return rows.index.get_level_values(name) if name in rows.index.names else rows[f"{name}_a"]


def _interval_over_points(metric: str, rows: pd.DataFrame) -> tuple[float, float] | None:
    """For a single pair: its difference -/+ 1.96 standard errors, as if the two models had been tested on other points.

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

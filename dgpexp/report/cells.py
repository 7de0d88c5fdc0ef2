"""From one row per run to one cell per table entry: ours, the published value, and what the two say of each other."""

import math
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
from numpy.typing import ArrayLike

from dgpexp.methods import SAMPLING, method_name
from dgpexp.predictive.metrics import METRICS
from dgpexp.report import comparable
from dgpexp.report.published import Key, Published
from dgpexp.report.statistics.stats import Average, average
from dgpexp.tasks import CLASSIFICATION, REGRESSION, Task

JUDGED_AT = 3.0  # combined standard errors
RECIPE = "lean"  # the profile of our own whose table is complete
FULL = ("thesis", RECIPE)  # those whose runs are long enough to be set beside the thesis's
MINIATURE = "quick"  # the profile that shows everything in minutes; its numbers are never judged


Entry = tuple[str, str, int, int | None]  # of a table: data set, method, depth, and S where a table distinguishes it


@dataclass(frozen=True)
class Group:
    """All finished runs of one configuration that belong into the same table entry."""

    dataset: str
    method: str
    layers: int
    samples: int | None
    section: str
    runs: pd.DataFrame = field(repr=False, compare=False)  # finished, one row per split
    unfinished: Counter[str] = field(default_factory=Counter, compare=False)  # status -> runs
    elsewhere: int = 0  # finished runs of the same entry with other settings
    deviations: tuple[str, ...] = ()
    random: bool = False  # made with --synthetic-shape: only the seconds mean anything
    planned: bool = True  # whether the profile has these settings today

    @property
    def key(self) -> Entry:
        return self.dataset, self.method, self.layers, self.samples

    @property
    def task(self) -> Task:
        """The one whose headline its runs have."""
        own = CLASSIFICATION.headline[1]
        return CLASSIFICATION if own in self.runs and self.runs[own].notna().any() else REGRESSION

    def values(self, metric: str) -> pd.Series:
        """One for each run that has it. What is watched was measured of every run: where it is missing, it was not
        finite, which JSON cannot keep, and counts as the worst there is."""
        values = self.runs[metric].astype(float) if metric in self.runs else pd.Series(dtype=float)
        if metric in self.task.headline and values.notna().any():
            values = values.fillna(-math.inf if METRICS[metric].higher_is_better else math.inf)
        return values.dropna()

    @property
    def anchor(self) -> str:
        samples = f"-{self.samples}" if self.samples else ""
        return f"cell-{self.dataset}-{self.method}-{self.layers}{samples}{'-random' if self.random else ''}"


@dataclass(frozen=True)
class Cell:
    """One number of a table beside the thesis's, and what the two say of each other; `note` says why in words.

    The verdict is "agree" (within 3 combined standard errors) or "differ"; not judged are "partial" (splits are still
    to be run), "not comparable" (another protocol, other rows, an illegible print, or no standard error), "ours only"
    (nothing is printed) and "empty" (no finished run).
    """

    dataset: str
    method: str
    layers: int
    samples: int | None
    metric: str
    n: int = 0
    expected: int = 0
    mean: float = math.nan
    stderr: float | None = None
    published: Published | None = None
    difference: float | None = None  # ours - published, in combined standard errors
    verdict: str = "empty"
    note: str = ""
    anchor: str = ""
    planned: bool = True  # its settings are those that the profile has today

    @property
    def treatment(self) -> str:
        return called(self.method, self.samples)

    @property
    def worse(self) -> bool | None:
        """Are we on the wrong side of the published value?"""
        if self.published is None or self.n == 0:
            return None
        metric = METRICS[self.metric]
        return metric.loss(self.mean) > metric.loss(self.published.mean)

    @property
    def regression(self) -> bool:
        """All splits done, comparable, and more than 3 combined standard errors on the wrong side."""
        return self.verdict == "differ" and bool(self.worse)


Groups = dict[Entry, Group]


def called(method: str, samples: int | None = None) -> str:
    """`AEPMCM-10`: a method with the S of its training, where a table distinguishes it."""
    return method_name(method) + (f"-{samples}" if samples else "")


def group(frame: pd.DataFrame, random: bool = False) -> Groups:
    """The runs of every table entry, one configuration each; all of them on the data itself, or all on random numbers.

    A profile may hold runs of one entry with several settings (`--set precision=mixed`); averaging over them would
    mean nothing. The entry shows those of the protocol as it stands; else the ones that follow the thesis most, then
    the ones with most splits. The others are counted and left to `dgpexp compare`.
    """
    groups: Groups = {}
    if len(frame):  # a torn run may not even know its cell
        frame = frame[frame["layers"].notna() & frame["split"].notna() & (frame["dataset"].fillna("") != "")]
    if frame.empty:
        return groups
    frame = frame.assign(
        section=[comparable.kind(d, e) for d, e in zip(frame["dataset"], frame["experiment"].fillna(""), strict=True)],
        settings=frame["settings"].fillna("").astype(str),
        layers=frame["layers"].astype(int),
    )
    sampled = (frame["section"] == "big") & frame["method"].isin(SAMPLING)
    frame["samples"] = frame["train_samples"].where(sampled, 0).fillna(0).astype(int)
    entries: Any = frame.groupby(["dataset", "method", "layers", "samples", "section"], sort=True)
    for (dataset, method, layers, samples, section), rows in entries:
        done = rows[rows["status"] == "COMPLETED"]
        candidates = []
        for settings, same in done.groupby("settings", sort=True):
            away = comparable.deviations(dataset, method, section, settings)
            labels = set(zip(same["profile"].astype(str), same["experiment"].astype(str), strict=True))
            planned = all(comparable.as_planned(*label, dataset, method, settings) for label in labels)
            candidates.append((planned, away, same.drop_duplicates("split").sort_values("split")))
        best = max(candidates, key=lambda c: (c[0], -len(c[1]), len(c[2])), default=(True, (), done))
        planned, away, chosen = best
        if (rows["profile"] == MINIATURE).any():
            away = (f"the {MINIATURE} profile is a miniature", *away)
        unfinished = Counter(rows.loc[rows["status"] != "COMPLETED", "status"].astype(str))
        elsewhere = len(done) - len(chosen)
        entry = (dataset, method, int(layers), int(samples) or None)
        groups[entry] = Group(*entry, section, chosen, unfinished, elsewhere, away, random, planned)
    return groups


def averaged(entry: Entry, metric: str, values: ArrayLike, note: str = "", printed: Published | None = None) -> Cell:
    """One number of a table that is not judged: the mean of values, whatever the protocol says."""
    s = average(values)
    verdict = "empty" if not s.n else "not comparable" if printed else "ours only"
    anchor = f"cell-{entry[0]}-{entry[1]}-{entry[2]}"
    return Cell(*entry, metric, s.n, s.n, s.mean, s.stderr, printed, None, verdict, note, anchor)


def cell(entry: Entry, metric: str, groups: Groups, published: dict[Key, Published]) -> Cell:
    """One number of a table, judged."""
    dataset, found, printed = entry[0], groups.get(entry), published.get((*entry, metric))
    section = found.section if found else comparable.kind(dataset)
    expected = comparable.splits(section, dataset)
    blank = Cell(*entry, metric, expected=expected, published=printed, anchor=found.anchor if found else "")
    if found is None or (values := found.values(metric)).empty:
        note = comparable.why_empty(dataset)
        if found is not None and len(found.runs):
            note = "its finished runs were made before this was measured"
        elif found is not None and found.unfinished:
            note = "no finished run yet: " + ", ".join(f"{n} {s.lower()}" for s, n in sorted(found.unfinished.items()))
        return replace(blank, note=note)
    s = average(values.tolist())
    difference = _distance(s, printed)
    verdict, note = _judge(found, metric, s, expected, printed, difference)
    notes = [note] if note else []
    if infinite := sum(map(math.isinf, values)):
        notes.append("infinite in " + (f"{infinite} of {s.n} runs" if s.n > 1 else "its run"))
    planned = found.planned or found.random
    if not planned:
        notes.append("with settings that the profile has no more, or never had")
    if found.elsewhere:
        notes.append(f"{found.elsewhere} more finished with other settings, not counted here")
    return replace(
        blank, n=s.n, mean=s.mean, stderr=s.stderr, difference=difference, verdict=verdict, note="; ".join(notes),
        planned=planned,
    )  # fmt: skip


def _distance(ours: Average, printed: Published | None) -> float | None:
    """(ours - published) / sqrt(variance of both). A value printed without an error is one run of the thesis, and one
    run scatters like one of ours: its variance is that of a single run, not of our mean."""
    if printed is None or ours.stderr is None or ours.deviation is None:
        return None
    rounding = printed.resolution**2 / 12
    theirs = printed.variance if printed.stderr is not None else ours.deviation**2 + rounding
    return (ours.mean - printed.mean) / math.sqrt(ours.stderr**2 + theirs)


def _judge(
    found: Group, metric: str, ours: Average, expected: int, printed: Published | None, difference: float | None
) -> tuple[str, str]:
    """The verdict and its reason; the order is the order of what a reader must know first."""
    n = ours.n
    if found.random:
        return "not comparable", comparable.on_random_numbers(found.dataset)
    if printed is None:
        return "ours only", f"{n} of {expected} splits" if n < expected else ""
    if metric == "seconds_per_step":
        return "not comparable", "another machine: compare the ratios between methods"
    if remark := comparable.remark(found.dataset):
        return "not comparable", remark
    if found.deviations:
        return "not comparable", "shortened or changed protocol: " + ", ".join(found.deviations)
    if not printed.legible:
        return "not comparable", "the printed value is ambiguous in the scan: shown, never judged"
    if n < expected:
        return "partial", f"{n} of {expected} splits so far"
    if math.isinf(ours.mean):
        return "differ", ""
    if difference is None:
        return "not comparable", "one run here and one in the thesis: no standard error to judge by"
    return ("agree" if abs(difference) <= JUDGED_AT else "differ"), ""

"""What models reached on the splits of a table, side by side: for the terminal and for the page."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dgpexp.numerals import fixed, with_error
from dgpexp.predictive.metrics import METRICS, OWN, Metric, headline
from dgpexp.report.comparable import share_tested
from dgpexp.report.statistics.paired import Difference, corrected, paired
from dgpexp.report.statistics.stats import average
from dgpexp.tables.simple_models import Numbers
from dgpexp.tasks import Task


@dataclass(frozen=True)
class Model:
    """A line of the table: a name, and the numbers of every split that is complete."""

    name: str
    numbers: Mapping[int, Numbers]
    key: str = ""  # of the method; none of a simple model
    note: str = ""  # what tells it from others of its name
    unfinished: str = ""  # how many runs of it are not complete, and why
    several: float | None = None  # the share of test rows for which it sees several answers, if that was asked

    @property
    def n(self) -> int:
        return len(self.numbers)

    def values(self, metric: Metric) -> list[float]:
        return [numbers[metric.key] for numbers in self.numbers.values() if metric.key in numbers]


def shown(task: Task) -> list[Metric]:
    """The columns of the table."""
    return [metric for metric in METRICS.values() if OWN in metric.shown and task in metric.tasks]


def heading(metric: Metric) -> str:
    return metric.brief + (f", {metric.unit}" if metric.unit else "")


def cells(models: Sequence[Model], metrics: Iterable[Metric]) -> list[list[str]]:
    """Mean (standard error) of every model, in three digits or what the errors allow: [models][metrics]."""
    columns = []
    for metric in metrics:
        scaled = [average([metric.scale * v for v in model.values(metric)]) for model in models]
        decimals = _decimals([s.mean for s in scaled], [s.stderr for s in scaled])
        columns.append([with_error(s.mean, s.stderr, decimals) for s in scaled])
    return [list(line) for line in zip(*columns, strict=True)]


def _decimals(means: Sequence[float], errors: Sequence[float | None]) -> int:
    """Two digits of the usual error; without errors, three of the usual mean."""
    known = sorted(e for e in errors if e and math.isfinite(e))
    sizes = sorted(abs(m) for m in means if m and math.isfinite(m))
    digits, middle = (1, known[len(known) // 2]) if known else (2, sizes[len(sizes) // 2] if sizes else 1.0)
    return min(6, max(0, digits - math.floor(math.log10(middle))))


def apart(d: Difference) -> str:
    """A difference with its interval, as short as the interval allows: −13 (−29 to 3)."""
    scale = METRICS[d.metric].scale
    half = None if d.high is None else scale * (d.high - d.difference)
    decimals = _decimals([scale * d.difference], [half])
    low, high = (None if end is None else fixed(scale * end, decimals) for end in (d.low, d.high))
    return fixed(scale * d.difference, decimals) + (f" ({low} to {high})" if low else "")


def lines(models: Sequence[Model], task: Task) -> list[str]:
    """The table as text; a model that lacks splits says so."""
    metrics, most = shown(task), max(model.n for model in models)
    names = [model.name + (f" [{model.n} of {most} splits]" if model.n < most else "") for model in models]
    rows = [["", *(heading(metric) for metric in metrics)]]
    rows += [[name, *line] for name, line in zip(names, cells(models, metrics), strict=True)]
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    texts = [[row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))] for row in rows]
    return ["  " + "   ".join(text).rstrip() for text in texts]


def verdict(models: Sequence[Model], task: Task) -> str:
    """Who wins, by how much, how many intervals held, and whether there are several answers: in plain words.

    The winner has the best mean of what the task watches first. Its distance from the next is paired by splits, and
    certain if it is beyond two standard errors.
    """
    metric = METRICS[task.headline[0]]
    ranked = sorted((m for m in models if m.values(metric)), key=lambda m: metric.loss(average(m.values(metric)).mean))
    if not ranked:
        return ""
    first = ranked[0]
    held = first.values(METRICS["coverage90"]) if "coverage90" in first.numbers[min(first.numbers)] else []
    found = f"{first.name}{',' if ', ' in first.name else ''} predicts best"
    others = [m for m in ranked[1:] if first.numbers.keys() & m.numbers.keys()]
    if others:
        both = [s for s in first.numbers if s in others[0].numbers]
        apart = average([first.numbers[s][metric.key] - others[0].numbers[s][metric.key] for s in both])
        sure = apart.stderr is not None and abs(apart.mean) > 2 * apart.stderr
        found += f", {abs(apart.mean):.2f} nats a row ahead of {others[0].name}" + ("" if sure else " (within chance)")
    of_all = f"; {100 * average(held).mean:.0f} of 100 of its 90 % intervals held" if held else ""
    text = f"{found}{of_all}."
    return f"{text[0].upper()}{text[1:]}{_answers(models)}"


def _answers(models: Sequence[Model]) -> str:
    """Whether the best of the models that can tell sees several answers somewhere."""
    asked = [model for model in models if model.several is not None]
    if not asked:
        return ""
    best = max(asked, key=lambda model: average(model.values(METRICS["ll"])).mean)
    rows = round(100 * (best.several or 0.0))
    seen = f"two or more answers for {rows} of 100 rows" if rows else "one answer for every row"
    return f" {best.name} sees {seen}."


def differences(ours: Model, others: Sequence[Model], task: Task) -> list[Difference]:
    """Ours less each of the others in what is watched, paired by splits: a split that is hard is hard for both."""
    found = []
    for key in headline(task):
        family = []
        for other in others:
            both = [s for s in ours.numbers if key in ours.numbers[s] and key in other.numbers.get(s, {})]
            if both:
                mine, theirs = ([model.numbers[s][key] for s in both] for model in (ours, other))
                family.append(paired(key, mine, theirs, share_tested(""), names=(ours.name, other.name)))
        found += corrected(family)
    return found

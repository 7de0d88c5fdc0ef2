"""What models reached on the splits of a table, side by side: for the terminal and for the page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dgpexp.numerals import fixed, with_error
from dgpexp.predictive.metrics import METRICS, OWN, Metric, headline
from dgpexp.report.statistics.stats import summarise, t_interval
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

    @property
    def n(self) -> int:
        return len(self.numbers)

    def values(self, metric: Metric) -> list[float]:
        return [numbers[metric.key] for numbers in self.numbers.values() if metric.key in numbers]


@dataclass(frozen=True)
class Difference:
    """Ours minus another model's, of one metric, over the splits that both have."""

    metric: Metric
    n: int
    mean: str
    interval: str  # of 95 %, empty for one split
    better: str  # "ours", "theirs", or "cannot be told apart"


def shown(task: Task) -> list[Metric]:
    """The columns of the table."""
    return [metric for metric in METRICS.values() if OWN in metric.shown and task in metric.tasks]


def heading(metric: Metric) -> str:
    return metric.brief + (f", {metric.unit}" if metric.unit else "")


def cells(models: Sequence[Model], metrics: Iterable[Metric]) -> list[list[str]]:
    """Mean (standard error) of every model, in as many decimals as the column needs: [models][metrics]."""
    columns = []
    for metric in metrics:
        plain = [summarise(model.values(metric)) for model in models]
        decimals = metric.decimals([s.mean for s in plain], [s.stderr for s in plain])
        scaled = [summarise([metric.scale * v for v in model.values(metric)]) for model in models]
        columns.append([with_error(s.mean, s.stderr, decimals) for s in scaled])
    return [list(line) for line in zip(*columns, strict=True)]


def lines(models: Sequence[Model], task: Task) -> list[str]:
    """The table as text; a model that lacks splits says so."""
    metrics, most = shown(task), max(model.n for model in models)
    names = [model.name + (f" [{model.n} of {most} splits]" if model.n < most else "") for model in models]
    rows = [["", *(heading(metric) for metric in metrics)]]
    rows += [[name, *line] for name, line in zip(names, cells(models, metrics), strict=True)]
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    texts = [[row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))] for row in rows]
    return ["  " + "   ".join(text).rstrip() for text in texts]


def differences(ours: Model, other: Model, task: Task) -> list[Difference]:
    """Of what is watched, paired by splits: a split that is hard is hard for both."""
    found = []
    for metric in (METRICS[key] for key in headline(task)):
        both = [s for s in ours.numbers if metric.key in ours.numbers[s] and metric.key in other.numbers.get(s, {})]
        if not both:
            continue
        each = [ours.numbers[s][metric.key] - other.numbers[s][metric.key] for s in both]
        plain = summarise(each)
        digits = metric.decimals([plain.mean], [plain.stderr])
        each = [metric.scale * v for v in each]
        s, interval = summarise(each), t_interval(each)
        better = "cannot be told apart"
        if interval and (interval[0] > 0 or interval[1] < 0):
            better = "ours" if (s.mean > 0) == metric.higher_is_better else "theirs"
        ends = f"{fixed(interval[0], digits)} to {fixed(interval[1], digits)}" if interval else ""
        found.append(Difference(metric, s.n, fixed(s.mean, digits), ends, better))
    return found

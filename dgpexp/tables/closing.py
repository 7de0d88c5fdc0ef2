"""The end of `dgpexp run csv`: its results beside simple models, where they are, and what to type next."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from dgpexp.config import RunSpec
from dgpexp.datasets import Dataset
from dgpexp.methods import AUTO, METHODS, method_name
from dgpexp.store.stored_run import COMPLETED, StoredRun, runs_dir
from dgpexp.tables import Say
from dgpexp.tables.combined import in_words
from dgpexp.tables.combining import mixture
from dgpexp.tables.gathered import OwnReport, several_answers
from dgpexp.tables.results import Model, lines, verdict
from dgpexp.tables.simple_models import Numbers, simple_models
from dgpexp.tasks import task_of


def closing_table(
    dataset: Dataset,
    specs: Iterable[RunSpec],
    results: Path,
    profile: str,
    say: Say,
    mixed: bool = False,
    against: Sequence[str] = (),
) -> list[str]:
    """The verdict, the table of all that is complete, with the mixture of it if that is wanted; the next commands."""
    found: dict[str, dict[int, StoredRun]] = {}
    final: dict[str, StoredRun] = {}
    every = list(specs)
    specs = [spec for spec in every if not spec.settings.all_rows]
    several = len({spec.settings.train_samples for spec in specs}) > 1  # --samples 5 --samples 10
    for spec in every:
        stored = StoredRun(runs_dir(results, profile) / spec.run_id)
        if stored.status == COMPLETED:
            name = f"{method_name(spec.method)} {spec.layers}"
            name += f", S = {spec.settings.train_samples}" if several and METHODS[spec.method].samples else ""
            if spec.settings.all_rows:
                final[name] = stored
            else:
                found.setdefault(name, {})[spec.split] = stored
    if not found:
        return []
    splits = sorted({split for runs in found.values() for split in runs})
    simple = simple_models(dataset, splits, results, say, against)
    numbers: dict[str, Mapping[int, Numbers]] = {
        name: {split: run.info["metrics"] for split, run in runs.items()} for name, runs in found.items()
    }
    auto = mixture(dataset, found, final, results, profile, say) if mixed else None
    every_one = ({AUTO: auto.numbers} if auto else {}) | numbers | simple
    models = [Model(*pair, several=several_answers(found.get(pair[0], {}).values())) for pair in every_one.items()]
    task = task_of(dataset.classes)
    head = title(dataset.target, dataset.name, dataset.rows, dataset.inputs, len(splits))
    words = [verdict(models, task), *([f"auto is {in_words(auto.weights)}."] if auto else [])]
    return [
        *words,
        "",
        head,
        "",
        *lines(models, task),
        "",
        *_next(dataset.name, results, profile, len(specs) < len(every)),
    ]


def opening_table(
    dataset: Dataset, specs: Iterable[RunSpec], results: Path, say: Say, against: Sequence[str] = ()
) -> list[str]:
    """What simple models reach, before any deep one is trained."""
    splits = sorted({spec.split for spec in specs if not spec.settings.all_rows})
    if not splits:
        return []
    models = [Model(*pair) for pair in simple_models(dataset, splits, results, say, against).items()]
    task = task_of(dataset.classes)
    return ["Without a deep model:", "", *lines(models, task), ""]


def summary(report: OwnReport) -> list[str]:
    """Summarise all configurations of a report."""
    models = report.named
    others = ["", f"Not shown, other tables: {', '.join(report.others)}."] if report.others else []
    most = max(model.n for model in models)
    head = title(report.target, report.table, report.train + report.test, report.inputs, most)
    return [verdict(models, report.task), "", head, "", *lines(models, report.task), *others]


def title(target: str, table: str, rows: int, inputs: int, splits: int) -> str:
    what = "one split" if splits == 1 else f"mean (standard error) over {splits} splits"
    return f"{target} of {table}, {rows} rows, {inputs} inputs: {what}"


def _next(table: str, results: Path, profile: str, final: bool) -> list[str]:
    commands = {f"dgpexp report {table}": "how far to believe it: pictures, on one page"}
    if final:
        commands[f"dgpexp predict {table} --input NEW.csv"] = "new rows, by the model of all rows"
    else:
        commands["the same without --splits"] = "also a model of all rows, for dgpexp predict"
    width = max(map(len, commands))
    where = f"The runs are in {runs_dir(results, profile)}. Next:"
    return [where, *(f"  {command.ljust(width)}   {what}" for command, what in commands.items())]

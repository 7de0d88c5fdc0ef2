"""The end of `dgpexp run csv`: its results beside simple models, where they are, and what to type next."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from dgpexp.config import RunSpec
from dgpexp.datasets import Dataset
from dgpexp.methods import METHODS, method_name
from dgpexp.store.stored_run import COMPLETED, StoredRun, runs_dir
from dgpexp.tables.gathered import OwnReport
from dgpexp.tables.results import Model, lines
from dgpexp.tables.simple_models import Numbers, simple_models
from dgpexp.tasks import task_of


def closing_table(
    dataset: Dataset, specs: Iterable[RunSpec], results: Path, profile: str, say: Callable[[str], None]
) -> list[str]:
    """The table of all that is complete, and the next commands."""
    found: dict[str, dict[int, Numbers]] = {}
    every = list(specs)
    specs = [spec for spec in every if not spec.settings.all_rows]
    several = len({spec.settings.train_samples for spec in specs}) > 1  # --samples 5 --samples 10
    for spec in specs:
        stored = StoredRun(runs_dir(results, profile) / spec.run_id)
        if stored.status == COMPLETED:
            name = f"{method_name(spec.method)} {spec.layers}"
            name += f", S = {spec.settings.train_samples}" if several and METHODS[spec.method].samples else ""
            found.setdefault(name, {})[spec.split] = stored.info["metrics"]
    if not found:
        return []
    splits = sorted({split for numbers in found.values() for split in numbers})
    models = [Model(*pair) for pair in (found | simple_models(dataset, splits, results, say)).items()]
    table = lines(models, task_of(dataset.classes))
    head = title(dataset.target, dataset.name, dataset.rows, dataset.inputs, len(splits))
    return [head, "", *table, "", *_next(dataset.name, results, profile, final=len(specs) < len(every))]


def summary(report: OwnReport) -> list[str]:
    """Summarise all configurations of a report."""
    models = [replace(m, name=f"{m.name}, {m.note}") for m in report.models] + [*report.simple]
    others = ["", f"Not shown, other tables: {', '.join(report.others)}."] if report.others else []
    most = max(model.n for model in models)
    head = title(report.target, report.table, report.train + report.test, report.inputs, most)
    return [head, "", *lines(models, report.task), *others]


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

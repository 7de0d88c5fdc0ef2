"""The end of `dgpexp run csv`: her results beside simple models, where they are, and what to type next."""

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from dgpexp.config import RunSpec
from dgpexp.datasets import Dataset, Split, load_split
from dgpexp.files import read_json, write_json
from dgpexp.methods import method_name
from dgpexp.numerals import with_error
from dgpexp.predictive.classes import Classes
from dgpexp.predictive.metrics import METRICS, OWN, Metric, rounding_step, score, summary
from dgpexp.predictive.mixture import Mixture
from dgpexp.report.statistics.stats import summarise
from dgpexp.store.stored_run import COMPLETED, StoredRun, runs_dir
from dgpexp.store.writable import writable
from dgpexp.tasks import task_of

Numbers = dict[str, float]  # metric -> value, of one split


def closing_table(
    dataset: Dataset, specs: Iterable[RunSpec], results: Path, profile: str, say: Callable[[str], None]
) -> list[str]:
    """The table of all that is complete, over the same splits for every model, and the next commands."""
    models: dict[str, dict[int, Numbers]] = {}
    for spec in specs:
        stored = StoredRun(runs_dir(results, profile) / spec.run_id)
        if stored.status == COMPLETED and not spec.settings.all_rows:
            name = f"{method_name(spec.method)} {spec.layers}"
            models.setdefault(name, {})[spec.split] = stored.info["metrics"]
    if not models:
        return []
    splits = sorted({split for numbers in models.values() for split in numbers})
    models |= baselines(dataset, splits, results, say)
    task = task_of(dataset.classes)
    metrics = [m for m in METRICS.values() if OWN in m.shown and task in m.tasks]
    what = "one split" if len(splits) == 1 else f"mean (standard error) over {len(splits)} splits"
    title = f"{dataset.target} of {dataset.name}, {dataset.rows} rows, {dataset.inputs} inputs: {what}"
    return [title, "", *_table(models, metrics), "", *_next(dataset, results, profile)]


def baselines(
    dataset: Dataset, splits: Iterable[int], results: Path, say: Callable[[str], None]
) -> dict[str, dict[int, Numbers]]:
    """What simple models reach on the same splits; computed once, then read."""
    path = results / "baselines" / f"{dataset.name}.json"
    kept = read_json(path) or {}
    wanted = _models(dataset)
    todo = [split for split in splits if any(str(split) not in kept.get(name, {}) for name in wanted)]
    if todo:
        say(f"Comparing with {' and '.join(wanted)} on {len(todo)} splits ...")
    for number in todo:
        split = load_split(dataset.name, number)
        for name, predict in wanted.items():
            scores = score(split.task, predict(split), split.y_test, rounding_step(split.y_test), full=True)
            kept.setdefault(name, {})[str(number)] = summary(split.task, [scores])
    if todo:
        with writable(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, kept)
    return {name: {split: kept[name][str(split)] for split in splits} for name in wanted}


def _models(dataset: Dataset) -> dict[str, Callable[[Split], Mixture | Classes]]:
    from dgpexp.reference import baselines as models

    if dataset.classes:
        labels = tuple(dataset.classes)

        def logistic(split: Split) -> Classes:
            return Classes(models.logistic(split.x_train, split.y_train[:, 0], split.x_test, len(labels)), labels)

        return {"logistic regression": logistic}

    def gaussian(model: Callable[..., tuple[np.ndarray, np.ndarray]]) -> Callable[[Split], Mixture]:
        def predict(split: Split) -> Mixture:
            mean, variance = model(split.x_train, split.y_train[:, 0], split.x_test)
            scale = float(np.squeeze(split.y_scaler.std))
            return Mixture(split.y_scaler.inverse(mean)[None], variance[None] * scale**2)

        return predict

    gp = "an exact GP" if dataset.rows <= models.MOST_ROWS else f"an exact GP of {models.MOST_ROWS} rows"
    return {gp: gaussian(models.exact_gp), "a linear model": gaussian(models.linear)}


def _table(models: dict[str, dict[int, Numbers]], metrics: list[Metric]) -> list[str]:
    """A line for each model, columns as wide as they need to be."""
    rows = [["", *(metric.brief for metric in metrics)]]
    columns = []
    for metric in metrics:
        found = [summarise([n[metric.key] for n in splits.values() if metric.key in n]) for splits in models.values()]
        decimals = metric.decimals([s.mean for s in found], [s.stderr for s in found])
        columns.append([with_error(s.mean, s.stderr, decimals) for s in found])
    rows += [[name, *cells] for name, cells in zip(models, zip(*columns, strict=True), strict=True)]
    widths = [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]
    lines = [[row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))] for row in rows]
    return ["  " + "   ".join(line).rstrip() for line in lines]


def _next(dataset: Dataset, results: Path, profile: str) -> list[str]:
    commands = {
        f"dgpexp predict {dataset.name} --input NEW.csv": "new rows, by the model of all rows",
        f"dgpexp plot {dataset.name}": "a picture of how far to believe it",
        f"dgpexp report --profile {profile}": "tables and figures on one page",
    }
    width = max(map(len, commands))
    where = f"The runs are in {runs_dir(results, profile)}. Next:"
    return [where, *(f"  {command.ljust(width)}   {what}" for command, what in commands.items())]

"""`auto` of `dgpexp run csv`: the finished runs on a table and the simple models, mixed by the splits' test rows."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dgpexp.datasets import Dataset, load_split
from dgpexp.datasets.large import is_large
from dgpexp.datasets.loading import DataChoice
from dgpexp.datasets.streaming import in_memory
from dgpexp.errors import UserError
from dgpexp.files import read_json, writable, write_atomically, write_json
from dgpexp.predictive.metrics import score, summary
from dgpexp.predictive.stack import HeldOut
from dgpexp.reference.baselines import candidates, learnt
from dgpexp.store.stored_run import StoredRun, load_model, runs_dir
from dgpexp.tables.combined import Combined, choose
from dgpexp.tables.simple_models import Numbers, simple_predictions
from dgpexp.tasks import LIKELIHOODS

Runs = Mapping[str, Mapping[int, StoredRun]]  # name -> split -> a complete run


@dataclass(frozen=True)
class Mixed:
    """What the mixture reached on each split, the weights of all candidates, and the model, if there is one."""

    numbers: Mapping[int, Numbers]
    weights: Mapping[str, float]
    model: Path | None
    info: Path | None = None  # a run that knows how the columns of the table are read


def _paths(results: Path, profile: str, table: str) -> tuple[Path, Path]:
    folder = results / "combined" / runs_dir(results, profile).name
    return folder / f"{table}.json", folder / f"{table}.npz"


def kept_mixture(results: Path, profile: str, table: str) -> Mixed | None:
    """The mixture that the last `dgpexp run csv` of this profile made; None if there is none, or it is damaged."""
    about, model = _paths(results, profile, table)
    kept = read_json(about)
    try:
        numbers = {int(k): {key: float(v) for key, v in found.items()} for k, found in kept["numbers"].items()}
        weights = {str(name): float(w) for name, w in kept["weights"].items()}
        info = runs_dir(results, profile) / kept["final"][0][0] if kept["final"] and model.is_file() else None
    except (AttributeError, KeyError, TypeError, ValueError):
        return None
    return Mixed(numbers, weights, model if info else None, info)


def mixture(
    dataset: Dataset,
    runs: Runs,
    final: Mapping[str, StoredRun],
    results: Path,
    profile: str,
    say: Callable[[str], None],
) -> Mixed | None:
    """Mix what is complete, and keep it; None where no split of all candidates is there."""
    splits = sorted(set.intersection(*(set(found) for found in runs.values()))) if runs else []
    used = [runs[name][split] for name in runs for split in splits]
    kept_models = ((run.path / "model.npz").is_file() for run in [*used, *final.values()])
    if not splits or is_large(dataset.rows) or not all(kept_models):
        return None
    about, model = _paths(results, profile, dataset.name)
    identity = {"runs": _identity(used), "final": _identity(final.values())}
    kept, known = kept_mixture(results, profile, dataset.name), read_json(about)
    if kept and (kept.model or not final) and all(known[key] == value for key, value in identity.items()):
        return kept
    say("Mixing them by the rows that they had not seen ...")
    from dgpexp import quietly

    quietly.one_thread()
    quietly.import_tensorflow()
    likelihood = _spec(runs, splits[0]).settings.likelihood
    counts = likelihood in LIKELIHOODS and LIKELIHOODS[likelihood].counts  # a probability is no density
    simple = {} if counts else simple_predictions(dataset, splits, results, say)
    kinds = candidates(dataset.rows, dataset.inputs, len(dataset.classes))
    folds = []
    for number in splits:
        split = in_memory(DataChoice.of(_spec(runs, number)).load())
        members = {name: found for name, found in simple.get(number, {}).items() if name in kinds}
        for name in runs:
            parts: list[Any] = [part for _, part in load_model(runs[name][number]).predict_scaled(split.x_test)]
            members[name] = type(parts[0]).joined(parts)
        folds.append(HeldOut(split.tested, split.y_test, members))
    costs = dict.fromkeys(folds[0].members, 0.0) | {name: 1.0 + k for k, name in enumerate(runs)}
    chosen = choose(folds, costs)
    numbers = {}
    for k, number in enumerate(splits):
        split = load_split(dataset.name, number)
        scored = chosen.folds if len(splits) == 1 else [chosen.folds[k]]
        scores = [score(split.task, found, fold.y, split.rounding, full=True) for fold, found in scored]
        numbers[number] = summary(split.task, scores)
    with writable(about.parent):
        about.parent.mkdir(parents=True, exist_ok=True)
        model.unlink(missing_ok=True)
        if all(name in final for name in chosen.used if name in runs) and final:
            whole = load_split(dataset.name, 0, all_rows=True)
            write_atomically(model, _combined(dataset, chosen, final, whole).write)
        found = {"weights": dict(chosen.weights), "numbers": {str(k): v for k, v in numbers.items()}}
        write_json(about, {**identity, **found})
    return kept_mixture(results, profile, dataset.name)


def _identity(runs: Iterable[StoredRun]) -> list[list[str]]:
    """What tells these runs from others, and from the same ones run again."""
    return [[run.run_id, str(run.info.get("started"))] for run in runs]


def _spec(runs: Runs, split: int) -> Any:
    spec = next(iter(runs.values()))[split].spec
    if spec is None:
        raise UserError("a run's config.json is damaged: run the same command again.")
    return spec


def _combined(dataset: Dataset, chosen: Any, final: Mapping[str, StoredRun], whole: Any) -> Combined:
    """The members with weights, of all rows."""
    kinds = candidates(dataset.rows, dataset.inputs, len(dataset.classes))
    members = {
        name: load_model(final[name])
        if name in final
        else learnt(kinds[name], whole.x_train, whole.y_train[:, 0], len(dataset.classes))
        for name in chosen.used
    }
    return Combined.of(members, chosen, whole)

"""What simple models predict on the splits of a table: learnt once, in seconds, and kept in results/baselines."""

import io
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dgpexp.datasets import Dataset, Split, load_split
from dgpexp.datasets.streaming import in_memory
from dgpexp.files import writable, write_atomically
from dgpexp.predictive.classes import Classes
from dgpexp.predictive.metrics import score, summary
from dgpexp.predictive.mixture import Mixture

Numbers = dict[str, float]  # metric -> value, of one split


def simple_models(
    dataset: Dataset, splits: Iterable[int], results: Path, say: Callable[[str], None]
) -> dict[str, dict[int, Numbers]]:
    """Their numbers on these splits."""
    splits = list(splits)
    predictions = simple_predictions(dataset, splits, results, say)
    found: dict[str, dict[int, Numbers]] = {}
    for number in splits:
        split = in_memory(load_split(dataset.name, number))
        for name, prediction in predictions[number].items():
            scores = score(split.task, prediction, split.y_test, split.rounding, full=True)
            found.setdefault(name, {})[number] = summary(split.task, [scores])
    return found


def simple_predictions(
    dataset: Dataset, splits: Iterable[int], results: Path, say: Callable[[str], None]
) -> dict[int, dict[str, Any]]:
    """What they predict for the test rows of these splits: {split: {name: prediction}}."""
    from dgpexp.reference.baselines import candidates, learnt

    wanted = candidates(dataset.rows, dataset.inputs, len(dataset.classes))
    paths = {split: results / "baselines" / dataset.name / f"s{split:02d}.npz" for split in splits}
    kept = {split: found for split, path in paths.items() if (found := _read(path, list(wanted), dataset.classes))}
    if todo := [split for split in paths if split not in kept]:
        many = "1 split" if len(todo) == 1 else f"{len(todo)} splits"
        say(f"Comparing with {', '.join(list(wanted)[:-1])} and {list(wanted)[-1]} on {many} ...")
    models: dict[str, Any] = {}
    for number in todo:
        split = in_memory(load_split(dataset.name, number))
        y = split.y_train[:, 0]
        models = {
            name: learnt(kind, split.x_train, y, len(dataset.classes), models.get(name))
            for name, kind in wanted.items()
        }
        kept[number] = {name: prediction_of(model, split.x_test, split) for name, model in models.items()}
        _write(paths[number], kept[number])
    return kept


def prediction_of(model: Any, x: np.ndarray, split: Split | Any) -> Mixture | Classes:
    """What a simple model predicts at scaled inputs, in the units of y."""
    found = model.predict(x)
    if split.classes:
        return Classes(found, tuple(split.classes))
    mean, variance = found
    return Mixture(split.y_scaler.inverse(mean)[None], variance[None] * float(np.squeeze(split.y_scaler.std)) ** 2)


def _write(path: Path, found: Mapping[str, Mixture | Classes]) -> None:
    arrays = {
        name: p.log_probabilities if isinstance(p, Classes) else np.stack([p.means[0], p.variances[0]])
        for name, p in found.items()
    }
    with writable(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]


def _read(path: Path, names: list[str], classes: tuple[str, ...]) -> dict[str, Any] | None:
    """The predictions that are kept; a damaged file is worth nothing, for it is computed again."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            arrays = [np.asarray(file[name], dtype=float) for name in names]
        if classes:
            return {name: Classes(array, tuple(classes)) for name, array in zip(names, arrays, strict=True)}
        return {name: Mixture(mean[None], var[None]) for name, (mean, var) in zip(names, arrays, strict=True)}
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return None

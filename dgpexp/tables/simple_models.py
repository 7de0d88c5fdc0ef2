"""What simple models predict on the splits of a table: learnt once, in seconds, and kept in results/baselines."""

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dgpexp.datasets import Dataset, Split, load_split
from dgpexp.datasets.streaming import in_memory
from dgpexp.files import writable, write_atomically
from dgpexp.predictive.classes import Classes
from dgpexp.predictive.metrics import score, summary
from dgpexp.predictive.mixture import Mixture
from dgpexp.reference.peers import peers
from dgpexp.tables import Say

Numbers = dict[str, float]  # metric -> value, of one split


def simple_models(
    dataset: Dataset, splits: Iterable[int], results: Path, say: Say, against: Sequence[str] = ()
) -> dict[str, dict[int, Numbers]]:
    """Their numbers on these splits, and those of other packages that are asked for, or were."""
    splits = list(splits)
    predictions = simple_predictions(dataset, splits, results, say, against)
    names = [name for name in predictions[splits[0]] if all(name in predictions[split] for split in splits)]
    found: dict[str, dict[int, Numbers]] = {name: {} for name in names}
    for number in splits:
        split = in_memory(load_split(dataset.name, number))
        for name in names:
            scores = score(split.task, predictions[number][name], split.y_test, split.rounding, full=True)
            found[name][number] = summary(split.task, [scores])
    return found


def simple_predictions(
    dataset: Dataset, splits: Iterable[int], results: Path, say: Say, against: Sequence[str] = ()
) -> dict[int, dict[str, Any]]:
    """What they predict for the test rows of these splits, all that is kept: {split: {name: prediction}}."""
    from dgpexp.reference.baselines import candidates, learnt

    wanted = candidates(dataset.rows, dataset.inputs, len(dataset.classes)) | peers(against)
    paths = {split: results / "baselines" / dataset.name / f"s{split:02d}.npz" for split in splits}
    kept = {split: _read(path, dataset.classes) for split, path in paths.items()}
    todo = {split: [name for name in wanted if name not in found] for split, found in kept.items()}
    if lacking := [name for name in wanted if any(name in names for names in todo.values())]:
        many = "1 split" if len(paths) == 1 else f"{len(paths)} splits"
        say(f"Comparing with {', '.join(lacking[:-1])}{' and ' if lacking[1:] else ''}{lacking[-1]} on {many} ...")
    models: dict[str, Any] = {}
    for number in (split for split, names in todo.items() if names):
        split = in_memory(load_split(dataset.name, number))
        y = split.y_train[:, 0]
        for name in todo[number]:
            models[name] = learnt(wanted[name], split.x_train, y, len(dataset.classes), models.get(name))
            kept[number][name] = prediction_of(models[name], split.x_test, split)
        _write(paths[number], kept[number])
    return {split: {name: found[name] for name in dict.fromkeys([*wanted, *found])} for split, found in kept.items()}


def prediction_of(model: Any, x: np.ndarray, split: Split | Any) -> Mixture | Classes:
    """What a simple model predicts at scaled inputs, in the units of y."""
    found = model.predict(x)
    if split.classes:
        return Classes(found, tuple(split.classes))
    mean, variance = found
    unit, sigma2 = float(np.squeeze(split.y_scaler.std)) ** 2, getattr(model, "sigma2", None)
    noise = None if sigma2 is None else np.full(len(mean), unit * sigma2)
    return Mixture(split.y_scaler.inverse(mean)[None], unit * variance[None], noise)


def _write(path: Path, found: Mapping[str, Mixture | Classes]) -> None:
    arrays = {
        name: p.log_probabilities if isinstance(p, Classes) else np.stack([p.means[0], p.variances[0]])
        for name, p in found.items()
    }
    with writable(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]


def _read(path: Path, classes: tuple[str, ...]) -> dict[str, Any]:
    """The predictions that are kept; a damaged file is worth nothing, for it is computed again."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
            arrays = {name: np.asarray(file[name], dtype=float) for name in file.files}
        if classes:
            return {name: Classes(array, tuple(classes)) for name, array in arrays.items()}
        return {name: Mixture(mean[None], var[None]) for name, (mean, var) in arrays.items()}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return {}

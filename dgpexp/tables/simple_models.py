"""What simple models reach on the splits of a table: an exact GP and a linear model, or logistic regression."""

from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np

from dgpexp.datasets import Dataset, Split, load_split
from dgpexp.datasets.streaming import in_memory
from dgpexp.files import read_json, writable, write_json
from dgpexp.predictive.classes import Classes
from dgpexp.predictive.metrics import score, summary
from dgpexp.predictive.mixture import Mixture

Numbers = dict[str, float]  # metric -> value, of one split


def simple_models(
    dataset: Dataset, splits: Iterable[int], results: Path, say: Callable[[str], None]
) -> dict[str, dict[int, Numbers]]:
    """Their numbers on these splits; computed once, then read."""
    path = results / "baselines" / f"{dataset.name}.json"
    kept = _kept(path)
    wanted, splits = _models(dataset), list(splits)
    todo = [split for split in splits if any(str(split) not in kept.get(name, {}) for name in wanted)]
    if todo:
        many = "1 split" if len(todo) == 1 else f"{len(todo)} splits"
        say(f"Comparing with {' and '.join(wanted)} on {many} ...")
    for number in todo:
        split = in_memory(load_split(dataset.name, number))
        for name, predict in wanted.items():
            scores = score(split.task, predict(split), split.y_test, split.rounding, full=True)
            kept.setdefault(name, {})[str(number)] = summary(split.task, [scores])
    if todo:
        with writable(path.parent):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, kept)
    return {name: {split: kept[name][str(split)] for split in splits} for name in wanted}


def _kept(path: Path) -> dict[str, dict[str, Numbers]]:
    """Model -> split -> numbers, as they were kept; a damaged file is worth nothing, for it is computed again."""
    kept = read_json(path)
    try:
        return {
            model: {split: {k: float(v) for k, v in numbers.items()} for split, numbers in splits.items()}
            for model, splits in kept.items()
        }
    except (AttributeError, TypeError, ValueError):
        return {}


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

    gp = "an exact GP" if dataset.rows <= models.MOST_ROWS else "a sparse GP"
    gp += " of one lengthscale" if dataset.inputs > models.MOST_SCALES else ""
    return {gp: gaussian(models.exact_gp), "a linear model": gaussian(models.linear)}

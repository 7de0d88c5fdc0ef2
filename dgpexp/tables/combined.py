"""`auto`: a mixture of finished models, deep and simple, that predicts and is saved like one model."""

import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from dgpexp.datasets import Scaler, Split
from dgpexp.datasets.large import is_large
from dgpexp.errors import UserError
from dgpexp.methods import AUTO
from dgpexp.predictive.guarantee import corrected_level, needed_levels
from dgpexp.predictive.stack import HeldOut, cross_stacked, frugal_weights, log_densities, stacked
from dgpexp.reference.baselines import KINDS, Simple
from dgpexp.store.stored_run import StoredRun, load_model
from dgpexp.tables.simple_models import prediction_of

_AT_ONCE = 1000  # rows
_CALIBRATED = 3000  # out-of-fold rows that correct the levels of intervals, at most
DEEP = {"pep": 0, "aepmcm": 2000}  # the deep members, and the rows from which each has been better than the others


@dataclass(frozen=True)
class Chosen:
    """What out-of-fold rows say: the weights, the mixture on every fold, and the levels that its intervals needed."""

    weights: Mapping[str, float]  # of every candidate
    folds: Sequence[tuple[HeldOut, Any]]  # each with the mixture there, whose weights are from the others
    needed: np.ndarray | None  # [2, n] (predictive/guarantee.py); None of classes

    @property
    def used(self) -> dict[str, float]:
        return {name: w for name, w in self.weights.items() if w > 0}


def choose(folds: Sequence[HeldOut], costs: Mapping[str, float]) -> Chosen:
    """Stack the candidates in `costs`; a costly one without gain gets no weight. A single fold becomes two halves."""
    folds = folds if len(folds) > 1 else folds[0].halves
    names, each = list(costs), list(costs.values())
    w = frugal_weights(log_densities(folds, names), each)
    mixtures = cross_stacked(folds, names, each)
    needed = None
    if hasattr(mixtures[0], "cdf"):
        levels, seen = [], np.zeros(0, dtype=int)
        for mixture, fold in zip(mixtures, folds, strict=True):
            # A row that random splits tested twice counts once: the guarantee is for rows that are exchangeable.
            new = np.flatnonzero(~np.isin(fold.rows, seen))[: _CALIBRATED // len(folds)]
            levels.append(needed_levels(mixture.at(new), fold.y[new]))
            seen = np.concatenate([seen, fold.rows])
        needed = np.concatenate(levels, axis=1)
    return Chosen(dict(zip(names, map(float, w), strict=True)), list(zip(folds, mixtures, strict=True)), needed)


@dataclass(frozen=True)
class Combined:
    """Members with weights, learnt on the same rows; the scalers are those of the simple members."""

    members: Mapping[str, Any]  # Simple, or a Predictor
    weights: Mapping[str, float]
    x_scaler: Scaler
    y_scaler: Scaler
    features: tuple[str, ...]
    target: str
    classes: tuple[str, ...]
    needed: np.ndarray | None = None

    @classmethod
    def of(cls, members: Mapping[str, Any], chosen: Chosen, split: Split) -> "Combined":
        used = {name: w for name, w in chosen.used.items() if name in members}
        about = (split.x_scaler, split.y_scaler, split.features, split.target, split.classes)
        return cls({name: members[name] for name in used}, used, *about, chosen.needed)

    def parts(self, x: np.ndarray) -> Iterator[tuple[slice, Any]]:
        """The predictive distribution at inputs x [n, D] in their own units, some rows at a time: for any n."""
        x = np.asarray(x, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != len(self.features):
            raise UserError(f"the model takes {len(self.features)} input columns ({', '.join(self.features)}).")
        for start in range(0, len(x), _AT_ONCE):
            at = slice(start, start + _AT_ONCE)
            scaled = self.x_scaler.transform(x[at])
            found = [
                prediction_of(member, scaled, self) if isinstance(member, Simple) else member.predict(x[at])
                for member in self.members.values()
            ]
            yield at, stacked(found, list(self.weights.values()))

    def alone(self, member: Any) -> "Combined":
        """One member in its place."""
        return replace(self, members={AUTO: member}, weights={AUTO: 1.0})

    def guaranteed(self, x: np.ndarray, level: float, kind: str) -> np.ndarray:
        """Intervals that hold at least this share of new rows (predictive/guarantee.py): [n, 2] or [n, K, 2]."""
        found: np.ndarray = self.predict(x).interval(corrected_level(self.needed, level, kind), kind)
        return found

    def predict(self, x: np.ndarray) -> Any:
        """All of it at once, a Distribution or Classes, for as many rows as fit into memory."""
        parts: list[Any] = [prediction for _, prediction in self.parts(x)]
        return type(parts[0]).joined(parts)

    def write(self, file: BinaryIO, **more: np.ndarray) -> None:
        """Write all members into an open file, with arrays of the caller's own; no pickle."""
        about = {
            "combined": [[name, type(member).__name__, self.weights[name]] for name, member in self.members.items()],
            "features": list(self.features),
            "target": self.target,
            "classes": list(self.classes),
        }
        arrays: dict[str, np.ndarray] = {}
        for k, member in enumerate(self.members.values()):
            if isinstance(member, Simple):
                arrays |= {f"member/{k}/{name}": array for name, array in member.arrays().items()}
            else:
                inside = io.BytesIO()
                member.write(inside)
                arrays[f"member/{k}"] = np.frombuffer(inside.getvalue(), dtype=np.uint8)
        for name, scaler in (("x", self.x_scaler), ("y", self.y_scaler)):
            arrays |= {f"scaler/{name}/mean": scaler.mean, f"scaler/{name}/std": scaler.std}
        if self.needed is not None:
            arrays["needed"] = self.needed
        np.savez(file, about=np.array(json.dumps(about)), **arrays, **more)  # type: ignore[arg-type]


def read_model(file: BinaryIO) -> Any:
    """The Combined, or the single Predictor, in an open file; anything else raises whatever it trips over."""
    with np.load(file, allow_pickle=False) as kept:
        about = json.loads(str(kept["about"]))
        arrays = {name: kept[name] for name in kept.files if name != "about"} if "combined" in about else {}
    if not arrays:
        file.seek(0)
        return _predictor(file)
    members = {}
    for k, (name, kind, _) in enumerate(about["combined"]):
        if f"member/{k}" in arrays:
            members[name] = _predictor(io.BytesIO(arrays[f"member/{k}"].tobytes()))
        else:
            start = f"member/{k}/"
            members[name] = KINDS[kind](**{key[len(start) :]: a for key, a in arrays.items() if key.startswith(start)})
    x_scaler, y_scaler = (Scaler(arrays[f"scaler/{name}/mean"], arrays[f"scaler/{name}/std"]) for name in ("x", "y"))
    weights = {name: weight for name, _, weight in about["combined"]}
    return Combined(
        members,
        weights,
        x_scaler,
        y_scaler,
        tuple(about["features"]),
        about["target"],
        tuple(about["classes"]),
        arrays.get("needed"),
    )


def predictor_of(run: StoredRun, mixture: Path | None) -> Any:
    """The model of a run, or the mixture in a file, that takes the same columns."""
    features = tuple(run.info.get("features") or ())
    if mixture is None:
        return load_model(run, features=features)
    try:
        with open(mixture, "rb") as file:
            found = read_model(file)
        if found.features != features:
            raise ValueError("it takes other columns")
    except Exception as error:  # a damaged zip or foreign arrays raise whatever they trip over
        again = "remove it, and run the same `dgpexp run csv` again"
        raise UserError(f"{mixture} is damaged ({error}): {again}.") from None
    return found


def _predictor(file: BinaryIO) -> Any:
    from dgpexp.training.predictor import Predictor

    return Predictor.read(file)


def deep_methods(rows: int) -> list[str]:
    """The methods that train the deep members of a table; of very many rows, which are not in memory, one alone."""
    return [method for method, least in DEEP.items() if rows >= least][: 1 if is_large(rows) else None]


def in_words(weights: Mapping[str, float]) -> str:
    """The mixture as a person reads it: 0.62 PEP 2 + 0.38 boosted trees."""
    used = sorted(((w, name) for name, w in weights.items() if w >= 0.005), reverse=True)
    return " + ".join(f"{w:.2f} {name}" for w, name in used)

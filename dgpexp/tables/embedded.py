"""A trained model as JSON that its page holds: what templates/forward.js computes from is made here.

Parameters go in double precision but for the large matrices: Σ - I of a deep GP, L of a simple one, covariances of
weights. A form aᵀ (Σ - I) a with |a|² ≤ k(h, h), or L⁻¹ a with L ≥ I, loses nothing by it. What follows from Z is not
kept, where rounding in single precision would be multiplied by 1/√jitter. The draws of the paths are those of
`dgpexp predict`, so that both say the same.
"""

import base64
import json
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from dgpexp import inference
from dgpexp.datasets import load
from dgpexp.datasets.kept import source_columns
from dgpexp.datasets.table import Table
from dgpexp.errors import UserError
from dgpexp.gp.conditional import Conditional, SeparateConditional
from dgpexp.gp.dgp import Paths, path_noise
from dgpexp.gp.likelihoods.gaussian import Gaussian
from dgpexp.gp.likelihoods.probit import Probit
from dgpexp.gp.likelihoods.robust_max import RobustMax
from dgpexp.reference.baselines import GP, Boosted, BoostedClasses, Linear, Logistic, Matern, Simple
from dgpexp.tables.combined import Combined, predictor_of
from dgpexp.tables.gathered import model_meant
from dgpexp.training.predictor import Predictor

_LARGEST = 3_000_000  # characters of a model in a page
_MOST_ROWS = 1000  # training rows that it shows the nearest of
_LIKELIHOODS = {Gaussian: "gaussian", Probit: "probit", RobustMax: "robustmax"}
_SIMPLE: dict[type, str] = {Linear: "linear", GP: "gp", Matern: "gp", Boosted: "boosted", Logistic: "logistic",
                            BoostedClasses: "boostedClasses"}  # fmt: skip
_IN_SINGLE = ("L", "covariance", "value", "value_v")


def embedded(results: Path, table: str) -> tuple[dict[str, Any] | None, str]:
    """The model by which `dgpexp predict TABLE` predicts, as JSON; or None and a sentence that says why not."""
    try:
        run, mixture = model_meant(results, table, lambda text: None)
        return of_model(predictor_of(run, mixture), load(table), run.run_id), ""
    except UserError as error:
        return None, str(error)


def of_model(model: Combined | Predictor, table: Table, name: str) -> dict[str, Any]:
    """A model with a table whose rows its page shows; one that no page can compute is refused."""
    mixed: dict[str, tuple[Any, float]] = {"": (model, 1.0)}
    if isinstance(model, Combined):
        mixed = {member: (model.members[member], weight) for member, weight in model.weights.items()}
    members = [
        {"name": member, "weight": weight, **(_simple(one) if isinstance(one, Simple) else _deep(one))}
        for member, (one, weight) in mixed.items()
    ]
    if (size := len(json.dumps(members))) > _LARGEST:
        raise UserError(f"It would take {size / 1e6:.1f} MB of the page, more than {_LARGEST / 1e6:.0f}.")
    x_scaler, y_scaler = model.x_scaler, model.y_scaler
    rows = np.random.default_rng(0).permutation(len(table.y))[:_MOST_ROWS]
    return {
        "run": name,
        "members": members,
        "lengthscales": next((m["lengthscales"] for m in members if "lengthscales" in m), [1.0] * len(model.features)),
        "labels": list(model.classes),
        "target": model.target,
        "x": {"mean": x_scaler.mean.tolist(), "std": x_scaler.std.tolist()},
        "y": {"mean": float(np.squeeze(y_scaler.mean)), "std": float(np.squeeze(y_scaler.std))},
        "columns": [
            column
            for name, places in source_columns(model.features, table.levels).items()
            for column in _columns(name, places, model.features, table)
        ],
        "range": [float(table.y.min()), float(table.y.max())],
        "rows": _singles(table.x[rows]),
        "targets": _singles(table.y[rows]),
        "of": len(table.y),
    }


def _simple(model: Simple) -> dict[str, Any]:
    """Its arrays; of a GP what does not follow from Z."""
    about: dict[str, Any] = {"kind": _SIMPLE[type(model)]}
    arrays = model.arrays()
    if isinstance(model, GP):
        theta = np.exp(arrays.pop("theta"))
        about |= {"kernel": ("rbf", "matern32")[int(arrays.pop("kernel"))], "variance": theta[0], "noise": theta[-1]}
        about["lengthscales"] = _listed(theta[1:-1], model.z.shape[1])
        arrays = {"z": model.z, "white": model.white, "L": model.L[np.tril_indices(len(model.L))]}
    for name, array in arrays.items():
        single = array.dtype.kind == "i" or name in _IN_SINGLE
        about[name] = ["singles", _singles(array)] if single else ["doubles", _doubles(array)]
        if name.startswith("feature"):
            about["shape" + name.removeprefix("feature")] = array.shape
    return about


def _deep(predictor: Predictor) -> dict[str, Any]:
    likelihood = predictor.model.likelihood
    if type(likelihood) not in _LIKELIHOODS:
        raise UserError(f"Its likelihood is {predictor.settings.likelihood}, which a page cannot compute.")
    paths = inference.get(predictor.method).predictor(predictor.model, predictor.rows, predictor.settings)
    if not isinstance(paths, Paths):
        raise UserError(f"The method {predictor.method} predicts by other means than sampled paths.")
    if not predictor.settings.shared_paths:
        raise UserError("It was trained on a part of the rows, not on all.")
    if predictor.settings.precision != "float64":
        raise UserError("It was trained in mixed precision, whose last digits a page cannot repeat.")
    jitter = float(predictor.model.jitter.numpy())
    layers = [[_part(c, jitter) for c in _parts(conditional)] for conditional in paths.conditionals]
    seed = predictor.keys(range(1))[0]
    draws = [
        path_noise([paths.samples, 1, conditional.units], seed, depth, tf.float64).numpy()
        for depth, conditional in enumerate(paths.conditionals[:-1], 1)
    ]
    return {
        "kind": "deep",
        "likelihood": _LIKELIHOODS[type(likelihood)],
        "noise": float(likelihood.noise.numpy()) if isinstance(likelihood, Gaussian) else 0.0,
        "lengthscales": layers[0][0]["lengthscales"],
        "layers": layers,
        "samples": paths.samples,
        "draws": [_doubles(z) for z in draws],
    }


def _parts(conditional: Conditional | SeparateConditional) -> Sequence[Conditional]:
    """Units that share inducing inputs; or each with its own."""
    return conditional.parts if isinstance(conditional, SeparateConditional) else [conditional]


def _part(c: Conditional, jitter: float) -> dict[str, Any]:
    lower = np.tril_indices(c.inducing_inputs.shape[0])
    return {
        "kernel": type(c.kernel).__name__.lower(),
        "variance": float(c.kernel.variance.numpy()),
        "lengthscales": _listed(c.kernel.lengthscales.numpy(), c.inducing_inputs.shape[1]),
        "jitter": jitter,
        "units": c.units,
        "z": _doubles(c.inducing_inputs.numpy()),
        "mean": _doubles(c.values.mean.numpy()),
        "excess": _singles(c.values.excess.numpy()[:, *lower]),  # row by row: [D, M (M + 1) / 2]
        "weights": None if c.weights is None else _doubles(c.weights.numpy()),
        "noise": 0.0 if c.log_noise is None else float(np.exp(c.log_noise.numpy())),
    }


def _columns(name: str, places: list[int], features: Sequence[str], table: Table) -> Iterator[dict[str, Any]]:
    """What the controls of a column must know: where they go, what was seen, and where to start."""
    x = table.x[:, places]
    if name in table.levels:
        words = table.levels[name]
        seen = x.argmax(1) if len(words) > 2 else x[:, 0].astype(int)
        most = int(np.bincount(seen).argmax())
        yield {"kind": "words", "name": name, "inputs": places, "levels": list(words), "start": most}
        return
    parts = [features[j].rpartition(".")[2] for j in places]
    if features[places[0]] != name and "year" in parts:
        days = dict(zip(("low", "start", "high"), map(_day, _seen(x[:, parts.index("year")])), strict=True))
        yield {"kind": "date", "name": name, "inputs": places, "parts": parts, **days}
        return
    for j in places:  # a number; or of dates without a year a part each
        ends = dict(zip(("low", "start", "high"), _seen(table.x[:, j]), strict=True))
        whole = bool((np.nan_to_num(table.x[:, j]) % 1 == 0).all())
        yield {"kind": "number", "name": features[j], "inputs": [j], "whole": whole, **ends}


def _seen(values: np.ndarray) -> tuple[float, float, float]:
    """The least, the one in the middle, and the greatest."""
    there = np.sort(values[~np.isnan(values)])
    return float(there[0]), float(there[len(there) // 2]), float(there[-1])


def _day(years: float) -> str:
    """The day of a year with its fraction, as tables/dates.py writes it."""
    year = int(np.floor(years))
    return (date(year, 1, 1) + timedelta(days=round((years - year) * 365.25))).isoformat()


def _listed(values: np.ndarray, count: int) -> list[float]:
    return [float(v) for v in np.broadcast_to(values, count)]


def _doubles(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f8").tobytes()).decode()


def _singles(values: np.ndarray) -> str:
    return base64.b64encode(np.ascontiguousarray(values, dtype="<f4").tobytes()).decode()

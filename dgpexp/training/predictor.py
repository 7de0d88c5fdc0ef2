"""A trained model as a thing that predicts, and as a file: arrays and JSON in one .npz, nothing that could run code."""

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import tensorflow as tf

from dgpexp import inference
from dgpexp.config import Settings
from dgpexp.datasets import Scaler
from dgpexp.errors import UserError
from dgpexp.gp import likelihoods
from dgpexp.predictive.classes import Classes
from dgpexp.predictive.distribution import Distribution
from dgpexp.training.graphs import Graph

_ROWS_AT_ONCE = 5_000  # S x points propagated together, a piece: bounds the memory whatever the number of points
_PIECES = 20  # in a call: the M x M work is done once for all of them
_ROWS_TO_BUILD = 10_000  # more rows than that change no shape of a model
FORMAT = 1

Prediction = Distribution | Classes


class Predictor:
    """Predicts by a model trained on `rows` rows that were scaled by the scalers."""

    def __init__(
        self,
        model: Any,
        method: str,
        layers: int,
        settings: Settings,
        rows: int,
        x_scaler: Scaler,
        y_scaler: Scaler,
        features: tuple[str, ...],
        target: str,
        classes: tuple[str, ...],
        seed: int,
        components: Callable[..., Any] | None = None,
    ) -> None:
        if settings.all_rows:  # what is said of a new row must not depend on the rows beside it
            settings = settings.change({"shared_paths": True})
        self.model, self.method, self.layers, self.settings, self.rows = model, method, layers, settings, rows
        self.x_scaler, self.y_scaler, self.features, self.target = x_scaler, y_scaler, features, target
        self.classes, self.seed = classes, seed
        self.components = components or self._trace()

    def parts(self, x: np.ndarray) -> Iterator[tuple[slice, Prediction]]:
        """The predictive distribution at inputs x [n, D] in their own units, some rows at a time: for any n."""
        x = np.asarray(x, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != len(self.features):
            raise UserError(f"the model takes {len(self.features)} input columns ({', '.join(self.features)}).")
        return self.predict_scaled(self.x_scaler.transform(x))

    def predict(self, x: np.ndarray) -> Any:
        """All of it at once, a Distribution or Classes, for as many rows as fit into memory."""
        parts: list[Any] = [prediction for _, prediction in self.parts(x)]
        return type(parts[0]).joined(parts)

    def predict_scaled(self, x: np.ndarray) -> Iterator[tuple[slice, Prediction]]:
        """Predictions at scaled inputs x [n, D], a part of the points at a time, in the units of y."""
        piece = max(1, _ROWS_AT_ONCE // self.settings.test_samples)
        start = 0
        while start < len(x):
            pieces = min(_PIECES, (len(x) - start) // piece) or 1  # the last piece, a shorter one, comes alone
            at = slice(start, start + pieces * piece)
            parts = tf.constant(x[at].reshape(pieces, -1, x.shape[1]))
            arrays = [a.numpy() for a in self.components(parts, self.keys(range(start, at.stop, piece)))]
            found = [self.model.likelihood.distribution([a[k] for a in arrays], self.y_scaler) for k in range(pieces)]
            yield at, type(found[0]).joined(found)
            start = at.stop

    def keys(self, starts: range) -> tf.Tensor:
        """Random numbers of their own for every piece, unless paths share them; negative, unlike a training step's."""
        return tf.constant([[self.seed, -1 if self.settings.shared_paths else -1 - s] for s in starts], dtype=tf.int64)

    def _trace(self) -> Callable[..., Any]:
        method, likelihood = inference.get(self.method), self.model.likelihood
        signature = [tf.TensorSpec([None, None, len(self.features)], tf.float64), tf.TensorSpec([None, 2], tf.int64)]

        @tf.function(input_signature=signature, autograph=False)
        def components(x: tf.Tensor, keys: tf.Tensor) -> Any:
            """What `predictive` says of pieces x [K, n, D], each by its key: arrays [K, ...]."""
            predict = method.predictor(self.model, self.rows, self.settings)
            kinds = [a.dtype for a in likelihood.predictive(*predict(x[0], keys[0]))]  # dropped from the graph

            def one(k: tf.Tensor, *found: tf.TensorArray) -> Any:
                arrays = likelihood.predictive(*predict(x[k], keys[k]))
                return k + 1, *(into.write(k, a) for into, a in zip(found, arrays, strict=True))

            pieces = tf.shape(x)[0]
            empty = [tf.TensorArray(kind, pieces) for kind in kinds]
            _, *found = tf.while_loop(lambda k, *_: k < pieces, one, (0, *empty), parallel_iterations=1)
            return [into.stack() for into in found]

        return Graph(components)

    def save(self, path: Path) -> None:
        """Write the model and all that its predictions need."""
        with open(path, "wb") as file:
            self.write(file)

    def write(self, file: BinaryIO, **more: np.ndarray) -> None:
        """Write the model into an open file, with arrays of the caller's own."""
        about = {
            "format": FORMAT,
            "method": self.method,
            "layers": self.layers,
            "settings": asdict(self.settings),
            "rows": self.rows,
            "features": list(self.features),
            "target": self.target,
            "classes": list(self.classes),
            "seed": self.seed,
        }
        arrays = {f"model/{i:03d}": v.numpy() for i, v in enumerate(self.model.variables)}
        for name, scaler in (("x", self.x_scaler), ("y", self.y_scaler)):
            arrays |= {f"scaler/{name}/mean": scaler.mean, f"scaler/{name}/std": scaler.std}
        np.savez(file, about=np.array(json.dumps(about)), **arrays, **more)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> "Predictor":
        """Read what `save` wrote; anything else is refused in a sentence."""
        try:
            return cls.read(path)
        except Exception as error:  # a damaged zip or foreign arrays raise whatever they trip over
            reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
            raise UserError(
                f"{path} is damaged, or is not a model that dgpexp wrote ({reason}): remove the "
                "run's folder and run it again."
            ) from None

    @classmethod
    def read(cls, path: Path | BinaryIO) -> "Predictor":
        """Read a path or an open file; anything but a model raises whatever it trips over."""
        with np.load(path, allow_pickle=False) as file:
            about = json.loads(str(file["about"]))
            arrays = {name: file[name] for name in file.files if name != "about"}
        settings = Settings.recorded(about["settings"])
        scalers = {name: Scaler(arrays[f"scaler/{name}/mean"], arrays[f"scaler/{name}/std"]) for name in ("x", "y")}
        # Any inputs of the right shape will do: every value is replaced.
        x = np.random.default_rng(0).normal(size=(min(about["rows"], _ROWS_TO_BUILD), len(about["features"])))
        classes = tuple(about.get("classes", ()))  # there were none before there was classification
        likelihood = likelihoods.make(settings, classes)
        model = inference.get(about["method"]).build(settings, about["layers"], x, likelihood, seed=0)
        for i, variable in enumerate(model.variables):
            value = arrays[f"model/{i:03d}"]
            if not np.isfinite(value).all():
                raise ValueError("a parameter is not finite")
            variable.assign(value)
        return cls(
            model=model,
            method=about["method"],
            layers=about["layers"],
            settings=settings,
            rows=about["rows"],
            x_scaler=scalers["x"],
            y_scaler=scalers["y"],
            features=tuple(about["features"]),
            target=about["target"],
            classes=classes,
            seed=int(about["seed"]),
        )

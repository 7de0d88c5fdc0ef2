"""The base of all estimators: parameters, inputs, training, files. See `regressor` for one."""

import io
import json
import math
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state, check_X_y
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_is_fitted, validate_data

from dgpexp.checking import Check, accepted, refuse_unknown
from dgpexp.config import Settings
from dgpexp.datasets import Table
from dgpexp.datasets.splits import cut
from dgpexp.estimators.auto import FEWEST_ROWS, Search
from dgpexp.estimators.fitting import refuse_forked, trained
from dgpexp.estimators.frames import Columns, has_words, only_frame, refuse_out_of_range, refuse_text, value_errors
from dgpexp.files import plain, write_atomically
from dgpexp.methods import AUTO, METHODS
from dgpexp.predictive.seen import FAR, Seen
from dgpexp.tables.combined import deep_methods, read_model
from dgpexp.tables.protocol import recipes
from dgpexp.tasks import AUTO as USUAL
from dgpexp.tasks import likelihood_of

_NEVER = 10**9  # epochs: the steps end first
_AT_LEAST_1 = Check("a whole number of at least 1", lambda value: value >= 1)
_POSITIVE = Check("a number above 0", lambda value: value > 0)
_LOOKED_AT = 100  # training rows that are predicted at the end, to see that predictions are numbers


def _is_learnt(name: str) -> bool:
    """Whether `fit` sets this attribute: scikit-learn's convention."""
    return name.endswith("_") and not name.startswith("_")


class DeepGPEstimator(BaseEstimator):
    """A deep Gaussian process that is trained on all rows it is given."""

    # what `save` keeps beside the model
    _fitted: tuple[str, ...] = ("n_features_in_", "feature_names_in_", "n_steps_", "seconds_")

    def __init__(
        self,
        method: str | None = None,
        layers: int = 2,
        *,
        inducing_points: int | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        learning_rate: float | None = None,
        samples: int | None = None,
        likelihood: str = USUAL,
        settings: dict[str, Any] | None = None,
        max_seconds: float | None = None,
        random_state: Any = None,
        progress: bool = False,
    ) -> None:
        self.method = method
        self.layers = layers
        self.inducing_points = inducing_points
        self.steps = steps
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.samples = samples
        self.likelihood = likelihood
        self.settings = settings
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.progress = progress

    def _settings(self) -> tuple[dict[str, Settings], int]:
        """The settings of every method to be trained, and the depth, checked; else they are the recipe."""
        said = {
            "inducing_points": self.inducing_points,
            "max_steps": self.steps,
            "batch_size": self.batch_size,
            "learning_rate": self.learning_rate,
            "train_samples": self.samples,
            "likelihood": self.likelihood,
        }
        chosen: dict[str, Any] = {key: value for key, value in said.items() if value is not None}
        if self.steps is not None:
            chosen |= {"epochs": _NEVER, "root_steps": 0}
        chosen |= {
            "evaluate_every": 0,
            # so that a row's prediction does not depend on the rows beside it, not even in its last digits
            "shared_paths": True,
            "precision": "float64",
        }
        # Searches over parameters give numbers of numpy.
        numbers = {key: value.item() if isinstance(value, np.generic) else value for key, value in chosen.items()}
        layers = self.layers.item() if isinstance(self.layers, np.generic) else self.layers
        with value_errors():
            accepted(layers, "layers", _AT_LEAST_1, int)
            accepted(numbers.get("max_steps", 1), "steps", _AT_LEAST_1, int)
            refuse_unknown([self.method] if self.method else [], [*METHODS, AUTO], "method", "the methods are")
            accepted(1.0 if self.max_seconds is None else float(self.max_seconds), "max_seconds", _POSITIVE, float)
            changes = {**numbers, **(self.settings or {})}
            return {method: recipe.change(changes) for method, recipe in recipes(self.method).items()}, layers

    def _fitted_as(self, learn: Callable[[Self], None]) -> Self:
        """The one place where an estimator becomes fitted: all of it at once, when nothing can fail any more.

        `learn` fits another estimator with the same parameters. Whatever stops that, this one stays what it was.
        """
        refuse_forked()
        fresh = type(self)(**self.get_params(deep=False))
        learn(fresh)
        kept = {name: value for name, value in vars(self).items() if not _is_learnt(name)}
        self.__dict__ = kept | {name: value for name, value in vars(fresh).items() if _is_learnt(name)}
        return self

    def _train(
        self, x: np.ndarray, y: np.ndarray, names: tuple[str, ...], target: str, classes: tuple[str, ...] = ()
    ) -> None:
        """Train on inputs x [n, D] and numbers y [n], or numbers of `classes`."""
        refuse_out_of_range(x, names)
        refuse_out_of_range(y[:, None], [target])
        asked, layers = self._settings()
        seed, began = int(check_random_state(self.random_state).randint(2**31 - 1)), time.monotonic()
        with value_errors():
            method, settings = next(iter(asked.items()))
            counts = likelihood_of(settings.likelihood, len(classes)).counts
            table = Table("X", x, y, names, target, classes=classes, counts=counts)
            if self.method in (None, AUTO) and len(y) >= FEWEST_ROWS:
                seconds = math.inf if self.max_seconds is None else self.max_seconds
                self.predictor_: Any
                deep = {method: asked[method] for method in deep_methods(len(y))}
                search = Search(table, deep, layers, seed, seconds, self.progress)
                self.predictor_, self.n_steps_ = search.run(), search.steps
            else:
                split = cut(table, slice(None), slice(0, _LOOKED_AT))
                session = trained(method, layers, settings, split, seed, self.progress)
                self.predictor_, self.n_steps_ = session.predictor(), session.step
        self.seen_: Seen | None = Seen.of(x)  # None of a file of an older version
        self.seconds_ = time.monotonic() - began

    @property
    def weights_(self) -> dict[str, float]:
        """The models that `auto` mixed, with their weights; a single method has weight 1."""
        check_is_fitted(self)
        return dict(getattr(self.predictor_, "weights", None) or {self.predictor_.method: 1.0})

    def _learn_inputs(self, X: Any, y: Any, **checks: Any) -> tuple[np.ndarray, Any, tuple[str, ...]]:
        """The training inputs [n, D], checked y, and the names of the inputs."""
        self.columns_ = Columns.learn(X) if has_words(X) else None
        if self.columns_ is None:
            refuse_text(X)
            X, y = validate_data(self, X, y, dtype=np.float64, ensure_min_samples=2, **checks)
            names = tuple(map(str, getattr(self, "feature_names_in_", [f"x{j}" for j in range(X.shape[1])])))
            return X, y, names
        _check_feature_names(self, X, reset=True)
        _check_n_features(self, X, reset=True)
        x, y = check_X_y(self.columns_.encode(X), y, ensure_min_samples=2, estimator=self, **checks)
        return x, y, self.columns_.features

    def _inputs(self, X: Any) -> np.ndarray:
        """Inputs [n, D] to predict from; one that lies far outside what was learnt is warned of."""
        check_is_fitted(self)
        refuse_forked()
        if self.columns_ is None:
            refuse_text(X)
            x = np.asarray(validate_data(self, X, dtype=np.float64, reset=False))
        else:
            _check_feature_names(self, only_frame(X), reset=False)
            _check_n_features(self, X, reset=False)
            if not len(X):
                raise ValueError("X has no rows to predict.")
            x = self.columns_.encode(X)
        if self.seen_ and (far := np.flatnonzero(self.seen_.columns(x, FAR).any(1))).size:
            first = self.seen_.words(x[far[:1]], self.predictor_.features)[0]
            said = f"{len(far)} of {len(x)} rows lie far outside what was learnt: row {far[0]} (from 0) has {first}."
            warnings.warn(said, UserWarning, stacklevel=3)
        return x

    def _by_row(self, X: Any, of: Callable[[Any], np.ndarray]) -> np.ndarray:
        """`of` the predictive distributions: [n, ...]. Some rows at a time, lest their components fill the memory."""
        x = self._inputs(X)
        return np.concatenate([of(found) for _, found in self.predictor_.parts(x)])

    def save(self, path: str | Path) -> None:
        """Write the fitted model to one file of arrays and JSON (.npz): reading it runs no code, as a pickle could."""
        check_is_fitted(self)
        write_atomically(Path(path), self._write)

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """The fitted model in a file that `save` wrote."""
        with open(path, "rb") as file:
            try:
                return cls._read(file)
            except Exception as error:  # a damaged zip or foreign arrays raise whatever they trip over
                raise ValueError(f"{path} is not a {cls.__name__} that was saved: {error}") from error

    def _write(self, file: BinaryIO) -> None:
        about = {
            "class": type(self).__name__,
            "parameters": {**self.get_params(deep=False), "random_state": None},
            "columns": self.columns_ and [self.columns_.features, self.columns_.levels, self.columns_.reading],
            "fitted": {name: value for name in self._fitted if (value := getattr(self, name, None)) is not None},
        }
        seen = self.seen_.arrays() if self.seen_ else {}
        self.predictor_.write(file, estimator=np.array(json.dumps(plain(about))), **seen)

    @classmethod
    def _read(cls, file: BinaryIO) -> Self:
        with np.load(file, allow_pickle=False) as arrays:
            about = json.loads(str(arrays["estimator"]))
            seen = Seen.of_arrays(arrays)
        if about["class"] != cls.__name__:
            raise ValueError(f"it is a {about['class']}.")
        estimator = cls(**about["parameters"])
        columns = about["columns"]
        estimator.columns_ = Columns(tuple(columns[0]), *columns[1:]) if columns else None
        for name in cls._fitted:
            if (value := about["fitted"].get(name)) is None:
                continue
            if isinstance(value, list):
                value = np.array(value, dtype=object if name == "feature_names_in_" else None)
            setattr(estimator, name, value)
        file.seek(0)
        estimator.predictor_, estimator.seen_ = read_model(file), seen
        return estimator

    def __getstate__(self) -> dict[str, Any]:
        """For processes that exchange estimators by pickle (GridSearchCV): the model as the bytes of its file."""
        state: dict[str, Any] = super().__getstate__()
        if "predictor_" in state:
            file = io.BytesIO()
            self.predictor_.write(file)
            state = {**state, "predictor_": file.getvalue()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "predictor_" in state:
            state = {**state, "predictor_": read_model(io.BytesIO(state["predictor_"]))}
        super().__setstate__(state)

"""`method="auto"`: learn what is cheap, then deep GPs while there is time, and mix them by rows they had not seen.

Three folds say what each candidate is worth, or of many rows one tenth. Those that earn a weight are then trained on
all rows. When the time is over, or at Ctrl-C, the answer is a mixture of what was finished.
"""

import time
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np

from dgpexp.config import Settings
from dgpexp.datasets import Split, Table
from dgpexp.datasets.splits import cut
from dgpexp.estimators.fitting import advance
from dgpexp.methods import method_name
from dgpexp.predictive.stack import HeldOut
from dgpexp.reference.baselines import candidates, learnt
from dgpexp.tables.combined import Combined, choose
from dgpexp.tables.simple_models import prediction_of
from dgpexp.training.minibatches import total_steps
from dgpexp.training.session import Session

FEWEST_ROWS = 30  # fewer are not cut into folds
_FOLDS, _FEW_ROWS = 3, 5000  # more than these make one fold, of a tenth
_PILOT = 100  # steps that tell how long others will take
_FEWEST_STEPS = 300  # of a deep GP; less is not worth its time


class _Late(Exception):
    """The time is over."""


class Search:
    """The search for a mixture."""

    def __init__(
        self, table: Table, recipes: Mapping[str, Settings], layers: int, seed: int, seconds: float, progress: bool
    ) -> None:
        self._table, self._recipes, self._layers, self._seed, self._progress = table, recipes, layers, seed, progress
        self._began, self._seconds = time.monotonic(), seconds
        every, parts = np.arange(len(table.y)), _folds(table)
        self._cuts = [cut(table, np.setdiff1d(every, rows), rows) for rows in parts]
        self._whole = cut(table, slice(None), slice(0, 1))
        self._held_out = [HeldOut(rows, split.y_test, {}) for rows, split in zip(parts, self._cuts, strict=True)]
        self._costs: dict[str, float] = {}  # of candidates that all folds know
        self.finished: dict[str, Any] = {}  # models of all rows
        self.steps = 0

    def run(self) -> Combined:
        """The mixture of all candidates, or of those that were finished in time."""
        try:
            if not self._table.counts:  # a probability is not comparable with a density
                self._simple()
            deep: dict[str, tuple[str, Settings]] = {}
            for left, (method, settings) in zip(range(len(self._recipes), 0, -1), self._recipes.items(), strict=True):
                if affordable := self._deep(method, settings, self._left / left):
                    deep[f"{method_name(method)} {self._layers}"] = (method, affordable)
            weights = choose(self._held_out, self._costs).weights
            for name in sorted(deep, key=lambda name: -weights[name]):
                if weights[name]:
                    session = Session(deep[name][0], self._layers, deep[name][1], self._whole, self._seed)
                    self._train(session, deep[name][1], self._whole)
                    self.finished[name] = session.predictor()
        except (_Late, KeyboardInterrupt) as stop:
            late = isinstance(stop, _Late)
            if not self.finished:
                if not late:
                    raise
                raise ValueError("max_seconds was over before any model was learnt: give it more.") from None
            why = "max_seconds is over" if late else "interrupted"
            warnings.warn(f"{why}: the model is a mixture of {', '.join(self.finished)}.", UserWarning, stacklevel=5)
        known = {name: cost for name, cost in self._costs.items() if name in self.finished or not self.finished}
        return Combined.of(self.finished, choose(self._held_out, known), self._whole)

    @property
    def _left(self) -> float:
        return self._began + self._seconds - time.monotonic()

    def _check_time(self) -> None:
        if self._left < 0:
            raise _Late

    def _simple(self) -> None:
        table, classes = self._table, len(self._table.classes)
        for name, kind in candidates(len(table.x), table.x.shape[1], classes).items():
            model, found = None, []
            for split in self._cuts:
                model = learnt(kind, split.x_train, split.y_train[:, 0], classes, model)
                found.append(prediction_of(model, split.x_test, split))
            whole = learnt(kind, self._whole.x_train, self._whole.y_train[:, 0], classes, model)
            self._know(name, found, 0.0)
            self.finished[name] = whole
            self._check_time()

    def _deep(self, method: str, settings: Settings, seconds: float) -> Settings | None:
        """What a deep GP is worth on every fold; the settings for which there is time on all rows, if there is."""
        first, seed, few = self._cuts[0], self._seed, settings
        recipe, steps = (total_steps(settings, len(split.x_train)) for split in (self._whole, first))
        session = Session(method, self._layers, few, first, seed)
        if np.isfinite(seconds):
            began = time.monotonic()
            session.advance(min(_PILOT, steps))
            pace = (time.monotonic() - began) / session.step
            share = (seconds - _PILOT * pace) / (pace * (recipe + len(self._cuts) * steps))
            if share < 1:
                steps, recipe = int(share * steps), int(share * recipe)
                if recipe < _FEWEST_STEPS:
                    return None
                few = settings.change({"max_steps": max(steps, 1)})
                session = Session(method, self._layers, few, first, seed)
            else:
                session.restart(first, seed)
        found = []
        for split in self._cuts:
            if split is not first:
                session.restart(split, seed)
            self._train(session, few, split)
            parts: list[Any] = [part for _, part in session.predictor().predict_scaled(split.x_test)]
            found.append(type(parts[0]).joined(parts))
        self._know(f"{method_name(method)} {self._layers}", found, 1.0 + len(self._costs))
        return settings.change({"max_steps": recipe})

    def _train(self, session: Session, settings: Settings, split: Split) -> None:
        advance(session, settings, split, self._progress, self._check_time)
        self.steps += session.step

    def _know(self, name: str, found: list[Any], cost: float) -> None:
        for fold, prediction in zip(self._held_out, found, strict=True):
            fold.members[name] = prediction
        self._costs[name] = cost


def _folds(table: Table) -> list[np.ndarray]:
    """Rows of three folds of one size, each with its share of every class; up to two rows are in none."""
    order = np.random.default_rng(0).permutation(len(table.y))
    if table.classes:
        order = order[np.argsort(table.y[order], kind="stable")]
    folds, parts = (_FOLDS, _FOLDS) if len(order) <= _FEW_ROWS else (1, 10)
    return [np.sort(order[k::parts][: len(order) // parts]) for k in range(folds)]

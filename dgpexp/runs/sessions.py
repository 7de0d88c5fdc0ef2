"""What a worker keeps between runs: the split it loaded last, and sessions whose graphs are already traced."""

import gc
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import numpy as np

from dgpexp import quietly
from dgpexp.blocks import blocks
from dgpexp.config import RunSpec
from dgpexp.datasets import DataChoice, Split

# Sessions that a worker keeps; each holds a model, its Adam slots, a graph and a copy of the training data. An engine
# sends a worker no more shapes than this, so that none is traced twice, and starts a new process for the next one.
KEPT = 6
_LARGE = 50_000_000  # bytes of training inputs of which a worker has one copy only


def shape(spec: RunSpec) -> tuple[Any, ...]:
    """Runs that agree in this can share a traced graph: the splits of one cell."""
    return spec.dataset, spec.method, spec.layers, spec.settings


class Sessions:
    """Makes sessions for runs, and restarts one that fits rather than tracing its graph again."""

    def __init__(self, make: Callable[..., Any] | None = None):
        self._make = make
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._split: tuple[DataChoice, Split, str] | None = None

    def load(self, spec: RunSpec) -> Split:
        choice = DataChoice.of(spec)
        if self._split is None or self._split[0] != choice:
            self._split = None  # two copies of a big data set need not be in memory at once
            split = choice.load()
            self._split = choice, split, split.digest or _digest(split)
        return self._split[1]

    def session(self, spec: RunSpec, split: Split) -> Any:
        """At step 0 on `split`, whatever it did before."""
        key = (*shape(spec), split.x_train.shape)
        if key in self._kept:
            self._kept.move_to_end(key)
            session = self._kept[key]
            session.restart(split, spec.seed)
        else:
            while len(self._kept) >= (KEPT if split.x_train.nbytes < _LARGE else 1):
                self._kept.popitem(last=False)
            gc.collect()  # a session and its graph refer to each other
            session = self._kept[key] = self._factory()(spec.method, spec.layers, spec.settings, split, spec.seed)
        session.jitter = spec.settings.jitter  # a recovery of the last run may have raised it
        return session

    def identity(self, spec: RunSpec) -> dict[str, Any]:
        """What a checkpoint must agree with: the run and the very numbers it is trained on."""
        self.load(spec)
        assert self._split is not None
        return {"run": spec.run_id, "data": self._split[2]}

    def forget(self) -> None:
        """After a failure nothing is trusted."""
        self._kept.clear()
        self._split = None

    def _factory(self) -> Callable[..., Any]:
        if self._make is None:
            quietly.import_tensorflow()  # once per worker, when it is first needed
            from dgpexp.training.session import Session

            self._make = Session
        return self._make


def _digest(split: Split) -> str:
    digest = hashlib.sha256()
    for array in (split.x_train, split.y_train, split.x_test, split.y_test):
        for block in blocks(array):
            digest.update(np.ascontiguousarray(block).data)
    return digest.hexdigest()

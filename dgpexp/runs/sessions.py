"""What a worker keeps between runs: the split it loaded last, and sessions whose graphs are already traced."""

import gc
import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from dgpexp import quietly
from dgpexp.blocks import blocks
from dgpexp.config import RunSpec
from dgpexp.datasets import DataChoice, Split
from dgpexp.errors import GangLost, RunFailed
from dgpexp.runs import code, provenance

# Sessions that a worker keeps; each holds a model, its Adam slots, a graph and a copy of the training data. An engine
# sends a worker no more shapes than this, so that none is traced twice, and starts a new process for the next one.
KEPT = 6
_LARGE = 50_000_000  # bytes of training inputs of which a worker has one copy only


def shape(spec: RunSpec) -> tuple[Any, ...]:
    """Runs that agree in this can share a traced graph: the splits of one cell."""
    return spec.dataset, spec.method, spec.layers, spec.settings


@dataclass(frozen=True)
class Gang:
    """The place of this process among those that train one model together, one for each shard."""

    rank: int
    addresses: tuple[str, ...]  # host:port of every process, in rank order
    deadline: int  # seconds for them to find each other


class Sessions:
    """Makes sessions for runs, and restarts one that fits rather than tracing its graph again.

    The process of a `gang` makes one session, for the one run that the gang executes.
    """

    def __init__(self, make: Callable[..., Any] | None = None):
        self._make = make
        self.gang: Gang | None = None
        self._ring: Any = None
        self._kept: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._split: tuple[DataChoice, Split, str] | None = None

    def join(self) -> None:
        """Find the other processes of the gang, if this one is of one; before anything asks TensorFlow for work."""
        if self.gang is not None:
            quietly.import_tensorflow()
            from dgpexp.training.ring import Ring

            self._ring = Ring(self.gang.rank, self.gang.addresses, self.gang.deadline)

    def compare(self, spec: RunSpec) -> None:
        """Refuse a gang whose processes differ in what decides the numbers: all of them notice."""
        if self._ring is None:
            return
        about = {"sources of dgpexp": code.overall(code.modules()), **provenance.libraries()}
        for name, value in {**about, "data": self.identity(spec)["data"]}.items():
            digest = float(int(hashlib.sha256(value.encode()).hexdigest()[:12], 16))  # 48 bits: exact
            found = self._ring.gather(np.array([[digest]])).numpy()[:, 0]
            for rank in np.flatnonzero(found != found[0]):
                raise RunFailed(f"process {rank} of {len(found)} has other {name} than process 0: install the same.")

    def follow(self, spec: RunSpec) -> None:
        """Compute this process's shards of the run, until rank 0 is gone: GangLost."""
        from dgpexp.training.ring import follow

        self.join()
        split = self.load(spec)
        self.compare(spec)
        follow(self.session(spec, split), self._ring)

    def lost(self, error: Exception) -> bool:
        """Whether an error says that the gang has lost a process; the ring's failure befalls other calls too."""
        broken = ("UnavailableError", "AbortedError", "CancelledError", "InternalError", "DeadlineExceededError")
        return isinstance(error, GangLost) or (self._ring is not None and type(error).__name__ in broken)

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
            if self.gang is not None:
                from dgpexp.training.ring import Leader

                leads = self.gang.rank == 0
                self._make = partial(Leader, ring=self._ring) if leads else partial(Session, exchange=self._ring)
        return self._make


def _digest(split: Split) -> str:
    digest = hashlib.sha256()
    for array in (split.x_train, split.y_train, split.x_test, split.y_test):
        for block in blocks(array):
            digest.update(np.ascontiguousarray(block).data)
    return digest.hexdigest()

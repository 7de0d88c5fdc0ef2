"""Sessions for tests, traced once: what a worker does for the splits of a cell, whose shapes agree."""

from typing import Any

from dgpexp.config import Settings
from dgpexp.datasets import Split
from dgpexp.training.session import Session

SMALL = Settings(inducing_points=10, train_samples=3, test_samples=20, batch_size=30, epochs=150)
KEPT = 12  # each with its graphs, some 10 MB
_kept: dict[tuple[Any, ...], Session] = {}


# 100 rows do not pay for 100 features, and the noise of minibatches makes a chain slow
OWN = {"rff": {"features": 10}, "sghmc": {"batch_size": 100, "epochs": 600}}


def small(method: str) -> Settings:
    return SMALL.change(OWN.get(method, {}))


def begun(method: str, layers: int, settings: Settings, split: Split, seed: int = 0) -> Session:
    """A session at step 0. It is the one that the last call for these shapes gave, which begins again."""
    key = method, layers, settings, split.x_train.shape, split.classes
    session = _kept.pop(key, None)
    if session is None:
        session = Session(method, layers, settings, split, seed)
    else:
        session.restart(split, seed)
        session.jitter = settings.jitter
    _kept[key] = session
    if len(_kept) > KEPT:
        del _kept[next(iter(_kept))]
    return session

"""dgpexp: deep Gaussian processes by VI, AEP and AEPMCM under one protocol."""

from importlib import import_module
from typing import Any

__version__ = "0.2.0"
_ESTIMATORS = ("DeepGPClassifier", "DeepGPRegressor")


def __getattr__(name: str) -> Any:
    """The estimators, imported when they are asked for: they need TensorFlow, which takes seconds."""
    if name in _ESTIMATORS:
        return getattr(import_module("dgpexp.estimators"), name)
    raise AttributeError(f"module 'dgpexp' has no attribute '{name}'")


def __dir__() -> list[str]:
    return [*globals(), *_ESTIMATORS]

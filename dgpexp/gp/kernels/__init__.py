"""Covariance functions. A new kernel is a class with `of_squared_distance` and an entry in dgpexp/kernels.py."""

from importlib import import_module
from typing import Any

from dgpexp.gp.kernels.features import Features
from dgpexp.gp.kernels.stationary import Stationary
from dgpexp.kernels import KERNELS

__all__ = ["Features", "Stationary", "kernel_class"]


def kernel_class(name: str) -> Any:
    """The class of a kernel: Stationary, Features, or both, as its entry says."""
    module, _, kind = KERNELS[name].where.partition(":")
    return getattr(import_module(f"dgpexp.gp.kernels.{module}"), kind)

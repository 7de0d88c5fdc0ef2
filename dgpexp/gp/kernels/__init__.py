"""Covariance functions, one per file. A new stationary kernel is a class with `of_squared_distance`."""

from dgpexp.gp.kernels.matern import Matern32, Matern52
from dgpexp.gp.kernels.rbf import RBF
from dgpexp.gp.kernels.stationary import Stationary

KERNELS: dict[str, type[Stationary]] = {"rbf": RBF, "matern32": Matern32, "matern52": Matern52}

__all__ = ["KERNELS", "RBF", "Matern32", "Matern52", "Stationary"]

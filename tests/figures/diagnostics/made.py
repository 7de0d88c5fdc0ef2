"""What a model might have predicted, with faults that are known."""

from typing import Any

import numpy as np
import pandas as pd

from dgpexp.drawing import canvas
from dgpexp.figures.diagnostics.panel import Predicted
from dgpexp.predictive.classes import Classes
from dgpexp.predictive.mixture import Mixture

LABELS = ("aster", "briar", "clover")


def _tested(prediction: Any, y: np.ndarray, target: str, **more: Any) -> Predicted:
    curves = [pd.DataFrame({"step": [10, 20], "ll": [-3.0, -2.0]})] * 2
    worth = {"area": np.array([0.5, 1.5]), "city": np.array([0.1, -0.1])}
    about = {"curves": curves, "worth": worth, "features": ("area", "city=Bern", "city=Oslo"), "colour": canvas.BLUE}
    about["lengthscales"] = np.array([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]])
    return Predicted(prediction, y, target=target, **{**about, **more})


def numbers(claimed: float = 1.0, n: int = 400, apart: float = 0.0, **more: Any) -> Predicted:
    """Rows with a noise of deviation 1, predicted with a deviation of `claimed`, by components so far apart."""
    rng = np.random.default_rng(0)
    mean = 10 * rng.normal(size=n)
    mixture = Mixture(np.stack([mean - apart / 2, mean + apart / 2]), np.full((2, n), claimed**2))
    return _tested(mixture, mean + rng.normal(size=n), "rent", **more)


def classes(claimed: float = 0.7, n: int = 600) -> Predicted:
    """Rows of which seven in ten are right, whatever is claimed."""
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=n)
    named = np.where(rng.random(n) < 0.7, y, (y + 1) % 3)
    p = np.where(np.eye(3)[named] == 1, claimed, (1 - claimed) / 2)
    return _tested(Classes(np.log(p), LABELS), y.astype(float), "species")

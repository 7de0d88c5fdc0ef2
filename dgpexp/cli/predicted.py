"""Put predictions into columns beside those of their rows."""

from typing import Any

import numpy as np
import pandas as pd

from dgpexp.predictive.classes import Classes
from dgpexp.predictive.distribution import Distribution


def of_numbers(
    prediction: Distribution,
    quantiles: list[float],
    interval: float | None,
    kind: str,
    unknown: np.ndarray | float = 0.0,
) -> dict[str, Any]:
    """Mean, deviation and its two parts, quantiles and, if it is asked for, an interval of that level.

    The squares of `noise`, which stays with more rows, and `ignorance`, which would go, sum to that of `std`.
    """
    variance, ignorance = prediction.variance(), prediction.ignorance(unknown)
    found = {"mean": prediction.mean(), "std": np.sqrt(variance)}
    found |= {"noise": np.sqrt(np.maximum(variance - ignorance, 0.0)), "ignorance": np.sqrt(ignorance)}
    found |= {f"q{level}": prediction.quantile(level) for level in quantiles}
    return found | (_ends(prediction, interval, kind) if interval else {})


def _ends(prediction: Distribution, level: float, kind: str) -> dict[str, Any]:
    """`low` and `high`; of a highest-density region `low_1`, `high_1`, ..., empty where a row has fewer."""
    found = prediction.interval(level, kind)
    if kind == "central":
        return {"low": found[:, 0], "high": found[:, 1]}
    ends = (("low", 0), ("high", 1))
    return {f"{name}_{k + 1}": found[:, k, end] for k in range(found.shape[1]) for name, end in ends}


def of_classes(classes: Classes) -> dict[str, Any]:
    """The most probable class, its probability, and the probabilities of all."""
    found = {"class": [classes.labels[c] for c in classes.most_probable()], "probability": classes.confidence()}
    return found | {f"p({label})": p for label, p in zip(classes.labels, classes.probabilities.T, strict=True)}


def beside(kept: pd.DataFrame, found: pd.DataFrame) -> pd.DataFrame:
    """Join the rows' columns with ours; ours get the prefix `predicted_` until no name is taken."""
    ours: dict[str, str] = {}
    for name in found.columns:
        longer = name
        while longer in kept.columns or longer in ours.values() or (longer != name and longer in found.columns):
            longer = f"predicted_{longer}"
        ours[name] = longer
    return pd.concat([kept, found.rename(columns=ours)], axis=1)

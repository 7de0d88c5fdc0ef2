"""What test points of known class were taken for, as counts: they add up over splits, and are kept with a run.

From them a reliability diagram and a confusion matrix are drawn without the model.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from dgpexp.predictive.classes import Classes

BINS = 15  # of equal width over the confidences (0, 1]


def binned(confidence: np.ndarray, hit: np.ndarray) -> np.ndarray:
    """Points, right ones among them, and the sum of their confidences in every bin: [BINS, 3]."""
    place = np.clip(np.ceil(confidence * BINS).astype(int) - 1, 0, BINS - 1)
    return np.stack([np.bincount(place, weights=w, minlength=BINS) for w in (np.ones(len(hit)), hit, confidence)], 1)


def calibration_error(bins: np.ndarray) -> float:
    """Σ_b share of the points in bin b · |their accuracy - their mean confidence|, of `binned` points."""
    points, right, confidence = bins.T
    return float(np.abs(right - confidence).sum() / points.sum())


@dataclass(frozen=True)
class Tally:
    """The counts of some test points."""

    labels: tuple[str, ...]  # of the classes 0, 1, ..., C - 1
    confusion: np.ndarray  # [C, C] points of class i (down) that were taken for class j (across)
    bins: np.ndarray  # [BINS, 3] as `binned` gives them

    @classmethod
    def of(cls, classes: Classes, y: np.ndarray) -> "Tally":
        """Count predictions for points whose classes have the numbers y [n]."""
        count = len(classes.labels)
        pairs = np.bincount(y.astype(int) * count + classes.most_probable(), minlength=count**2)
        return cls(classes.labels, pairs.reshape(count, count), binned(classes.confidence(), classes.hit(y)))

    def __add__(self, other: "Tally") -> "Tally":
        if self.labels != other.labels:
            raise ValueError(f"classes {self.labels} and {other.labels} cannot be counted together")
        return Tally(self.labels, self.confusion + other.confusion, self.bins + other.bins)

    def as_dict(self) -> dict[str, Any]:
        """Plain JSON, which `from_dict` reads back; sums of confidences to a millionth."""
        bins = [[int(points), int(right), round(float(sure), 6)] for points, right, sure in self.bins]
        return {"labels": list(self.labels), "confusion": self.confusion.tolist(), "bins": bins}

    @classmethod
    def from_dict(cls, d: Mapping[str, Any]) -> "Tally":
        """A ValueError if it is not what `as_dict` writes."""
        try:
            labels, confusion, bins = tuple(d["labels"]), np.array(d["confusion"], int), np.array(d["bins"], float)
        except (KeyError, TypeError) as error:
            raise ValueError(f"not a tally: {error}") from None
        if confusion.shape != (len(labels),) * 2 or bins.shape != (BINS, 3):
            raise ValueError(f"not a tally: {confusion.shape}, {bins.shape}")
        return cls(labels, confusion, bins)

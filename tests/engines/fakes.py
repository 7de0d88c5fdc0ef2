"""A session of a few numpy operations that behaves as the real one does: a function of (seed, step), restorable."""

import time
from pathlib import Path

import numpy as np

from dgpexp.config import Settings
from dgpexp.datasets import Split
from dgpexp.errors import NumericalFailure
from dgpexp.predictive.tally import Tally

SECONDS_A_STEP = 0.002


class FakeSession:
    """Moves four numbers about. The data set `step` is rigged: its Cholesky fails whatever the jitter."""

    def __init__(self, method: str, layers: int, settings: Settings, split: Split, seed: int):
        self.settings = settings
        self.restart(split, seed)

    def restart(self, split: Split, seed: int) -> None:
        self.split, self.seed, self.step, self.seconds, self.jitter = split, seed, 0, 0.0, self.settings.jitter
        self.values = np.full(4, split.x_train.mean())

    def advance(self, n: int) -> float:
        total = 0.0
        for _ in range(n):
            if self.split.name == "step" and self.step >= 150:
                raise NumericalFailure("the Cholesky factorisation of layer 1 failed")
            draw = np.random.RandomState([self.seed, self.step]).normal(size=4)
            self.values = 0.9 * self.values + 0.1 * draw + self.jitter
            total += float(self.values.sum())
            self.step += 1
        time.sleep(SECONDS_A_STEP * n)
        self.seconds += SECONDS_A_STEP * n
        return total / n

    def evaluate(self, rows: np.ndarray | None = None, full: bool = True, between: object = None) -> dict[str, float]:
        return {
            "rmse": float(np.abs(self.values).sum()),
            "ll": float(self.values[0]),
            **({"crps": 1.0} if full else {}),
        }

    def tally(self, rows: np.ndarray | None = None, between: object = None) -> Tally | None:
        return None

    def several_modes(self) -> float:
        return 0.0

    def state(self) -> dict[str, np.ndarray]:
        return {
            "values": self.values.copy(),
            "step": np.int64(self.step),
            "seconds": np.float64(self.seconds),
            "jitter": np.float64(self.jitter),
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        self.values = state["values"].copy()
        self.step, self.seconds, self.jitter = int(state["step"]), float(state["seconds"]), float(state["jitter"])

    def predictor(self) -> "FakeSession":
        return self

    def save(self, path: Path) -> None:
        with open(path, "wb") as f:
            np.savez(f, values=self.values)

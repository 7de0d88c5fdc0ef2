"""Train a small model for a figure, in seconds."""

from typing import Any

from dgpexp.config import Settings
from dgpexp.datasets import Split
from dgpexp.training.predictor import Predictor
from dgpexp.training.session import Session


def train(split: Split, method: str, layers: int, steps: int, **settings: Any) -> Predictor:
    """`steps` gradient steps of `method` on the training part of a split; always from the same seed."""
    session = Session(method, layers, Settings(**settings), split, seed=0)
    session.advance(steps)
    return session.predictor()

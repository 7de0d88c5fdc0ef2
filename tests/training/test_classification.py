"""Training on classes: as good as the rule that made them, and a file that knows their names."""

from pathlib import Path

import numpy as np
import pytest
from scipy.special import log_ndtr

from dgpexp.config import Settings
from dgpexp.datasets.splits import Split, cut
from dgpexp.datasets.table import Table
from dgpexp.predictive.tally import calibration_error
from dgpexp.tasks import CLASSIFICATION
from dgpexp.training.predictor import Predictor
from dgpexp.training.session import Session

TEST = 1500


def _argument(x: np.ndarray) -> np.ndarray:
    """P(second class | x) = Φ(this)."""
    return 2.5 * np.sin(2 * x)


def _waves(rows: int = 2000, classes: tuple[str, ...] = ("off", "on")) -> Split:
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, size=(rows + TEST, 1))
    y = (rng.standard_normal(len(x)) < _argument(x[:, 0])).astype(float)
    if len(classes) == 3:  # the third wherever x is large
        y[x[:, 0] > 1] = 2.0
    return cut(Table("waves", x, y, ("x",), "state", classes=classes), slice(0, rows), slice(rows, None))


def _optimum(split: Split) -> float:
    """The test log-likelihood of whoever knows P(y | x)."""
    x = split.x_scaler.inverse(split.x_test)[:, 0]
    return float(np.mean(log_ndtr((2 * split.y_test - 1) * _argument(x))))


SMALL = {"inducing_points": 12, "train_samples": 3, "test_samples": 20, "cooldown": 0.5, "max_steps": 400}


@pytest.mark.parametrize(("method", "layers"), [("vi", 1), ("vi", 2), ("aep", 2), ("aepmcm", 2)])
def test_the_log_likelihood_is_near_the_best_there_is(method, layers):
    split = _waves()
    assert split.task is CLASSIFICATION
    session = Session(method, layers, Settings(**SMALL), split, seed=1)
    session.advance(session.total_steps)
    found = session.evaluate()
    assert _optimum(split) - 0.02 < found["ll"] < _optimum(split) + 0.005
    assert found["ece"] < 0.04


@pytest.mark.parametrize("likelihood", ["robustmax", "softmax"])
def test_three_classes_are_told_apart(likelihood):
    split = _waves(500, ("off", "on", "high"))
    session = Session("aepmcm", 2, Settings(likelihood=likelihood, **{**SMALL, "max_steps": 300}), split, seed=1)
    session.advance(session.total_steps)
    found, tally = session.evaluate(), session.tally()
    assert found["accuracy"] > 0.84  # always the most frequent class: 0.40; the best rule: 0.89
    assert tally is not None and tally.labels == split.classes  # the same points, counted
    np.testing.assert_allclose(np.trace(tally.confusion) / TEST, found["accuracy"])
    np.testing.assert_allclose(calibration_error(tally.bins), found["ece"])


def test_a_saved_model_names_the_classes(tmp_path: Path):
    split = _waves(60, ("off", "on", "high"))
    session = Session("aepmcm", 2, Settings(**SMALL), split, seed=1)
    session.advance(2)
    session.predictor().save(tmp_path / "model.npz")
    x = np.linspace(-2, 2, 5)[:, None]
    mine, loaded = session.predictor().predict(x), Predictor.load(tmp_path / "model.npz").predict(x)
    assert loaded.labels == ("off", "on", "high")
    np.testing.assert_allclose(loaded.log_probabilities, mine.log_probabilities, rtol=1e-12)

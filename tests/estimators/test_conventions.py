"""scikit-learn's own checks of an estimator."""

from collections.abc import Iterator
from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from dgpexp import DeepGPClassifier, DeepGPRegressor
from dgpexp.config import Settings
from dgpexp.datasets import Split
from dgpexp.estimators import base
from dgpexp.training.session import Session

# One layer is traced in half the time of two; what two layers could break is asked of two in test_regressor.py.
QUICK = {"layers": 1, "steps": 150, "inducing_points": 15, "samples": 2, "learning_rate": 0.05}
# Predictions of few paths are as good as of many for these, and quicker.
QUICK["settings"] = {"test_samples": 5}


@pytest.fixture(scope="module", autouse=True)
def trained_once() -> Iterator[None]:
    """What was trained once serves every check that fits the same numbers; test_regressor.py trains them twice."""
    kept: dict[Any, Session] = {}
    train = base.trained

    def trained(method: str, layers: int, settings: Settings, split: Split, seed: int, progress: bool) -> Session:
        numbers = split.x_train.tobytes(), split.y_train.tobytes(), split.x_train.shape
        key = method, layers, settings, seed, split.classes, split.features, split.x_scaler.mean.tobytes(), *numbers
        if key not in kept:
            kept[key] = train(method, layers, settings, split, seed, progress)
        return kept[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "trained", trained)
        yield


@parametrize_with_checks([DeepGPRegressor(**QUICK), DeepGPClassifier(**QUICK)])
def test_check_estimator(estimator, check):
    check(estimator)

"""Predictions of classes, and the metrics of them against scikit-learn's."""

import numpy as np
import pytest
from sklearn import metrics as sklearn

from dgpexp.predictive.classes import Classes
from dgpexp.predictive.metrics import score, summary
from dgpexp.tasks import CLASSIFICATION


def _case(classes: int, rows: int = 300) -> tuple[Classes, np.ndarray]:
    """Probabilities that know something of y."""
    rng = np.random.default_rng(classes)
    y = rng.integers(classes, size=rows)
    logits = rng.normal(size=(rows, classes)) + 1.5 * np.eye(classes)[y]
    log_p = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return Classes(log_p, tuple("abcde"[:classes])), y.astype(float)


def _measured(prediction: Classes, y: np.ndarray) -> dict[str, float]:
    return summary(CLASSIFICATION, [score(CLASSIFICATION, prediction, y, 0.0, full=True)])


@pytest.mark.parametrize("classes", [2, 4])
def test_the_metrics_are_scikit_learns(classes):
    prediction, y = _case(classes)
    p, found = prediction.probabilities, _measured(prediction, y)
    np.testing.assert_allclose(found["accuracy"], sklearn.accuracy_score(y, p.argmax(1)))
    np.testing.assert_allclose(found["ll"], -sklearn.log_loss(y, p))
    np.testing.assert_allclose(found["brier"], sklearn.brier_score_loss(y, p, scale_by_half=False))
    if classes == 2:
        np.testing.assert_allclose(found["auc"], sklearn.roc_auc_score(y, p[:, 1]))
    else:
        assert "auc" not in found, "it is of two classes"


def test_ties_count_half_in_the_auc():
    p = np.array([0.2, 0.5, 0.5, 0.5, 0.9, 0.1])
    y = np.array([0.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    found = _measured(Classes(np.log(np.stack([1 - p, p], axis=1)), ("a", "b")), y)
    np.testing.assert_allclose(found["auc"], sklearn.roc_auc_score(y, p))


def test_the_calibration_error_bin_by_bin():
    prediction, y = _case(4)
    p = prediction.probabilities
    confidence, hit = p.max(1), p.argmax(1) == y
    expected = 0.0
    for b in range(15):
        inside = (b / 15 < confidence) & (confidence <= (b + 1) / 15)
        if inside.any():
            expected += inside.mean() * abs(hit[inside].mean() - confidence[inside].mean())
    np.testing.assert_allclose(_measured(prediction, y)["ece"], expected)


def test_calibrated_probabilities_have_almost_no_calibration_error():
    prediction, _ = _case(3, rows=50_000)
    y = prediction.sample(1, np.random.default_rng(0))[0].astype(float)
    assert _measured(prediction, y)["ece"] < 0.01
    sharper = 2.0 * prediction.log_probabilities
    sharper -= np.log(np.exp(sharper).sum(axis=1, keepdims=True))
    assert _measured(Classes(sharper, prediction.labels), y)["ece"] > 0.05


def test_a_test_part_of_one_class_has_no_auc():
    prediction, y = _case(2)
    assert "auc" not in _measured(prediction, np.zeros_like(y))


def test_regression_has_none_of_them_and_classification_no_rmse():
    assert not {"rmse", "crps", "coverage90", "ll_rounded"} & set(_measured(*_case(2)))


def test_a_class_that_is_ruled_out_costs_a_finite_amount():
    prediction = Classes(np.array([[-800.0, 0.0]]), ("a", "b"))
    assert _measured(prediction, np.zeros(1))["ll"] == -800.0


def test_draws_come_as_often_as_they_are_probable():
    prediction, _ = _case(4, rows=3)
    draws = prediction.sample(40_000, np.random.default_rng(0))
    for c in range(4):
        np.testing.assert_allclose((draws == c).mean(0), prediction.probabilities[:, c], atol=0.01)


def test_parts_are_joined_in_order():
    prediction, y = _case(3)
    halves = [Classes(prediction.log_probabilities[at], prediction.labels) for at in (slice(0, 7), slice(7, None))]
    np.testing.assert_array_equal(Classes.joined(halves).hit(y), prediction.hit(y))

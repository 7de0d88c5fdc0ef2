"""Counts of what test points were taken for: known cases, sums over splits, and the way to a file and back."""

import json

import numpy as np
import pytest
from sklearn import metrics as sklearn

from dgpexp.predictive.classes import Classes
from dgpexp.predictive.tally import BINS, Tally, calibration_error

LABELS = ("aster", "briar", "clover")


def _case(rows: int, seed: int) -> tuple[Classes, np.ndarray]:
    rng = np.random.default_rng(seed)
    return Classes(np.log(rng.dirichlet([1.0] * 3, size=rows)), LABELS), rng.integers(3, size=rows).astype(float)


def test_the_confusion_has_the_actual_class_down_and_the_predicted_one_across():
    classes = Classes(np.log([[0.1, 0.8, 0.1], [0.6, 0.2, 0.2], [0.1, 0.7, 0.2]]), LABELS)
    found = Tally.of(classes, np.array([2.0, 0.0, 1.0]))
    np.testing.assert_array_equal(found.confusion, [[1, 0, 0], [0, 1, 0], [0, 1, 0]])


def test_it_is_the_confusion_of_scikit_learn_and_bins_hold_every_point_once():
    classes, y = _case(500, 0)
    found = Tally.of(classes, y)
    np.testing.assert_array_equal(found.confusion, sklearn.confusion_matrix(y, classes.most_probable()))
    points, right, confidence = found.bins.T
    assert points.sum() == 500 and right.sum() == np.trace(found.confusion)
    np.testing.assert_allclose(confidence.sum(), classes.confidence().sum())
    edges = np.arange(BINS + 1) / BINS
    assert (edges[:-1] * points <= confidence).all() and (confidence <= edges[1:] * points).all()


def test_the_counts_of_two_splits_add_up_to_those_of_all_points():
    (a, y_a), (b, y_b) = _case(40, 1), _case(60, 2)
    added, joined = Tally.of(a, y_a) + Tally.of(b, y_b), Tally.of(Classes.joined([a, b]), np.concatenate([y_a, y_b]))
    np.testing.assert_array_equal(added.confusion, joined.confusion)
    np.testing.assert_allclose(added.bins, joined.bins)
    with pytest.raises(ValueError, match="together"):
        Tally.of(a, y_a) + Tally.of(Classes(b.log_probabilities, ("x", "y", "z")), y_b)


def test_a_file_gives_the_same_counts_and_calibration_error():
    found = Tally.of(*_case(300, 3))
    read = Tally.from_dict(json.loads(json.dumps(found.as_dict())))
    np.testing.assert_array_equal(read.confusion, found.confusion)
    np.testing.assert_allclose(calibration_error(read.bins), calibration_error(found.bins), atol=1e-6)


@pytest.mark.parametrize("broken", [{}, {"labels": ["a"]}, {"labels": ["a"], "confusion": [[1]], "bins": [[1, 1, 1]]}])
def test_what_is_no_tally_is_refused(broken):
    with pytest.raises(ValueError, match="not a tally"):
        Tally.from_dict(broken)

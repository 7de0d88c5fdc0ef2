"""The picture of predicted classes, from predictions whose faults are known."""

import numpy as np
import pandas as pd

from dgpexp.drawing import canvas
from dgpexp.figures.class_diagnostics import confusion, draw
from dgpexp.figures.diagnostics import SplitPredictions
from dgpexp.predictive.classes import Classes

LABELS = ("aster", "briar", "clover")


def predicted(seed: int, claimed: float) -> SplitPredictions:
    """300 rows of which seven in ten are right, whatever is claimed."""
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=300)
    named = np.where(rng.random(300) < 0.7, y, (y + 1) % 3)
    p = np.where(np.eye(3)[named] == 1, claimed, (1 - claimed) / 2)
    curves = pd.DataFrame({"step": [10, 20], "ll": [-3.0, -2.0]})
    return SplitPredictions(Classes(np.log(p), LABELS), y.astype(float), curves, np.arange(1.0, 3.0))


def test_four_panels_say_what_they_show_over_all_splits():
    with canvas.applied():
        figure = draw([predicted(0, 0.7), predicted(1, 0.7)], ["petal", "sepal"], "species", canvas.BLUE)
    titles = [ax.get_title() for ax in figure.axes]
    assert titles == ["reliability", "confusion", "learning", "relevance of inputs"]
    reliability, matrix = figure.axes[:2]
    (note,) = (text.get_text() for text in reliability.texts)
    assert note.startswith("600 rows, ")
    assert [label.get_text() for label in matrix.get_xticklabels()] == list(LABELS)
    assert sum(int(text.get_text()) for text in matrix.texts) == 600


def test_who_claims_too_much_lies_below_the_diagonal():
    for claimed, below in ((0.7, False), (0.95, True)):
        with canvas.applied():
            ax = draw([predicted(0, claimed)], ["petal", "sepal"], "species", canvas.BLUE).axes[0]
        (confidence,), (accuracy,) = ax.lines[0].get_data()
        np.testing.assert_allclose(confidence, claimed)
        assert (accuracy < confidence - 0.1) == below


def test_the_confusion_has_the_actual_class_down_and_the_predicted_one_across():
    classes = Classes(np.log([[0.1, 0.8, 0.1], [0.6, 0.2, 0.2], [0.1, 0.7, 0.2]]), LABELS)
    np.testing.assert_array_equal(confusion(classes, np.array([2.0, 0.0, 1.0])), [[1, 0, 0], [0, 1, 0], [0, 1, 0]])

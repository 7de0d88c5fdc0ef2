"""The panels of predicted classes, from predictions whose faults are known."""

import numpy as np

from dgpexp.drawing import canvas
from dgpexp.figures.diagnostics.class_panels import CLASS_PANELS
from dgpexp.figures.diagnostics.panel import picture
from tests.figures.diagnostics.made import LABELS, classes


def test_panels_say_what_they_show_over_all_splits():
    with canvas.applied():
        figure = picture(CLASS_PANELS, classes())
    titles = [ax.get_title(loc="left") for ax in figure.axes if ax.get_visible()]
    assert titles == ["reliability", "confusion", "learning", "worth of columns", "bending along inputs"]
    reliability, matrix = figure.axes[:2]
    (note,) = (text.get_text() for text in reliability.texts)
    assert note.startswith("600 rows,\n")
    assert [label.get_text() for label in matrix.get_xticklabels()] == list(LABELS)
    assert sum(int(text.get_text()) for text in matrix.texts) == 600


def test_who_claims_too_much_lies_below_the_diagonal():
    for claimed, below in ((0.7, False), (0.95, True)):
        with canvas.applied():
            ax = picture(CLASS_PANELS[:1], classes(claimed)).axes[0]
        (confidence,), (accuracy,) = ax.lines[0].get_data()
        np.testing.assert_allclose(confidence, claimed)
        assert (accuracy < confidence - 0.1) == below

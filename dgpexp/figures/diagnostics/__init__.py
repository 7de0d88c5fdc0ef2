"""How far the predictions of a table can be believed, panel by panel: `dgpexp plot` and the page of a user's own table.

A panel is a title, a caption and a function that draws it on any axes. Who wants one picture puts all panels into it,
who wants a page draws each by itself: the drawing is the same.
"""

from dgpexp.figures.diagnostics.class_panels import CLASS_PANELS
from dgpexp.figures.diagnostics.number_panels import NUMBER_PANELS
from dgpexp.figures.diagnostics.panel import Panel
from dgpexp.tasks import CLASSIFICATION, REGRESSION

PANELS: dict[str, tuple[Panel, ...]] = {REGRESSION.name: NUMBER_PANELS, CLASSIFICATION.name: CLASS_PANELS}

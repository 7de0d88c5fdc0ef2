"""Random numbers in the shape of a data set, to time a model where its file cannot be had."""

import numpy as np

from dgpexp.datasets.catalog import find
from dgpexp.datasets.splits import Split, cut
from dgpexp.datasets.table import Table


def random_table(rows: int, features: tuple[str, ...], classes: tuple[str, ...] = ()) -> Table:
    """Independent standard normal inputs and target, or classes by chance: there is nothing to learn."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, len(features)))
    y = rng.integers(len(classes), size=rows).astype(float) if classes else rng.standard_normal(rows)
    return Table("random", x, y, features, "y", classes=classes)


def random_split(name: str) -> Split:
    """As many rows and inputs as the data set `name` has, a tenth of them for the test."""
    dataset = find(name)
    last = round(0.9 * dataset.rows)
    return cut(random_table(dataset.rows, dataset.features, dataset.classes), slice(0, last), slice(last, None))

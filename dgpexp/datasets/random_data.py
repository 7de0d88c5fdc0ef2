"""Random numbers in the shape of a data set, to time a model where its file cannot be had."""

import numpy as np

from dgpexp.datasets.catalog import find
from dgpexp.datasets.splits import Split, cut
from dgpexp.datasets.table import Table


def random_table(rows: int, features: tuple[str, ...], classes: tuple[str, ...] = (), counts: bool = False) -> Table:
    """Independent standard normal inputs and target, or classes or counts by chance: there is nothing to learn."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((rows, len(features)))
    y = rng.integers(len(classes) or 10, size=rows).astype(float) if classes or counts else rng.standard_normal(rows)
    return Table("random", x, y, features, "y", classes=classes, counts=counts)


def random_split(name: str, counts: bool = False) -> Split:
    """As many rows and inputs as the data set `name` has, a tenth of them for the test."""
    dataset = find(name)
    last = round(0.9 * dataset.rows)
    table = random_table(dataset.rows, dataset.features, dataset.classes, counts)
    return cut(table, slice(0, last), slice(last, None))

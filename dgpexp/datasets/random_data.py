"""Random numbers in the shape of a data set, to time a model where its file cannot be had."""

import numpy as np

from dgpexp.datasets import Split
from dgpexp.datasets.catalog import find
from dgpexp.datasets.splits import cut
from dgpexp.datasets.table import Table


def random_table(rows: int, features: tuple[str, ...]) -> Table:
    """Independent standard normal inputs and target: there is nothing to learn."""
    rng = np.random.default_rng(0)
    return Table("random", rng.standard_normal((rows, len(features))), rng.standard_normal(rows), features, "y")


def random_split(name: str) -> Split:
    """As many rows and inputs as the data set `name` has, a tenth of them for the test."""
    dataset = find(name)
    last = round(0.9 * dataset.rows)
    return cut(random_table(dataset.rows, dataset.features), slice(0, last), slice(last, None))

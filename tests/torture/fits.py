"""A process that fits many small tables, as a search over parameters does: its memory stays what the first fits needed.

The short form is in tests/estimators/test_host.py, where the graphs that are left are counted.
"""

from pathlib import Path

import numpy as np

from dgpexp import DeepGPRegressor
from tests.torture.tally import Tally

ALLOWED = 50  # MiB


def fits(count: int, seed: int) -> Tally:
    """`count` tables, each of another shape."""
    rng, first = np.random.default_rng(seed), 0.0
    for number in range(count):
        x = rng.normal(size=(30 + number % 40, 1 + number % 7))
        model = DeepGPRegressor(steps=20, inducing_points=8, samples=2, layers=1 + number % 2, random_state=0)
        assert np.isfinite(model.fit(x, x.sum(axis=1)).predict(x)).all()
        first = first or _mib()
    grown = _mib() - first
    tally = Tally("fits", f"{count} small tables, {first:.0f} MiB + {grown:.0f}")
    tally.different = int(grown > ALLOWED)
    return tally


def _mib() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 2**20

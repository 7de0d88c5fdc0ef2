"""Intervals with a guarantee hold what they promise, by simulation, where the model is wrong."""

import numpy as np
import pytest
from scipy.stats import norm

from dgpexp.errors import UserError
from dgpexp.predictive.guarantee import KINDS, corrected_level, needed_levels
from dgpexp.predictive.mixture import Mixture


def says(rows: int) -> Mixture:
    """Two branches at ±2 with deviations 0.5."""
    return Mixture(np.tile([[-2.0], [2.0]], rows), np.full((2, rows), 0.25))


def truth(rng: np.random.Generator, rows: int) -> np.ndarray:
    """The same branches, but twice as wide."""
    return 2.0 * rng.choice([-1.0, 1.0], rows) + rng.normal(size=rows)


def inside(y: np.ndarray, ends: np.ndarray) -> np.ndarray:
    ends = ends[:, None] if ends.ndim == 2 else ends
    return ((ends[..., 0] <= y[:, None]) & (y[:, None] <= ends[..., 1])).any(1)


@pytest.mark.parametrize("kind", KINDS)
def test_the_share_of_new_rows_inside_is_what_was_promised(kind):
    rng, held, plain = np.random.default_rng(0), [], []
    for _ in range(60):
        needed = needed_levels(says(60), truth(rng, 60))
        level, y = corrected_level(needed, 0.8, kind), truth(rng, 40)
        u = np.abs(2 * says(40).cdf(y) - 1) if kind == "central" else needed_levels(says(40), y)[1]
        held.append(np.mean(u <= level))
        plain.append(np.mean(u <= 0.8))
    error = 0.5 / np.sqrt(60 * 40)
    assert 0.8 - 4 * error < np.mean(held) < 0.8 + 1 / 61 + 4 * error
    assert np.mean(plain) < 0.7, "which the model alone does not keep"


def test_a_corrected_region_has_an_interval_for_each_branch():
    y = truth(np.random.default_rng(1), 200)
    level = corrected_level(needed_levels(says(200), y), 0.5, "hdr")
    ends = says(1).interval(level, "hdr")
    assert ends.shape == (1, 2, 2) and level > 0.6, "wider than the model thinks, the gap still left out"
    assert 0.42 < inside(truth(np.random.default_rng(2), 1000), np.repeat(ends, 1000, axis=0)).mean() < 0.62


@pytest.mark.parametrize("thought", [0.25, 1.0, 4.0])  # the noise's variance, as a multiple of the true one
def test_levels_of_folds_correct_a_final_model_of_all_rows(thought):
    """Lines with too little, the right and too much noise; of the last, the share of new rows is known exactly."""
    rng, held, plain, z = np.random.default_rng(0), [], [], 1.6449
    for _ in range(80):
        y, x = rng.normal(size=60), np.column_stack([np.ones(60), rng.normal(size=(60, 2))])
        needed = []
        for rows in np.array_split(rng.permutation(60), 3):
            others = np.setdiff1d(np.arange(60), rows)
            mean = x[rows] @ np.linalg.lstsq(x[others], y[others], rcond=None)[0]
            needed.append(np.abs(2 * norm.cdf(y[rows], mean, np.sqrt(thought)) - 1))
        level = corrected_level(np.tile(np.concatenate(needed), (2, 1)), 0.9)
        x_new = np.column_stack([np.ones(50), rng.normal(size=(50, 2))])
        mean = x_new @ np.linalg.lstsq(x, y, rcond=None)[0]
        for found, reach in ((held, norm.ppf(0.5 + level / 2)), (plain, z)):
            half = reach * np.sqrt(thought)
            found.append(np.mean(norm.cdf(mean + half) - norm.cdf(mean - half)))
    assert 0.895 < np.mean(held) < 0.93, "more than promised, for the final model knows more rows"
    assert not 0.895 < np.mean(plain) < 0.93 or thought == 1


@pytest.mark.parametrize(
    ("rows", "level", "sentence"),
    [
        (50, 1.2, "a guarantee of 1.2 is not possible: it is a probability between 0 and 1, e.g. 0.9"),
        (0, 0.9, "train it by method auto, on at least 30 rows"),
        (50, 0.99, "a guarantee of 0.99 needs 99 rows the model had not seen, and there are 50"),
    ],
)
def test_what_cannot_be_promised_is_refused(rows, level, sentence):
    with pytest.raises(UserError, match=sentence):
        corrected_level(np.full((2, rows), 0.5), level)

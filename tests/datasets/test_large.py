"""A set of very many rows is cut and shuffled without a number in memory for any row."""

import numpy as np
import pytest

from dgpexp.datasets.large import Shuffled, fixed_part, some, tenths
from dgpexp.datasets.scaling import Scaler


@pytest.mark.parametrize("n", [1, 2, 9, 64, 1000, 1025])
def test_a_shuffle_has_every_number_once_and_any_part_of_it_can_be_had_alone(n):
    order = Shuffled(n, 7, 3)
    np.testing.assert_array_equal(np.sort(order[:]), np.arange(n))
    at = np.array([n - 1, 0, n // 2])
    np.testing.assert_array_equal(order[at], order[:][at])


def test_shuffles_of_two_epochs_are_as_unlike_as_two_draws():
    """Independent permutations of n correlate by about 1/√n, and one fixed point is expected."""
    n = 20_000
    orders = [np.arange(n), *(Shuffled(n, seed, epoch)[:] for seed in (1, 2) for epoch in (0, 1))]
    for i, a in enumerate(orders):
        for b in orders[:i]:
            assert abs(np.corrcoef(a, b)[0, 1]) < 4.5 / np.sqrt(n)
            assert (a == b).sum() < 8
    steps = np.diff(orders[1])  # of a random permutation uniform on (-n, n) in pairs: mean 0, deviation n/√6
    assert abs(steps.std() * np.sqrt(6) / n - 1) < 0.03


def test_of_every_ten_rows_one_is_tested():
    train, test = tenths(1007, 0)
    assert len(test) == 100 and len(train) == 907
    np.testing.assert_array_equal(np.sort(np.concatenate([train[:], test[:]])), np.arange(1007))
    np.testing.assert_array_equal(test[:] // 10, np.arange(100))
    assert (np.diff(train[:]) > 0).all()  # in the order of the file, which is read from its beginning to its end
    np.testing.assert_array_equal(train[np.array([906, 3])], train[:][[906, 3]])


def test_every_row_of_a_ten_is_as_likely_to_be_tested_and_splits_differ():
    places = np.array([tenths(10_000, split)[1][:] % 10 for split in range(20)])  # [splits, tens]
    counts = np.bincount(places.ravel(), minlength=10)
    expected = places.size / 10
    assert ((counts - expected) ** 2 / expected).sum() < 30  # χ² of 9 degrees of freedom: 1 in 2,000
    assert abs((places[0] == places[1]).mean() - 0.1) < 0.04


def test_one_pass_finds_the_scalers_that_two_passes_find(monkeypatch):
    monkeypatch.setattr("dgpexp.blocks.BLOCK", 7)
    rng = np.random.default_rng(0)
    x = rng.normal(1e6, [1e-2, 1.0, 30.0], size=(50, 3))
    x[:, 1] = 0.1
    y = rng.normal(size=50)
    for found, wanted in zip(Scaler.fit_once(x, y), (Scaler.fit(x), Scaler.fit(y)), strict=True):
        np.testing.assert_allclose(found.mean, wanted.mean, rtol=1e-14)
        np.testing.assert_allclose(found.std, wanted.std, rtol=1e-9)
    assert found.mean.shape == found.std.shape == ()


def test_a_few_rows_of_very_many_are_drawn_without_a_permutation_of_them(monkeypatch):
    monkeypatch.setattr("dgpexp.datasets.large.MANY", 1000)
    rows = some(10**12, 100, np.random.default_rng(0))
    assert len(set(rows.tolist())) == 100 and rows.max() < 10**12
    np.testing.assert_array_equal(fixed_part(5, 9), np.arange(5))

"""Every epoch is a permutation, the short last minibatch is kept, and step t is always the same."""

import numpy as np

from dgpexp.config import Settings
from dgpexp.training.minibatches import Minibatches, total_steps


def test_an_epoch_visits_every_row_once_and_the_next_in_another_order():
    batches = Minibatches(rows=23, batch_size=10, seed=3)
    assert batches.steps_per_epoch == 3
    indices, sizes = batches.of_steps(0, 6)
    assert list(sizes) == [10, 10, 3] * 2
    epochs = [np.concatenate([indices[k, : sizes[k]] for k in range(first, first + 3)]) for first in (0, 3)]
    for rows in epochs:
        assert sorted(rows) == list(range(23))
    assert list(epochs[0]) != list(epochs[1])


def test_the_rows_of_a_step_depend_on_seed_and_step_alone():
    whole, _ = Minibatches(23, 10, seed=3).of_steps(0, 9)
    part, _ = Minibatches(23, 10, seed=3).of_steps(4, 2)
    np.testing.assert_array_equal(whole[4:6], part)
    other, _ = Minibatches(23, 10, seed=4).of_steps(4, 2)
    assert not np.array_equal(part, other)


def test_fewer_rows_than_a_minibatch_are_one_minibatch():
    indices, sizes = Minibatches(rows=4, batch_size=100, seed=0).of_steps(0, 2)
    assert indices.shape == (2, 4)
    assert list(sizes) == [4, 4]


def test_the_number_of_steps_keeps_the_last_smaller_minibatch() -> None:
    assert total_steps(Settings(epochs=3, batch_size=100), 455) == 15
    assert total_steps(Settings(epochs=3, batch_size=100, max_steps=7), 455) == 7


def test_root_steps_grow_with_the_root_of_the_rows_from_a_least_number_on():
    steps = [total_steps(Settings(root_steps=100), rows) for rows in (100, 900, 8_100, 40_000)]
    assert steps == [3_000, 3_000, 9_000, 20_000]
    assert total_steps(Settings(root_steps=100, max_steps=5_000), 40_000) == 5_000
    assert [total_steps(Settings(root_steps=100, least_steps=5_000), rows) for rows in (100, 8_100)] == [5_000, 9_000]

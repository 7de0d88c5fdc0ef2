"""Asynchronous updates: a gradient is that of older parameters, as many updates old as others are at work."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.datasets import load_split
from dgpexp.training.delays import Copies, Workers
from dgpexp.training.session import Session

SETTINGS = Settings(inducing_points=5, features=6, hidden_width=1, batch_size=20, train_samples=2, rows=60)


def _trained(method: str, steps: int = 60, **changes: object) -> dict[str, np.ndarray]:
    session = Session(method, 2, SETTINGS.change(changes), load_split("sincos", 0, rows=60), seed=3)
    session.advance(steps)
    return {name: value for name, value in session.state().items() if name != "seconds"}


@pytest.mark.parametrize("method", ["rff", "vi"])
def test_one_worker_is_synchronous_training_to_the_last_bit(method):
    theirs, ours = _trained(method), _trained(method, updates="async")
    for name, value in theirs.items():
        np.testing.assert_array_equal(ours[name], value, err_msg=name)


def test_the_same_seed_has_the_same_bits_and_a_continued_run_those_of_an_undisturbed_one():
    settings = SETTINGS.change({"updates": "async", "shards": 4})
    whole = _trained("rff", updates="async", shards=4)
    split = load_split("sincos", 0, rows=60)
    first, second = (Session("rff", 2, settings, split, seed=3) for _ in range(2))
    first.advance(35)
    second.restore(first.state())
    second.advance(25)
    for name, value in second.state().items():
        if name != "seconds":
            np.testing.assert_array_equal(value, whole[name], err_msg=name)
    assert any((whole[name] != value).any() for name, value in _trained("rff").items() if name != "step")


def _staleness(workers: Workers, updates: int) -> np.ndarray:
    """How many updates old the parameters of each update's gradient are: [updates]."""
    copied: dict[int, int] = {}
    ages = []
    for update, worker in enumerate(workers.of_steps(0, updates).tolist()):
        ages.append(update - copied.get(worker, 0))
        copied[worker] = update + 1
    return np.array(ages)


@pytest.mark.parametrize("count", [1, 5, 10, 20])
def test_an_update_is_as_stale_as_there_are_other_workers(count):
    """Between two of a worker's updates each of the others makes one on average: exactly N - 1, but for the start."""
    ages = _staleness(Workers(count, seed=1), 4000)
    assert abs(ages[100:].mean() - (count - 1)) < 0.05 * count
    assert len(set(ages[100:].tolist())) > 1 or count == 1  # nobody waits: they do not take turns
    np.testing.assert_array_equal(Workers(count, seed=1).of_steps(7, 50), Workers(count, seed=1).of_steps(0, 57)[7:])


def test_an_update_uses_the_gradient_where_its_worker_has_taken_the_parameters():
    """Ascending -x²/2 by plain steps of 0.1, three workers in turn: x_{k+1} = x_k - 0.1 x_{k-2}, x before 0 as at 0."""
    x = tf.Variable(1.0, dtype=tf.float64)
    copies = Copies([x], 3)
    copies.start()
    found, wanted = [], [1.0, 1.0, 1.0]
    for update in range(8):
        worker = tf.constant(update % 3)
        now = copies.take(worker)
        gradient = -tf.identity(x)
        copies.give_back(now)
        x.assign_add(0.1 * gradient)
        copies.renew(worker)
        found.append(float(x))
        wanted.append(wanted[-1] - 0.1 * wanted[-3])
    np.testing.assert_allclose(found, wanted[3:], rtol=1e-14)

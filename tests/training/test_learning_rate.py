"""A constant rate, or one that falls to 0 on a line at the end, and what that is good for."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.errors import UserError
from dgpexp.training.adam import Adam
from dgpexp.training.learning_rate import schedule


def rates(total: int, **settings: float) -> list[float]:
    rate = schedule(Settings(**settings), total)
    return [float(rate(tf.constant(step, tf.int64))) for step in range(total)]


def test_the_thesis_has_one_rate():
    assert rates(4) == [0.01] * 4


def test_a_cooldown_falls_on_a_line_from_the_rate_to_almost_nothing():
    # The last 4 of 10 steps: 4/4, 3/4, 2/4, 1/4 of the rate; after the tenth it would be 0.
    np.testing.assert_allclose(rates(10, cooldown=0.4, learning_rate=0.02), [0.02] * 7 + [0.015, 0.01, 0.005])
    np.testing.assert_allclose(rates(4, cooldown=1.0), [0.01, 0.0075, 0.005, 0.0025])


def test_past_the_last_step_a_rate_that_fell_stays_at_0():
    rate = schedule(Settings(cooldown=0.5), 10)
    assert [float(rate(tf.constant(step))) for step in (10, 11, 500)] == [0.0, 0.0, 0.0]


def test_with_a_cooldown_adam_arrives_where_noisy_gradients_point():
    """Ascends -θ²/2 with gradients that carry noise of deviation 1: at a constant rate θ keeps moving."""
    noise = np.random.default_rng(0).normal(size=(400, 50))

    def distance(cooldown: float) -> float:
        theta = tf.Variable(tf.zeros(50, tf.float64))
        adam = Adam((theta,), schedule(Settings(learning_rate=0.1, cooldown=cooldown), len(noise)))
        for step, e in enumerate(noise):
            adam.ascend([e - theta], tf.constant(step, tf.int64))
        return float(np.sqrt(np.mean(theta.numpy() ** 2)))

    assert distance(0.5) < distance(0.0) / 2


@pytest.mark.parametrize("value", [-0.1, 1.5])
def test_it_is_a_part_of_the_steps(value):
    with pytest.raises(UserError, match=r"cooldown = .* accepts a number from 0 to 1"):
        Settings(cooldown=value)


def test_it_needs_an_end_that_is_known():
    with pytest.raises(UserError, match="the step at which a run ends must be known"):
        Settings(cooldown=0.2, max_seconds=60.0)

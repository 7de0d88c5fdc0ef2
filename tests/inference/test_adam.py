"""The fused Adam is the Adam of its paper; its rate is constant, or falls to 0 on a line at the end."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.errors import UserError
from dgpexp.inference.adam import Adam, ascent, schedule
from tests.models import random_model


def test_steps_are_those_of_the_paper():
    rng = np.random.default_rng(0)
    start, gradients = rng.normal(size=3), rng.normal(size=(5, 3))
    variable = tf.Variable(start)
    adam = Adam((variable,), schedule(Settings(), 5))
    theta, m, v = start.copy(), np.zeros(3), np.zeros(3)
    for t, g in enumerate(gradients):
        adam.ascend([tf.constant(g)], tf.constant(t, tf.int64))
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        theta += 0.01 * (m / (1 - 0.9 ** (t + 1))) / (np.sqrt(v / (1 - 0.999 ** (t + 1))) + 1e-8)
    # TensorFlow puts ε beside the uncorrected √v; at these gradients the two differ in the eighth digit
    np.testing.assert_allclose(variable, theta, rtol=1e-5)
    np.testing.assert_allclose([slot.numpy() for slot in adam.slots], [-m, v], rtol=1e-12)


def test_a_slowed_variable_goes_a_share_of_every_step():
    free, slowed = tf.Variable([1.0, 2.0], dtype=tf.float64), tf.Variable([1.0, 2.0], dtype=tf.float64)
    adam = Adam((free, slowed), schedule(Settings(), 3), [slowed], 0.25)
    for step in range(3):
        gradient = tf.constant([3.0, -1.0 - step], tf.float64)
        before = free.numpy(), slowed.numpy()
        adam.ascend([gradient, gradient], tf.constant(step, tf.int64))
        np.testing.assert_allclose(slowed - before[1], 0.25 * (free - before[0]), rtol=1e-12)


def test_the_rate_of_covariances_is_of_hidden_layers_alone():
    """Adam's first step is the rate times the sign of the gradient: a tenth of it for hidden R, all of it elsewhere."""
    model = random_model(3)
    variables = model.trainable_variables
    before = [v.numpy() for v in variables]
    ones = [tf.ones_like(v) for v in variables]
    ascent(model, Settings(covariance_rate=0.1), 10).ascend(ones, tf.constant(0, tf.int64))
    hidden = {id(v) for v in model.hidden_covariances}
    assert len(hidden) == 2
    for variable, start in zip(variables, before, strict=True):
        np.testing.assert_allclose(variable - start, 0.001 if id(variable) in hidden else 0.01, rtol=1e-6)


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

"""The fused Adam is the Adam of its paper."""

import numpy as np
import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.training.adam import Adam
from dgpexp.training.learning_rate import schedule


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
    adam.reset()
    assert all(np.all(slot.numpy() == 0) for slot in adam.first + adam.second)


def test_a_slowed_variable_goes_a_share_of_every_step():
    free, slowed = tf.Variable([1.0, 2.0], dtype=tf.float64), tf.Variable([1.0, 2.0], dtype=tf.float64)
    adam = Adam((free, slowed), schedule(Settings(), 3), [slowed], 0.25)
    for step in range(3):
        gradient = tf.constant([3.0, -1.0 - step], tf.float64)
        before = free.numpy(), slowed.numpy()
        adam.ascend([gradient, gradient], tf.constant(step, tf.int64))
        np.testing.assert_allclose(slowed - before[1], 0.25 * (free - before[0]), rtol=1e-12)

"""The learning rate of a step: the same for all of them, as in the thesis, or falling at the end."""

from collections.abc import Callable

import tensorflow as tf

from dgpexp.config import Settings

Schedule = Callable[[tf.Tensor], tf.Tensor]  # the step, counted from 0, to its rate in float64


def schedule(settings: Settings, total_steps: int) -> Schedule:
    """learning_rate, times (steps left) / (steps of the cooldown) in the last part `cooldown` of the steps.

    At a constant rate Adam never settles: it goes on moving around an optimum at the size of its steps, and where a run
    ends is a matter of chance. A rate that falls to 0 on a line lets it arrive.
    """
    if not settings.cooldown:
        return lambda step: tf.constant(settings.learning_rate, tf.float64)

    def falling(step: tf.Tensor) -> tf.Tensor:
        left = tf.cast(total_steps - step, tf.float64)
        return settings.learning_rate * tf.clip_by_value(left / (settings.cooldown * total_steps), 0.0, 1.0)

    return falling

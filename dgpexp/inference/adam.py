"""Adam, fused: one kernel launch a variable, its state in plain variables that a checkpoint can hold."""

from collections.abc import Callable, Iterable, Sequence

import tensorflow as tf

from dgpexp.config import Settings
from dgpexp.gp.dgp import DeepGP

Schedule = Callable[[tf.Tensor], tf.Tensor]  # the step, counted from 0, to its rate in float64


class Adam:
    """Ascends an objective. β₁ = 0.9, β₂ = 0.999, ε = 1e-8, the usual values.

    Variables have the same learning rate, but for those `slowed`: a `share` of it.
    """

    def __init__(
        self,
        variables: Sequence[tf.Variable],
        learning_rate: Schedule,
        slowed: Iterable[tf.Variable] = (),
        share: float = 1.0,
    ) -> None:
        self._parameters = variables
        self._learning_rate = learning_rate
        slow = {id(v) for v in slowed}
        self._shares = [share if id(v) in slow else 1.0 for v in variables]
        self._first = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self._second = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.slots: Sequence[tf.Variable] = self._first + self._second

    def ascend(self, gradients: Sequence[tf.Tensor], step: tf.Tensor) -> None:
        """One step along `gradients`; `step` counts from 0."""
        t = tf.cast(step + 1, tf.float64)
        rate = self._learning_rate(step)
        power1, power2 = tf.pow(tf.constant(0.9, tf.float64), t), tf.pow(tf.constant(0.999, tf.float64), t)
        for variable, share, m, v, gradient in zip(
            self._parameters, self._shares, self._first, self._second, gradients, strict=True
        ):
            tf.raw_ops.ResourceApplyAdam(
                var=variable.handle,
                m=m.handle,
                v=v.handle,
                beta1_power=power1,
                beta2_power=power2,
                lr=share * rate,
                beta1=tf.constant(0.9, tf.float64),
                beta2=tf.constant(0.999, tf.float64),
                epsilon=tf.constant(1e-8, tf.float64),
                grad=-tf.convert_to_tensor(gradient),  # rows that were gathered, spread out again
            )


def ascent(model: DeepGP, settings: Settings, steps: int) -> Adam:
    """Adam on all parameters; the covariances of hidden layers may learn more slowly."""
    slowed = model.hidden_covariances if settings.covariance_rate != 1 else ()
    return Adam(model.trainable_variables, schedule(settings, steps), slowed, settings.covariance_rate)


def schedule(settings: Settings, steps: int) -> Schedule:
    """learning_rate, times (steps left) / (steps of the cooldown) in the last part `cooldown` of the steps.

    At a constant rate Adam never settles: it goes on moving around an optimum at the size of its steps, and where a run
    ends is a matter of chance. A rate that falls to 0 on a line lets it arrive.
    """
    if not settings.cooldown:
        return lambda step: tf.constant(settings.learning_rate, tf.float64)

    def falling(step: tf.Tensor) -> tf.Tensor:
        left = tf.cast(steps - step, tf.float64)
        return settings.learning_rate * tf.clip_by_value(left / (settings.cooldown * steps), 0.0, 1.0)

    return falling

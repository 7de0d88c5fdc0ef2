"""Adam, fused: one kernel launch a variable, its state in plain variables that a checkpoint can hold."""

from collections.abc import Iterable

import tensorflow as tf

from dgpexp.training.learning_rate import Schedule


class Adam(tf.Module):
    """Ascends an objective. β₁ = 0.9, β₂ = 0.999, ε = 1e-8, the usual values.

    Variables have the same learning rate, but for those `slowed`: a `share` of it.
    """

    def __init__(
        self,
        variables: tuple[tf.Variable, ...],
        learning_rate: Schedule,
        slowed: Iterable[tf.Variable] = (),
        share: float = 1.0,
    ) -> None:
        super().__init__()
        self._parameters = variables
        self._learning_rate = learning_rate
        slow = {id(v) for v in slowed}
        self._shares = [share if id(v) in slow else 1.0 for v in variables]
        self.first = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.second = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def ascend(self, gradients: list[tf.Tensor], step: tf.Tensor) -> None:
        """One step along `gradients`; `step` counts from 0."""
        t = tf.cast(step + 1, tf.float64)
        rate = self._learning_rate(step)
        power1, power2 = tf.pow(tf.constant(0.9, tf.float64), t), tf.pow(tf.constant(0.999, tf.float64), t)
        for variable, share, m, v, gradient in zip(
            self._parameters, self._shares, self.first, self.second, gradients, strict=True
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

    def reset(self) -> None:
        """Forget everything: the state before the first step."""
        for slot in self.first + self.second:
            slot.assign(tf.zeros_like(slot))

"""Adam, fused: one kernel launch a variable, its state in plain variables that a checkpoint can hold."""

import tensorflow as tf

from dgpexp.training.learning_rate import Schedule


class Adam(tf.Module):
    """Ascends an objective. β₁ = 0.9, β₂ = 0.999, ε = 1e-8, the usual values."""

    def __init__(self, variables: tuple[tf.Variable, ...], learning_rate: Schedule) -> None:
        super().__init__()
        self._parameters = variables
        self._learning_rate = learning_rate
        self.first = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]
        self.second = [tf.Variable(tf.zeros_like(v), trainable=False) for v in variables]

    def ascend(self, gradients: list[tf.Tensor], step: tf.Tensor) -> None:
        """One step along `gradients`; `step` counts from 0."""
        t = tf.cast(step + 1, tf.float64)
        rate = self._learning_rate(step)
        power1, power2 = tf.pow(tf.constant(0.9, tf.float64), t), tf.pow(tf.constant(0.999, tf.float64), t)
        for variable, m, v, gradient in zip(self._parameters, self.first, self.second, gradients, strict=True):
            tf.raw_ops.ResourceApplyAdam(
                var=variable.handle,
                m=m.handle,
                v=v.handle,
                beta1_power=power1,
                beta2_power=power2,
                lr=rate,
                beta1=tf.constant(0.9, tf.float64),
                beta2=tf.constant(0.999, tf.float64),
                epsilon=tf.constant(1e-8, tf.float64),
                grad=-tf.convert_to_tensor(gradient),  # rows that were gathered, spread out again
            )

    def reset(self) -> None:
        """Forget everything: the state before the first step."""
        for slot in self.first + self.second:
            slot.assign(tf.zeros_like(slot))

"""What a gradient step sees of the training set."""

from dataclasses import dataclass

import tensorflow as tf


@dataclass(frozen=True)
class Minibatch:
    """n of the `total` training rows, and the random numbers of the step."""

    x: tf.Tensor  # [n, Q] scaled
    y: tf.Tensor  # [n, 1] scaled, or the number of a class
    index: tf.Tensor  # [n], which rows they are; of a streamed set, which of the call's
    total: int  # N
    seed: tf.Tensor  # [2]: of the run and of the step

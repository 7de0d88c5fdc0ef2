"""Averages over sampled paths of probabilities that are kept as logarithms."""

import tensorflow as tf


def log_mean_exp(log_probabilities: tf.Tensor, axis: int = 0) -> tf.Tensor:
    """log of the mean over paths, the first axis: improbable classes keep a finite logarithm."""
    count = tf.cast(tf.shape(log_probabilities)[axis], log_probabilities.dtype)
    return tf.reduce_logsumexp(log_probabilities, axis=axis) - tf.math.log(count)

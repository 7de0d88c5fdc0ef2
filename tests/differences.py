"""Gradients against finite differences: the one way in which the tests ask whether a derivative is right."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import tensorflow as tf


def assert_gradients(
    value: Callable[[], Any],
    variables: Sequence[tf.Variable],
    *,
    step: float = 1e-6,
    rtol: float = 1e-4,
    atol: float = 0.0,
    differences_of: Callable[[], Any] | None = None,
) -> None:
    """Hold the gradient of value() in each variable to a central difference along a random direction.

    A factor moves in its lower triangle only: the upper one is no parameter. `differences_of` is the same value, more
    exactly computed, where that of which the gradient is taken is too coarse to be differenced.
    """
    with tf.GradientTape() as tape:
        tape.watch(variables)
        total = tf.reduce_sum(value())
    for variable, gradient in zip(variables, tape.gradient(total, variables), strict=True):
        start, direction = variable.numpy(), np.random.default_rng(2).normal(size=variable.shape)
        if "factor" in variable.name:
            direction = np.tril(direction)
        ends = []
        for sign in (1, -1):
            variable.assign(start + sign * step * direction)
            ends.append(np.sum((differences_of or value)()))
        variable.assign(start)
        slope = np.sum(tf.convert_to_tensor(gradient) * direction)
        found = (ends[0] - ends[1]) / (2 * step)
        np.testing.assert_allclose(found, slope, rtol=rtol, atol=atol, err_msg=variable.name)

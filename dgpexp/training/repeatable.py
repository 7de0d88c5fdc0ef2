"""The same run, to the last bit, in every process."""

import tensorflow as tf


def sum_as_written() -> None:
    """Ask TensorFlow not to rewrite sums; for this process, before the graph of a step is optimised.

    Its arithmetic optimiser turns (a + b) + c into AddN, which begins with whichever term's memory it can reuse. That
    depends on what else has finished, so the rounding, and after some hundred steps the digits of a result, would
    differ from process to process.
    """
    tf.config.optimizer.set_experimental_options({"arithmetic_optimization": False})

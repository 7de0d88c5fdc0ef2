"""Shapes are checked while the tests run: tests/conftest.py asks for it."""

import numpy as np
import pytest
import tensorflow as tf

from dgpexp.gp.shapes import shapes
from tests.models import random_model


@shapes(a="n M", b="... M 2", returns=("n 2", "M | n M"))
def _example(a, b=None, wrong=False):
    return a[:, :1] if wrong else a[:, :2], a


def test_lengths_agree_wherever_they_stand():
    _example(np.zeros((4, 3)), np.zeros((7, 5, 3, 2)))
    with pytest.raises(ValueError, match=r"_example: b has the shape \(4, 2\), not \[\.\.\. M 2\], where .*'M': 3"):
        _example(np.zeros((4, 3)), np.zeros((4, 2)))
    with pytest.raises(ValueError, match="_example: the result has the shape"):
        _example(np.zeros((4, 3)), wrong=True)


def test_lengths_that_a_graph_does_not_know_fit():
    lengths = tf.function(lambda a: tf.convert_to_tensor(_example(a)[1]), autograph=False)
    lengths.get_concrete_function(tf.TensorSpec([None, 3], tf.float64))


def test_a_layer_refuses_inputs_of_another_rank():
    model = random_model(2, inputs=3)
    with pytest.raises(ValueError, match=r"Conditional\.marginals: h has the shape \(5, 1, 2, 3\)"):
        model.conditionals()[0].marginals(tf.zeros([5, 1, 2, 3], tf.float64))

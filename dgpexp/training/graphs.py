"""Traced functions that leave the process as it was: its options while they run, its memory once they are dropped.

TensorFlow has no public door to either, so the two private ones that are used are used here alone.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from tensorflow.python.eager import context
from tensorflow.python.framework import ops


class Graph:
    """A tf.function with an input signature, traced now and called later."""

    def __init__(self, function: Any) -> None:
        self._traced = function.get_concrete_function()
        _forget_gradients(self._traced.graph)

    def __call__(self, *arguments: Any) -> Any:
        with sums_as_written():
            return self._traced(*arguments)


@contextmanager
def sums_as_written() -> Iterator[None]:
    """Ask TensorFlow not to rewrite sums: in the calls of this block, in this thread, and nowhere else.

    Its arithmetic optimiser turns (a + b) + c into AddN, which begins with whichever term's memory it can reuse. That
    depends on what else has finished, so the rounding, and after some hundred steps the digits of a result, would
    differ from process to process.
    """
    here = context.context()
    before, config = here.function_call_options, here.config
    config.graph_options.rewrite_options.arithmetic_optimization = RewriterConfig.OFF
    here.function_call_options = context.FunctionCallOptions(before.executor_type, config)
    try:
        yield
    finally:
        here.function_call_options = before


def _forget_gradients(graph: Any) -> None:
    """Take the gradients of `tf.custom_gradient` in this graph, which have been used, out of TensorFlow's registry.

    The registry is never emptied, and an entry keeps the whole graph alive: some 10 MB for every trained model.
    """
    graphs = [graph]
    while graphs:
        graph = graphs.pop()
        for operation in graph.get_operations():
            if name := operation.node_def.attr["_gradient_op_type"].s:
                ops.gradient_registry._registry.pop(name.decode(), None)
        graphs += [function.graph for function in graph._functions.values()]

"""What estimators do to the process they are used in: as little as they can."""

import gc
import os
import select
import signal
import subprocess
import sys
import warnings

import numpy as np
import pytest
import tensorflow as tf

from dgpexp import DeepGPRegressor

QUICK = {"method": "pep", "steps": 20, "inducing_points": 5, "samples": 2, "random_state": 0}
X = np.random.default_rng(0).normal(size=(30, 2))

_OTHER_THREAD = """
import os, threading
over = threading.Event()

def write():
    number = 0
    while not over.wait(0.02):
        os.write(2, b"line %d\\n" % (number := number + 1))
    os.write(1, b"%d" % number)

thread = threading.Thread(target=write)
thread.start()
from dgpexp import DeepGPRegressor
over.set()
thread.join()
"""


def test_importing_them_swallows_no_line_of_another_thread() -> None:
    done = subprocess.run([sys.executable, "-c", _OTHER_THREAD], capture_output=True, text=True, timeout=300)
    lines = [line for line in done.stderr.splitlines() if line.startswith("line ")]
    assert len(lines) == int(done.stdout) > 10


def test_a_fit_leaves_the_options_of_tensorflow_as_they_were() -> None:
    before = tf.config.optimizer.get_experimental_options()
    assert "arithmetic_optimization" not in before
    DeepGPRegressor(**QUICK).fit(X, X[:, 0]).predict(X)
    assert tf.config.optimizer.get_experimental_options() == before


def test_a_model_that_is_dropped_leaves_no_graph_behind() -> None:
    def graphs() -> int:
        gc.collect()
        return sum(isinstance(found, tf.Graph) for found in gc.get_objects())

    before = graphs()
    for rows in (28, 29, 30):
        DeepGPRegressor(layers=1, **QUICK).fit(X[:rows], X[:rows, 0]).predict(X)
    assert graphs() <= before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_forked_child_says_why_it_cannot_fit() -> None:
    tf.constant(0.0)  # TensorFlow has begun
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # later Pythons warn of every fork beside threads
        child = os.fork()
    if child == 0:
        said = b"it did not refuse"
        try:
            DeepGPRegressor(**QUICK).fit(X, X[:, 0])
        except RuntimeError as error:
            said = str(error).encode()
        finally:
            os.write(writer, said)
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answered = select.select([pipe], [], [], 60)[0]
        os.kill(child, signal.SIGKILL)  # one that waits for threads it does not have waits for ever
        os.waitpid(child, 0)
        said = pipe.read().decode()
    assert answered, "it hangs"
    assert said.startswith("this process was forked from one that had used TensorFlow") and "'spawn'" in said

"""TensorFlow without its greeting, and without Keras: half of the time that its import takes, for what we never use.

The greeting are lines about oneDNN and CUDA on stderr, past every log level. Keras TensorFlow imports at its end, and
goes on where it cannot; whoever asks for `tf.keras` later gets it all the same.
"""

import os
import sys

ONE_THREAD = {"OMP_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}
_EAGER = "keras.src.optimizers"  # the part of Keras by which TensorFlow pulls in all of it


def import_tensorflow() -> None:
    """To be called before anything else imports it; what cannot be imported is raised as usual."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if "tensorflow" in sys.modules:
        return
    left_out = "keras" not in sys.modules
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)  # the lines come from C++, which knows no sys.stderr
    try:
        if left_out:
            sys.modules[_EAGER] = None  # type: ignore[assignment]  # to Python: a module that cannot be imported
        import tensorflow  # noqa: F401
    finally:
        if left_out:
            del sys.modules[_EAGER]
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def one_thread() -> None:
    """For this process, as a worker has it: to be called before TensorFlow is imported."""
    os.environ.update(ONE_THREAD)

"""TensorFlow without its greeting: lines about oneDNN and CUDA that it writes on stderr, past every log level."""

import os
import sys


def import_tensorflow() -> None:
    """To be called before anything else imports it; what cannot be imported is raised as usual."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if "tensorflow" in sys.modules:
        return
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)  # the lines come from C++, which knows no sys.stderr
    try:
        import tensorflow  # noqa: F401
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)

"""One thread of TensorFlow per process, so that every worker has a core of its own."""

import os

ONE_THREAD = {"OMP_NUM_THREADS": "1", "TF_NUM_INTRAOP_THREADS": "1", "TF_NUM_INTEROP_THREADS": "1"}


def one_thread() -> None:
    """For this process, as a worker has it: to be called before TensorFlow is imported."""
    os.environ.update(ONE_THREAD)

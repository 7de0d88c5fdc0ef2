"""One thread for everybody: call `single()` before TensorFlow, PyTorch or NumPy is imported."""

import os


def single() -> None:
    """One core, one thread: the core is pinned, and every library is told so."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["TF_NUM_INTRAOP_THREADS"] = os.environ["TF_NUM_INTEROP_THREADS"] = "1"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")  # GPflux is written for Keras 2
    if hasattr(os, "sched_setaffinity"):  # not on macOS
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def configure_tensorflow() -> None:
    """TensorFlow does not read its variables everywhere: say it through its own interface too."""
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)

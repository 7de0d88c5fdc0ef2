"""One thread for everybody: call `single()` before TensorFlow, PyTorch or NumPy is imported."""

import os
from pathlib import Path


def single() -> None:
    """Every library is told to use one thread."""
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    os.environ["TF_NUM_INTRAOP_THREADS"] = os.environ["TF_NUM_INTEROP_THREADS"] = "1"
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")  # GPflux is written for Keras 2


def pin() -> None:
    """All threads of this process on one core, the same for every process that asks. Only Linux can."""
    tasks = Path("/proc/self/task")
    if tasks.is_dir():
        core = max(os.sched_getaffinity(0))
        for task in tasks.iterdir():
            os.sched_setaffinity(int(task.name), {core})

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


def cores() -> list[int]:
    """The cores that this process may use, the last first; one where the system cannot say."""
    return sorted(os.sched_getaffinity(0), reverse=True) if hasattr(os, "sched_getaffinity") else [0]


def pin(core: int = -1) -> None:
    """All threads of this process on one core; unless it is named, the same for all who ask. Only Linux can."""
    tasks = Path("/proc/self/task")
    if tasks.is_dir():
        core = core if core >= 0 else cores()[0]
        for task in tasks.iterdir():
            os.sched_setaffinity(int(task.name), {core})

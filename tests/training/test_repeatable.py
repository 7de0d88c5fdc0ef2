"""A run is the same to the last bit in every process, at the size of real runs."""

import os
import subprocess
import sys

from dgpexp.quietly import ONE_THREAD

_DIGESTS = """
import hashlib
from dgpexp import quietly
quietly.import_tensorflow()
from dgpexp.config import Settings
from dgpexp.datasets import load_split
from dgpexp.training.session import Session

settings = Settings(
    inducing_points=100, hidden_width=3, batch_size=50, train_samples=3, precision="mixed", paths="functions"
)
session = Session("aepmcm", 3, settings, load_split("step", 0, rows=1000), seed=0)
session.advance(150)
arrays = (array for name, array in session.state().items() if name != "seconds")
print(hashlib.sha256(b"".join(array.tobytes() for array in arrays)).hexdigest())
"""


def test_two_processes_train_the_same_model_to_the_last_bit():
    """Fails, after some hundred steps, if TensorFlow may rewrite sums (training/graphs.py)."""
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", _DIGESTS], env=os.environ | ONE_THREAD, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    first, second = (process.communicate()[0] for process in processes)
    assert len(first) > 60 and first == second

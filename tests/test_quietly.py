"""What the import of TensorFlow leaves out."""

import subprocess
import sys

from tests.engines.processes import ROOT

_CODE = """
import sys
from dgpexp import quietly
quietly.import_tensorflow()
import dgpexp.training.predictor
heavy = [name for name in ("keras", "scipy.stats", "scipy.signal", "matplotlib", "sklearn") if name in sys.modules]
assert not heavy, heavy
assert "keras.src.optimizers" not in sys.modules, "whoever wants Keras can still have it"
"""


def test_a_prediction_waits_neither_for_keras_nor_for_statistics_and_nothing_is_said() -> None:
    done = subprocess.run([sys.executable, "-c", _CODE], capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert (done.returncode, done.stderr) == (0, "")

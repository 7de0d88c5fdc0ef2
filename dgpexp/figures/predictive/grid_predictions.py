"""What a stored model predicts over the range of its synthetic data, computed once and kept beside it.

Loading a model costs seconds (TensorFlow), and the report is built many times while a sweep runs. What is kept is
tied to the model's own bytes: another model, another prediction.
"""

import hashlib
from contextlib import suppress
from pathlib import Path

import numpy as np

from dgpexp.datasets import synthetic
from dgpexp.files import replacing
from dgpexp.predictive.mixture import Mixture

POINTS = 400
CACHE = "grid.npz"


def grid(dataset: str) -> np.ndarray:
    """The inputs: the whole range of the generator. [POINTS]"""
    generator = synthetic.GENERATORS[dataset]
    return np.linspace(generator.low, generator.high, POINTS)


def predictions(run_dir: Path, dataset: str) -> Mixture:
    """The predictive distribution of the run's model on the grid; FileNotFoundError if it has none."""
    digest = hashlib.sha256((run_dir / "model.npz").read_bytes()).hexdigest()
    kept = _read(run_dir / CACHE, digest)
    if kept is None:
        from dgpexp.training.predictor import Predictor

        kept = Predictor.load(run_dir / "model.npz").predict(grid(dataset)[:, None])
        _write(run_dir / CACHE, digest, kept)
    return kept


def _read(path: Path, digest: str) -> Mixture | None:
    try:
        with np.load(path, allow_pickle=False) as file:
            if str(file["model"]) == digest and file["means"].shape[1] == POINTS:
                return Mixture(file["means"].astype(float), file["variances"].astype(float))
    except Exception:  # a damaged zip raises whatever it trips over; it is computed again
        pass
    return None


def _write(path: Path, digest: str, mixture: Mixture) -> None:
    with suppress(OSError), replacing(path) as part:  # a folder that can only be read: computed again next time
        np.savez(part, model=np.array(digest), means=mixture.means, variances=mixture.variances)

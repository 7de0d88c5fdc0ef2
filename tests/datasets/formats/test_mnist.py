"""MNIST's files, in miniature, become one array whatever they are."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from dgpexp.datasets.formats import mnist
from dgpexp.errors import UserError

RNG = np.random.default_rng(0)
ARRAYS = {
    "x_train": RNG.integers(256, size=(3, 28, 28), dtype=np.uint8),
    "y_train": np.array([5, 0, 4], np.uint8),
    "x_test": RNG.integers(256, size=(2, 28, 28), dtype=np.uint8),
    "y_test": np.array([7, 2], np.uint8),
}


def _idx(array: np.ndarray) -> bytes:
    """As the original files are written: two zeros, the type 8 (bytes), the number of sizes, the sizes, the bytes."""
    return bytes([0, 0, 8, array.ndim]) + np.array(array.shape, ">i4").tobytes() + array.tobytes()


def test_an_npz_and_four_idx_files_give_the_same(tmp_path: Path) -> None:
    np.savez(tmp_path / "mnist.npz", **ARRAYS)
    files = []
    for name, array in ARRAYS.items():
        files.append(tmp_path / name)
        files[-1].write_bytes(gzip.compress(_idx(array)) if name == "x_test" else _idx(array))
    whole, parts = mnist.read([tmp_path / "mnist.npz"]), mnist.read(files)
    np.testing.assert_array_equal(whole, parts)
    assert whole.shape == (5, 785) and whole.dtype == np.uint8
    np.testing.assert_array_equal(whole[:, -1], [5, 0, 4, 7, 2])
    np.testing.assert_array_equal(whole[4, :-1], ARRAYS["x_test"][1].reshape(-1))


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "mnist.npz").write_bytes(b"PK and no more")
    with pytest.raises(UserError, match="is not MNIST"):
        mnist.read([tmp_path / "mnist.npz"])

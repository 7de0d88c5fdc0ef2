"""MNIST as one array: a row of 784 pixels and the digit for every image, 60,000 that train and 10,000 that test."""

import gzip
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from dgpexp.errors import UserError

PIXELS = 784
_PARTS = ("train", "test")


def read(paths: Sequence[Path]) -> np.ndarray:
    """[70000, 785] uint8, from an .npz of four arrays or from the four IDX files: images, labels; training, test."""
    try:
        return _npz(paths[0]) if len(paths) == 1 else _idx(paths)
    except Exception as error:  # a damaged file fails in many ways
        raise UserError(f"{paths[0]} is not MNIST ({error}); get it again.") from error


def _npz(path: Path) -> np.ndarray:
    with np.load(path, allow_pickle=False) as z:
        return _stacked([(z[f"x_{part}"], z[f"y_{part}"]) for part in _PARTS])


def _idx(paths: Sequence[Path]) -> np.ndarray:
    """IDX: a magic number and, big-endian, the sizes (one or three), then the bytes."""
    contents = [gzip.decompress(c) if c[:2] == b"\x1f\x8b" else c for c in (path.read_bytes() for path in paths)]
    arrays = [np.frombuffer(c, np.uint8, offset=4 + 4 * c[3]) for c in contents]
    return _stacked([(arrays[0], arrays[1]), (arrays[2], arrays[3])])


def _stacked(parts: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    return np.concatenate([np.column_stack([x.reshape(-1, PIXELS), y.reshape(-1)]) for x, y in parts])

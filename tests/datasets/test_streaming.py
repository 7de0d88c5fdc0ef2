"""A split that stays in its file is, row by row and bit by bit, the split in memory."""

import numpy as np
import pytest

from dgpexp.datasets import load_split, split_indices
from dgpexp.datasets.splits import cut
from dgpexp.datasets.streaming import cut_streamed
from dgpexp.datasets.table import Table
from dgpexp.errors import UserError

N = 50
CUTS = {"the first rows train": (slice(None, 40), slice(40, None)), "random rows train": split_indices(N, 2)}


@pytest.fixture
def mapped(tmp_path) -> Table:
    """Small integers in a file, as airline's are; the second column is constant."""
    values = np.random.default_rng(0).integers(-300, 300, size=(N, 4)).astype(np.int16)
    values[:, 1] = 7
    np.save(tmp_path / "values.npy", values)
    file = np.load(tmp_path / "values.npy", mmap_mode="r")
    return Table("mapped", file[:, :-1], file[:, -1], ("a", "b", "c"), "y")


@pytest.mark.parametrize("rows", CUTS)
@pytest.mark.parametrize("block", [7, 1 << 20])  # rows looked at together: several blocks, the last one short; one
def test_every_number_is_that_of_the_split_in_memory(mapped, rows, block, monkeypatch):
    monkeypatch.setattr("dgpexp.blocks.BLOCK", block)
    doubles = Table("mapped", np.array(mapped.x, dtype=float), np.array(mapped.y, dtype=float), ("a", "b", "c"), "y")
    ours, theirs = cut_streamed(mapped, *CUTS[rows]), cut(doubles, *CUTS[rows])
    some = np.array([3, 0, 39, 3])
    for name in ("x_train", "y_train", "x_test"):
        np.testing.assert_array_equal(getattr(ours, name)[:], getattr(theirs, name))
        assert getattr(ours, name).shape == getattr(theirs, name).shape
    np.testing.assert_array_equal(ours.x_train[some], theirs.x_train[some])
    np.testing.assert_array_equal(ours.y_test, theirs.y_test)
    for name in ("x_scaler", "y_scaler"):
        np.testing.assert_array_equal(getattr(ours, name).mean, getattr(theirs, name).mean)
        np.testing.assert_array_equal(getattr(ours, name).std, getattr(theirs, name).std)


def test_the_inputs_are_not_read_until_they_are_asked_for(mapped):
    split = cut_streamed(mapped, *CUTS["the first rows train"])
    assert split.x_train.nbytes == 0
    assert isinstance(split.x_train[:2], np.ndarray)


def test_what_is_generated_cannot_be_streamed():
    with pytest.raises(UserError, match="sincos is generated and has no file"):
        load_split("sincos", 0, stream=True)

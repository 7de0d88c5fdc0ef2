"""Training from a file is training from memory, to the last bit; every epoch reads every row once."""

import numpy as np
import pytest

from dgpexp.config import Settings
from dgpexp.datasets import Split
from dgpexp.datasets.splits import cut
from dgpexp.datasets.streaming import cut_streamed
from dgpexp.datasets.table import Table
from dgpexp.training.feed import Streamed
from dgpexp.training.minibatches import Minibatches
from dgpexp.training.session import Session

TRAIN, TEST = slice(None, 47), slice(47, None)
SETTINGS = Settings(inducing_points=8, batch_size=10, train_samples=2, test_samples=3, hidden_width=1)


@pytest.fixture
def table(tmp_path) -> Table:
    values = np.random.default_rng(1).normal(size=(60, 3))
    np.save(tmp_path / "values.npy", values)
    file = np.load(tmp_path / "values.npy", mmap_mode="r")
    return Table("mapped", file[:, :-1], file[:, -1], ("a", "b"), "y")


def _trained(split: Split, stream: bool) -> Session:
    session = Session("aepmcm", 2, SETTINGS.change({"stream": stream}), split, seed=5)
    session.advance(12)  # more than two epochs, each with a short last minibatch
    return session


def test_a_streamed_session_has_the_bits_of_one_in_memory(table):
    from_file, in_memory = _trained(cut_streamed(table, TRAIN, TEST), True), _trained(cut(table, TRAIN, TEST), False)
    theirs = in_memory.state()
    for name, value in from_file.state().items():
        if name != "seconds":
            np.testing.assert_array_equal(value, theirs[name], err_msg=name)
    assert from_file.evaluate() == in_memory.evaluate()
    assert from_file.evaluate(np.array([4, 1])) == in_memory.evaluate(np.array([4, 1]))


def test_every_epoch_reads_every_row_once(table):
    split = cut_streamed(table, TRAIN, TEST)
    indices, sizes = Minibatches(47, 10, seed=5).of_steps(5, 5)  # the second epoch
    x, y, places = Streamed(split).rows(indices)
    read = np.concatenate([places[k, : sizes[k]] for k in range(5)])
    rows = np.hstack([x.numpy()[read], y.numpy()[read]])
    everything = np.hstack([split.x_train[:], split.y_train[:]])
    np.testing.assert_array_equal(rows[np.lexsort(rows.T)], everything[np.lexsort(everything.T)])

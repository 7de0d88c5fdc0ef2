"""Lists of splits: the folds of the paper, and random splits that keep the shares of the classes."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgpexp.datasets import CATALOG, load_split
from dgpexp.datasets.formats import canonical
from dgpexp.datasets.splits import partition, stratified_indices
from dgpexp.errors import UserError
from tests.shared import SHARED, needs_shared


@needs_shared
def test_the_folds_have_the_rows_that_were_matched() -> None:
    """Where a fold has a repeated row twice, its two row numbers are two, of equal rows."""
    with np.load(SHARED / "rff_folds.npz") as matched:
        for key in matched.files:
            name, _, number = key.partition("_test_")
            rows = CATALOG[name].rows
            train, test = partition(CATALOG[name], np.zeros(rows), int(number) - 1, "rff")
            assert sorted([*train, *test]) == list(range(rows))
            other = test != matched[key]
            if other.any():
                values = canonical.read(CATALOG[name], [SHARED / f"{name}.csv.gz"])
                np.testing.assert_array_equal(values[test[other]], values[matched[key][other]])


def test_spambase_and_eeg_are_split_as_in_the_paper_and_others_on_request() -> None:
    spambase = np.zeros(CATALOG["spambase"].rows)
    np.testing.assert_array_equal(
        partition(CATALOG["spambase"], spambase, 2, "auto")[1], partition(CATALOG["spambase"], spambase, 2, "rff")[1]
    )
    assert len(partition(CATALOG["power"], np.zeros(9568), 0, "auto")[1]) == 957
    assert len(partition(CATALOG["power"], np.zeros(9568), 0, "rff")[1]) == 99


@pytest.mark.parametrize(
    ("name", "split", "sentence"),
    [("spambase", 5, "spambase has the splits 0 to 4"), ("wine", 0, "wine has none of these splits")],
)
def test_a_fold_that_is_not_there_is_named(name: str, split: int, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        partition(CATALOG[name], np.zeros(CATALOG[name].rows), split, "rff")


def test_a_set_with_a_test_part_of_its_own_has_no_list_of_splits() -> None:
    with pytest.raises(UserError, match="mnist has a test part of its own"):
        load_split("mnist", 0, split_list="random")


@given(
    y=hnp.arrays(float, st.integers(20, 300), elements=st.integers(0, 5).map(float)),
    split=st.integers(0, 5),
)
@settings(max_examples=60, deadline=None)
def test_every_class_has_its_share_of_the_test(y: np.ndarray, split: int) -> None:
    train, test = stratified_indices(y, split)
    assert sorted([*train, *test]) == list(range(len(y)))
    assert len(test) == len(y) - round(0.9 * len(y))
    for number in np.unique(y):
        share = len(test) / len(y) * np.sum(y == number)
        assert np.floor(share) <= np.sum(y[test] == number) <= np.ceil(share)


def test_splits_differ_and_repeat_themselves() -> None:
    y = np.arange(100) % 3
    first, again, other = (stratified_indices(y, k)[1] for k in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert set(first) != set(other)

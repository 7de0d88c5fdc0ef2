"""The published splits, and what a Split promises about the rows it holds back."""

import hypothesis.extra.numpy as hnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dgpexp.datasets import CATALOG, Table, load_split, split_indices
from dgpexp.datasets.splits import cut, rounding_step
from dgpexp.errors import UserError
from dgpexp.plan.protocol import read_protocol
from tests.shared import SHARED, needs_shared

UCI = read_protocol("uci").sweep("thesis")["datasets"]


@needs_shared
@pytest.mark.parametrize("name", UCI)
def test_splits_are_the_published_ones(name: str) -> None:
    with np.load(SHARED / f"{name}_splits.npz") as published:
        for k in range(len(published["train"])):
            train, test = split_indices(CATALOG[name].rows, k)
            np.testing.assert_array_equal(train, published["train"][k])
            np.testing.assert_array_equal(test, published["test"][k])


def test_split_follows_the_recipe_of_the_manifest() -> None:
    rs = np.random.RandomState(1)
    for k in range(3):
        p = rs.choice(range(57), 57, replace=False)
        train, test = split_indices(57, k)
        np.testing.assert_array_equal(np.r_[train, test], p)
        assert len(train) == round(0.9 * 57)


@given(n=st.integers(2, 300), split=st.integers(0, 20))
@settings(max_examples=50, deadline=None)
def test_every_row_is_in_exactly_one_part(n: int, split: int) -> None:
    train, test = split_indices(n, split)
    assert sorted([*train, *test]) == list(range(n))


rows = hnp.arrays(np.float64, (20, 3), elements=st.floats(-1e6, 1e6))


@given(values=rows, other=rows, split=st.integers(0, 5))
@settings(max_examples=100, deadline=None)
def test_no_statistic_of_the_test_rows_leaks(values: np.ndarray, other: np.ndarray, split: int) -> None:
    """Whatever stands in the test rows, the training half and both scalers stay the same to the last bit."""
    train, test = split_indices(20, split)
    changed = values.copy()
    changed[test] = other[test]
    a, b = (cut(Table("t", v[:, :2], v[:, 2], ("a", "b"), "c"), train, test) for v in (values, changed))
    np.testing.assert_array_equal(a.x_train, b.x_train)
    np.testing.assert_array_equal(a.y_train, b.y_train)
    for one, two in ((a.x_scaler, b.x_scaler), (a.y_scaler, b.y_scaler)):
        np.testing.assert_array_equal(one.mean, two.mean)
        np.testing.assert_array_equal(one.std, two.std)
    np.testing.assert_array_equal(b.y_test, other[test, 2])  # the test targets stay in their own units


@needs_shared
def test_a_split_of_naval_is_scaled_and_finite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DGPEXP_DATA", str(SHARED))
    s = load_split("naval", 3)
    assert s.x_train.shape == (10741, 16)
    assert s.y_train.shape == (10741, 1)
    assert s.x_test.shape == (1193, 16)
    assert s.y_test.shape == (1193,)
    constant = [s.features.index("T1"), s.features.index("P1")]
    varying = [d for d in range(16) if d not in constant]
    assert np.all(s.x_train[:, constant] == 0)
    assert np.all(s.x_test[:, constant] == 0)
    np.testing.assert_allclose(s.x_train.mean(0)[varying], 0, atol=1e-9)
    np.testing.assert_allclose(s.x_train.std(0)[varying], 1)
    np.testing.assert_allclose(s.y_scaler.inverse(s.y_train).mean(), s.y_scaler.mean)


def test_synthetic_split_is_its_seed() -> None:
    first, again, other = load_split("sincos", 0), load_split("sincos", 0), load_split("sincos", 1)
    np.testing.assert_array_equal(first.x_train, again.x_train)
    assert not np.array_equal(first.x_train, other.x_train)
    assert first.x_train.shape == (900, 1)
    assert first.y_test.shape == (100,)
    assert load_split("step", 0, rows=50).x_train.shape == (45, 1)


def test_year_has_one_split() -> None:
    with pytest.raises(UserError, match="one split"):
        load_split("year", 1)


def test_the_rounding_is_the_step_that_all_targets_are_multiples_of():
    assert rounding_step(np.array([24.3, 50.0, 24.3, 24.2])) == 0.1
    assert rounding_step(np.array([1000.0, 20_010.0, 5.0])) == 0.0, "995 is the smallest gap, and no step of theirs"
    assert rounding_step(np.array([3.0, 3.0])) == 0.0, "one value tells nothing: the density itself is scored"
    assert rounding_step(np.random.default_rng(0).normal(size=500)) == 0.0


def test_the_rounding_of_a_split_is_that_of_all_rows_not_of_its_test():
    """Two test targets far apart made a rounding of their distance, and ll_rounded an artefact."""
    y = np.array([1.3, 2.7, 1.4, 4.4, 8.9, 0.2])
    table = Table("t", np.arange(6.0)[:, None], y, ("x",), "y")
    assert cut(table, slice(0, 4), slice(4, 6)).rounding == 0.1


def test_counts_are_not_scaled_and_anything_else_is_refused():
    x, y = np.arange(6.0)[:, None], np.array([0.0, 3.0, 9.0, 1.0, 2.0, 7.0])
    split = cut(Table("t", x, y, ("x",), "visits", counts=True), slice(0, 4), slice(4, 6))
    np.testing.assert_array_equal(split.y_train[:, 0], y[:4])
    for wrong in (2.5, -1.0):
        with pytest.raises(UserError, match=rf"'visits' of t has the value {wrong:g}, no count: poisson needs 0, 1, 2"):
            cut(Table("t", x, np.append(y[:5], wrong), ("x",), "visits", counts=True), slice(0, 4), slice(4, 6))


def test_a_twin_is_a_test_row_with_the_inputs_and_the_target_of_a_training_row():
    x, y = np.array([[1.0], [2.0], [3.0], [1.0], [2.0]]), np.array([5.0, 6.0, 7.0, 5.0, 9.0])
    split = cut(Table("t", x, y, ("x",), "y"), slice(0, 3), slice(3, 5))
    np.testing.assert_array_equal(split.twins, [True, False])
    assert not load_split("sincos", 0).twins.any()

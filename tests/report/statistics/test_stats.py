"""Against scipy, published tables of critical values, and numbers worked out by hand."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats

from dgpexp.report.statistics import stats


def test_average_by_hand():
    s = stats.average([1.0, 2.0, 3.0, 6.0])
    assert (s.n, s.mean) == (4, 3.0)
    assert s.deviation == pytest.approx(math.sqrt(14 / 3))
    assert s.stderr == pytest.approx(math.sqrt(14 / 3) / 2)


def test_one_value_has_no_standard_error():
    assert stats.average([2.5]) == stats.Average(1, 2.5, None, None)
    assert stats.average([2.5, -math.inf]) == stats.Average(2, -math.inf, None, None)


def test_sign_test_by_hand():
    # All of 8 coins one way: 2 of 256 patterns. One of 8 against: 2 (1 + 8) of 256.
    assert stats.sign_test(8, 0) == stats.sign_test(0, 8) == pytest.approx(2 / 256)
    assert stats.sign_test(7, 1) == pytest.approx(18 / 256)
    assert stats.sign_test(5, 0) is None, "five coins cannot say anything at level 0.05"


def test_holm_by_hand():
    # Sorted 0.01, 0.02, 0.03, 0.04 times 4, 3, 2, 1 is 0.04, 0.06, 0.06, 0.04; the running maximum ends at 0.06.
    assert stats.holm([0.04, 0.01, 0.03, 0.02]) == pytest.approx([0.06, 0.04, 0.06, 0.06])
    assert stats.holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12))
def test_holm_lies_between_the_raw_and_bonferroni(pvalues):
    adjusted = stats.holm(pvalues)
    for raw, p in zip(pvalues, adjusted, strict=True):
        assert raw <= p <= min(1.0, len(pvalues) * max(pvalues))
    assert np.argsort(pvalues, kind="stable").tolist() == np.lexsort((range(len(pvalues)), pvalues, adjusted)).tolist()


def test_average_ranks_by_hand_and_orientation():
    values = np.array([[1.0, 2.0, 3.0], [5.0, 5.0, 9.0]])
    assert stats.average_ranks(values, higher_is_better=True).tolist() == [(3 + 2.5) / 2, (2 + 2.5) / 2, 1.0]
    assert stats.average_ranks(values, higher_is_better=False).tolist() == [(1 + 1.5) / 2, (2 + 1.5) / 2, 3.0]


# Critical values q of the two-tailed Nemenyi test at 0.05, as printed in the literature.
@pytest.mark.parametrize(("k", "q"), [(2, 1.960), (3, 2.343), (4, 2.569), (5, 2.728), (8, 3.031), (10, 3.164)])
def test_critical_difference_uses_the_published_values(k, q):
    assert stats.critical_difference(k, 8) == pytest.approx(q * math.sqrt(k * (k + 1) / 48), rel=5e-4)


def test_cliques_by_hand():
    assert stats.cliques([1.0, 1.5, 2.2, 3.9], 1.0) == [(0, 1), (1, 2)]
    assert stats.cliques([1.0, 1.2, 1.4], 1.0) == [(0, 2)], "a bar inside another is not drawn"
    assert stats.cliques([1.0, 3.0], 1.0) == []


def test_friedman_equals_scipy_and_needs_three_columns():
    values = np.random.default_rng(0).normal(size=(8, 4))
    assert stats.friedman(values) == pytest.approx(scipy_stats.friedmanchisquare(*values.T).pvalue)
    assert stats.friedman(values[:, :2]) is None

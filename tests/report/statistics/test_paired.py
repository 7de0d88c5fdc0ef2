"""Two models on the same splits: intervals that hold what they promise, and winners by one rule."""

import math

import numpy as np
import pytest
from scipy import stats as scipy_stats

from dgpexp.report.comparable import share_tested
from dgpexp.report.statistics.paired import corrected, paired


def holding(share: float, truth: float, differences: np.ndarray) -> float:
    """The share of data sets [R, splits] whose interval has the true difference in it."""
    found = [paired("rmse", d, np.zeros_like(d), share) for d in differences]
    return float(np.mean([d.low <= truth <= d.high for d in found]))


def test_corrected_intervals_cover_the_truth_where_student_s_do_not():
    """y = u + v + noise, learnt by least squares from u alone and from v alone: the two models are exchangeable, so the
    expected difference of their errors is 0, on whatever data set and splits."""
    rng, rows, test, splits, data_sets = np.random.default_rng(0), 100, 10, 20, 1000
    inputs = rng.normal(size=(2, data_sets, rows))
    y = inputs.sum(axis=0) + rng.normal(size=(data_sets, rows))
    tested = rng.random((data_sets, splits, rows)).argsort(axis=2)[..., :test]

    def error(x: np.ndarray) -> np.ndarray:
        """The mean squared error on the test rows of every split: [data_sets, splits]."""
        x_test, y_test = (np.take_along_axis(v[:, None], tested, axis=2) for v in (x, y))
        products = (x * y).sum(axis=1)[:, None] - (x_test * y_test).sum(axis=2)  # of the training rows
        slope = products / ((x * x).sum(axis=1)[:, None] - (x_test**2).sum(axis=2))
        return ((y_test - slope[..., None] * x_test) ** 2).mean(axis=2)

    differences = error(inputs[0]) - error(inputs[1])
    student, right = (holding(share, 0.0, differences) for share in (0.0, test / (rows - test)))
    assert student < 0.80, "they take splits that share nine tenths of their rows for independent"
    assert 0.93 < right < 0.97


def test_by_hand_and_without_shared_rows_it_is_student_s():
    a, b = np.array([1.0, 2.0, 4.0, 3.0]), np.array([0.5, 1.0, 3.5, 1.0])
    d = paired("rmse", a, b, 1 / 9)
    deviation = (a - b).std(ddof=1)
    assert d.difference == pytest.approx(1.0) and d.stderr == pytest.approx(deviation * math.sqrt(1 / 4 + 1 / 9))
    plain, scipy = paired("rmse", a, b, 0.0), scipy_stats.ttest_rel(a, b)
    assert plain.p == pytest.approx(scipy.pvalue)
    assert (plain.low, plain.high) == pytest.approx(scipy.confidence_interval(0.95))


@pytest.mark.parametrize(
    ("dataset", "split_list", "share"),
    [
        ("boston", "auto", 1 / 9),
        ("sincos", "auto", 0.0),
        ("power", "rff", 1 / (math.sqrt(9568) - 1)),
        ("mine", "auto", 1 / 9),
    ],
)
def test_how_many_rows_are_tested_for_each_that_is_trained_on(dataset, split_list, share):
    assert share_tested(dataset, split_list) == pytest.approx(share)


def test_pairs_without_scatter_and_two_pairs_name_no_winner():
    for a, b in (([1.1, 2.1], [0.6, 1.6]), ([1.1, 2.1, 3.1], [0.6, 1.6, 2.6])):
        (d,) = corrected([paired("ll", a, b, 1 / 9)])
        assert d.difference == pytest.approx(0.5) and (d.low, d.p, d.better) == (None, None, "")
    (two,) = corrected([paired("ll", [1.0, 2.0], [0.0, 1.001], 1 / 9)])
    assert two.low is not None and two.p is None and two.better == ""


def test_the_corrected_p_decides_who_is_better():
    a = np.arange(6.0)
    near, far = (paired("rmse", a + gap + 0.05 * a, a, 1 / 9, names=("B", "A")) for gap in (0.1, 5.0))
    assert corrected([far])[0].better == "A", "a higher RMSE is worse"
    alone, among = corrected([near])[0], corrected([near] * 40)[0]
    assert alone.better == "A" and among.better == "", "Holm's correction over 40 tests"
    assert among.low > 0, "its own interval would have named one"


def test_an_infinite_value_is_shown_and_decides_nothing():
    d = paired("ll", [-1.0, -math.inf, -1.0], [-1.0, -1.1, -0.9], 1 / 9)
    assert d.difference == -math.inf and d.shown(d.difference) == "−∞" and d.p is None


def test_coverage_is_tested_by_its_distance_from_the_nominal_value():
    rng = np.random.default_rng(1)
    right, wrong = 0.9 + 0.01 * rng.normal(size=20), 0.97 + 0.01 * rng.normal(size=20)
    (d,) = corrected([paired("coverage90", wrong, right, 1 / 9, names=("B", "A"))])
    assert d.better == "A" and d.difference == pytest.approx(abs(wrong.mean() - 0.9) - abs(right.mean() - 0.9))
    under = 0.83 + 0.01 * rng.normal(size=20)
    (d,) = corrected([paired("coverage90", wrong, under, 1 / 9, names=("B", "A"))])
    assert d.better == "", "0.97 and 0.83 are as far from 0.9, though their difference is plain"
    assert paired("coverage90", wrong[:5], right[:5], 1 / 9).p is None, "too few to be drawn from"

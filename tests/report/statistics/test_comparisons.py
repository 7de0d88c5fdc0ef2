"""Methods against each other: paired on splits, corrected, and the right way round."""

import pytest

from dgpexp.report.cells import group
from dgpexp.report.statistics.comparisons import pair_tests, ranking, win_tie_loss
from dgpexp.report.statistics.stats import holm
from tests.report import sample


def runs(values, dataset="boston", depth=2):
    """{method: [value a split]} as runs whose RMSE and log-likelihood both are the value."""
    return [
        sample.row(dataset, m, depth, k, sample.REGRESSION, {"rmse": v, "ll": v})
        for m, series in values.items()
        for k, v in enumerate(series)
    ]


def test_only_common_splits_are_paired():
    groups = group(sample.frame(runs({"vi": range(10), "aepmcm": [k + 0.5 for k in range(8)]})))
    (test,) = pair_tests(groups, "ll")
    assert (test.first, test.second, test.n) == ("aepmcm", "vi", 8)
    assert test.difference == pytest.approx(0.5) and test.better == "", "differences without scatter"


def test_orientation_of_the_winner():
    groups = group(sample.frame(runs({"vi": range(10), "aepmcm": [k + 0.5 + k / 100 for k in range(10)]})))
    assert [t.better for t in pair_tests(groups, "ll")] == ["aepmcm"], "a higher log-likelihood is better"
    assert [t.better for t in pair_tests(groups, "rmse")] == ["vi"], "a higher RMSE is worse"


def test_holm_is_applied_within_a_data_set():
    shift = [0.5 + k / 100 for k in range(6)]
    values = {"vi": [0.0] * 6, "aep": shift, "aepmcm": [2 * s for s in shift]}
    tests = pair_tests(group(sample.frame(runs(values) + runs(values, dataset="energy"))), "ll")
    family = [t for t in tests if t.dataset == "boston"]
    assert [t.adjusted for t in family] == pytest.approx(holm([t.p for t in family]))
    assert len(family) == 3 and len(tests) == 6


def test_win_tie_loss_counts_and_leaves_out_what_cannot_be_tested():
    rows = runs({"vi": range(10), "aepmcm": [k + 0.5 + k / 100 for k in range(10)]})
    rows += runs({"vi": [0, 1, 2, 3, 4, 5], "aepmcm": [1, 0, 3, 2, 5, 4]}, dataset="energy")
    rows += runs({"vi": range(2), "aepmcm": [1, 2.5]}, dataset="wine")
    (line,) = win_tie_loss(pair_tests(group(sample.frame(rows)), "ll"))
    assert (line.wins, line.ties, line.losses, line.untested) == (1, 1, 0, 1)


def test_ranking_uses_the_full_block_with_the_sharpest_test():
    rows = []
    for dataset, best in (("boston", "aepmcm"), ("energy", "aepmcm"), ("wine", "vi")):
        values = {"vi": [0.0], "aep": [-1.0], "aepmcm": [1.0 if best == "aepmcm" else -0.5]}
        rows += runs(values, dataset)
    rows += runs({"vi": [9.0]}, "boston", depth=5)  # on one data set only: left out
    for dataset in ("boston", "energy"):
        rows += runs({"vi": [9.0]}, dataset, depth=3)  # a fourth method is worth less than a third data set
    found = ranking(group(sample.frame(rows)), "ll")
    assert found.names == ("AEPMCM 2", "VI 2", "AEP 2")
    assert found.ranks == pytest.approx((4 / 3, 5 / 3, 3.0))
    assert found.datasets == ("boston", "energy", "wine")


@pytest.mark.parametrize(("splits", "names"), [(1, ("AEPMCM 2", "VI 2")), (3, ("AEP 2", "AEPMCM 2", "VI 2"))])
def test_a_method_with_few_splits_does_not_take_those_of_the_others(splits, names):
    values = {"vi": [0.0, -1.0, -1.0], "aepmcm": [-1.0, 1.0, 1.0], "aep": [9.0] * splits}
    found = ranking(group(sample.frame(runs(values, "boston") + runs(values, "energy"))), "ll")
    assert found.names == names
    assert found.splits == (3, 3)


def test_more_data_sets_are_worth_more_than_more_depths_of_the_same():
    values = {"vi": [0.0] * 5, "aep": [1.0] * 5, "aepmcm": [2.0] * 5}
    few, many = ("boston", "energy"), ("boston", "energy", "kin8nm", "naval")
    rows = [r for d in many for r in runs(values, d)] + [r for d in few for r in runs(values, d, depth=3)]
    found = ranking(group(sample.frame(rows)), "ll")
    assert found.datasets == many and found.names == ("AEPMCM 2", "AEP 2", "VI 2")
    rows += [r for d in many[2:] for r in runs(values, d, depth=3)]
    assert len(ranking(group(sample.frame(rows)), "ll").names) == 6, "once depth 3 has them too, it takes part"


def test_a_data_set_with_less_than_five_splits_has_no_rank_where_others_have_five():
    values = {"vi": [0.0] * 5, "aepmcm": [1.0] * 5}
    rows = runs(values, "boston") + runs(values, "energy") + runs({"vi": [1.0] * 4, "aepmcm": [0.0] * 4}, "naval")
    assert ranking(group(sample.frame(rows)), "ll").datasets == ("boston", "energy")


def test_no_ranking_from_one_data_set():
    assert ranking(group(sample.frame(runs({"vi": [0.0], "aep": [1.0]}))), "ll") is None

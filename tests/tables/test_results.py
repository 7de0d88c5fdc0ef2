"""Models side by side: over how many splits, and how surely one is better."""

from dgpexp.tables.results import Model, differences, lines
from dgpexp.tasks import CLASSIFICATION, REGRESSION


def model(name: str, *rmse: float) -> Model:
    return Model(name, {k: {"rmse": v, "ll": -v} for k, v in enumerate(rmse)})


def test_a_model_that_lacks_splits_says_so():
    table = lines([model("ours", 1.0), model("a linear model", 2.0, 4.0)], REGRESSION)
    assert table[1].split()[:5] == ["ours", "[1", "of", "2", "splits]"] and "3.00 (1.00)" in table[2]


def test_shares_are_written_in_percent_under_their_unit():
    table = lines([Model("ours", {0: {"accuracy": 0.925}})], CLASSIFICATION)
    assert "accuracy, %" in table[0] and "92.50" in table[1]


def test_differences_are_paired_and_have_the_sign_of_ours_minus_theirs():
    rmse, ll = differences(model("ours", 1.0, 2.1, 2.9), [model("theirs", 2.0, 3.0, 4.0)], REGRESSION)
    assert (rmse.n, rmse.shown(rmse.difference), rmse.better, ll.shown(ll.difference)) == (3, "−1.000", "ours", "1.000")
    # t of 0.975 with 2 degrees of freedom is 4.303, the deviation of (-1, -0.9, -1.1) is 0.1; 0.1 √(1/3 + 1/9) = 0.0667
    assert rmse.interval == "−1.287 to −0.713" and ll.better == "ours"
    assert differences(model("ours", 1.0, 4.0), [model("theirs", 2.0, 3.0)], REGRESSION)[0].better == ""
    assert differences(model("ours", 1.0), [model("theirs", 2.0)], REGRESSION)[0].interval == ""

"""Models side by side: over how many splits, and how surely one is better."""

from dataclasses import replace

from dgpexp.tables.results import Model, differences, lines, verdict
from dgpexp.tasks import CLASSIFICATION, REGRESSION


def model(name: str, *rmse: float) -> Model:
    return Model(name, {k: {"rmse": v, "ll": -v} for k, v in enumerate(rmse)})


def test_a_model_that_lacks_splits_says_so():
    table = lines([model("ours", 1.0), model("a linear model", 2.0, 4.0)], REGRESSION)
    assert table[1].split()[:5] == ["ours", "[1", "of", "2", "splits]"] and "3.0 (1.0)" in table[2]


def test_shares_are_written_in_percent_under_their_unit():
    table = lines([Model("ours", {0: {"accuracy": 0.925}})], CLASSIFICATION)
    assert "accuracy, %" in table[0] and "92.5" in table[1]


def test_differences_are_paired_and_have_the_sign_of_ours_minus_theirs():
    rmse, ll = differences(model("ours", 1.0, 2.1, 2.9), [model("theirs", 2.0, 3.0, 4.0)], REGRESSION)
    assert (rmse.n, rmse.shown(rmse.difference), rmse.better, ll.shown(ll.difference)) == (3, "−1.000", "ours", "1.000")
    # t of 0.975 with 2 degrees of freedom is 4.303, the deviation of (-1, -0.9, -1.1) is 0.1; 0.1 √(1/3 + 1/9) = 0.0667
    assert rmse.interval == "−1.287 to −0.713" and ll.better == "ours"
    assert differences(model("ours", 1.0, 4.0), [model("theirs", 2.0, 3.0)], REGRESSION)[0].better == ""
    assert differences(model("ours", 1.0), [model("theirs", 2.0)], REGRESSION)[0].interval == ""


def test_a_cell_has_three_digits_or_what_its_error_allows():
    tested = Model("ours", {0: {"rmse": 1512.3, "ll": -6.68}, 1: {"rmse": 1488.1, "ll": -6.71}})
    assert lines([tested], REGRESSION)[1].split() == ["ours", "1500", "(12)", "−6.695", "(0.015)"]
    assert lines([model("ours", 0.012345)], REGRESSION)[1].split()[:2] == ["ours", "0.0123"]


def test_the_verdict_says_who_wins_by_how_much_and_whether_there_are_several_answers():
    ours = Model("PEP 2", {k: {"ll": -1.0 - 0.1 * k, "coverage90": 0.9} for k in range(3)}, several=0.37)
    theirs = Model("a linear model", {k: {"ll": -1.5 - 0.1 * k, "coverage90": 0.95} for k in range(3)})
    assert verdict([theirs, ours], REGRESSION) == (
        "PEP 2 predicts best, 0.50 nats a row ahead of a linear model; 90 of 100 of its 90 % intervals held. "
        "PEP 2 sees two or more answers for 37 of 100 rows."
    )
    assert verdict([theirs, replace(ours, numbers=theirs.numbers, several=0.0)], REGRESSION) == (
        "A linear model predicts best, 0.00 nats a row ahead of PEP 2 (within chance); "
        "95 of 100 of its 90 % intervals held. PEP 2 sees one answer for every row."
    )

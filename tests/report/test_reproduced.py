"""Each run beside the committed one of the same id: equal, if what is printed of the two is, or as near as a seed."""

import math

import pytest

from dgpexp.datasets.catalog import find
from dgpexp.report import reproduced
from dgpexp.report.reproduced import DIFFERENT, EQUAL, WITHIN
from dgpexp.report.spread import spread
from dgpexp.store.tidy_table import read_measured
from tests.report import sample


@pytest.fixture
def committed(monkeypatch):
    """The rows that came with dgpexp, to be filled; of each, another seed has an RMSE and a log-likelihood 0.1 away."""
    rows: list[dict] = []

    def read(profile):
        others = [sample.other_seed(r, rmse=r.get("rmse", 1.0) + 0.1, ll=r["ll"] + 0.1) for r in rows]
        return sample.frame({"quick": rows, "quick/seeds": others}[profile])

    monkeypatch.setattr(reproduced, "read_measured", read)
    return rows


def run(dataset="boston", split=0, **values):
    return sample.row(dataset, "vi", 2, split, sample.REGRESSION, {"rmse": 2.744, "ll": -2.36, **values})


def checked(*rows):
    return reproduced.repeated(sample.frame(list(rows)), "quick")


def outcomes(*rows):
    return [pair.outcome for pair in checked(*rows).pairs]


def test_equal_means_the_digits_of_the_tables(committed):
    committed += [run(), run("naval", rmse=0.00032)]
    assert outcomes(run(rmse=2.7441)) == [EQUAL]
    (pair,) = checked(run(rmse=2.746, ll=-2.3601)).pairs
    assert pair.label == "boston VI depth 2 split 0" and pair.difference == "RMSE 2.75, committed 2.74"
    assert outcomes(run("naval", rmse=0.00033)) != [EQUAL], "a small number is printed with more digits"


def test_other_digits_are_judged_by_other_seeds_and_only_what_is_farther_differs(committed):
    committed += [run(d, split=split) for d in ("boston", "energy") for split in range(4)]
    near, far = run(rmse=2.9), run("energy", ll=-9.0)
    found = checked(near, far, run("boston", split=1))
    assert [pair.outcome for pair in found.pairs] == [WITHIN, DIFFERENT, EQUAL]
    assert [pair.label for pair in found.different] == ["energy VI depth 2 split 0"]
    assert found.sentence == (
        "1 of 3 runs equal the committed ones to the printed digits, 1 lie within the spread of other seeds, 1 differ."
    )


def test_the_committed_seeds_judge_the_uci_runs_strictly_and_leave_out_no_data_set_of_them():
    """Ten per cent of the RMSE is far on a data set whose seeds agree; energy's seeds differ by a factor of two."""
    rows = [r for r in read_measured("quick").to_dict("records") if find(r["dataset"]).packages and r["rmse"] > 0]
    draws = spread(rows, read_measured("quick/seeds").to_dict("records"), ("rmse", "ll"))
    assert len(rows) == 36 and all(draws.within(row, "ll", row["ll"]) for row in rows)
    strict = {r["dataset"] for r in rows if draws.within(r, "rmse", 1.25 * r["rmse"]) is False}
    assert strict == {"boston", "concrete", "power", "protein", "wine"}


def test_only_finished_runs_of_the_same_id_are_compared(committed):
    committed.append(run())
    found = checked(run(), run("energy"), run("wine", status="FAILED"))
    assert len(found.pairs) == 1 and found.without_twin == 1
    assert found.sentence == (
        "1 of 1 runs equal the committed ones to the printed digits, 0 lie within the spread of other seeds, 0 differ; "
        "1 more have no committed run to be compared with."
    )


def test_without_a_twin_nothing_is_counted(committed):
    assert checked(run()).sentence == "None of 1 finished runs has a committed one to be compared with yet."


def test_a_number_that_is_none_differs(committed):
    committed += [run(split=split) for split in range(3)]
    (pair,) = checked(run(ll=math.inf)).different
    assert pair.difference == "LL ∞, committed −2.36"


def test_classes_are_compared_by_their_own_numbers(committed):
    row = sample.row("spambase", "vi", 2, 0, sample.REGRESSION, {"ll": -0.2, "accuracy": 0.931})
    committed.append(row)
    assert checked(row | {"accuracy": 0.957}).pairs[0].difference.startswith("accuracy")


def test_every_data_set_that_needs_no_import_has_a_spread():
    committed, seeds = (read_measured(name).to_dict("records") for name in ("quick", "quick/seeds"))
    judged = {dataset for dataset, _ in spread(committed, seeds, ("ll",)).deviations}
    imported = {"kin8nm", "naval", "eeg", "higgs_sample", "airline"}
    assert {row["dataset"] for row in committed} - judged == imported
    assert all(freedom >= 3 for _, freedom in spread(committed, seeds, ("ll",)).deviations.values())

"""Each run beside the committed one of the same id: equal, if what is printed of the two is."""

import math

import pytest

from dgpexp.report import reproduced
from tests.report import sample


@pytest.fixture
def committed(monkeypatch):
    """The rows that came with dgpexp, to be filled."""
    rows: list[dict] = []
    monkeypatch.setattr(reproduced, "read_measured", lambda profile: sample.frame(rows))
    return rows


def run(dataset="boston", **values):
    return sample.row(dataset, "vi", 2, 0, sample.REGRESSION, {"rmse": 2.744, "ll": -2.36, **values})


def checked(*rows):
    return reproduced.repeated(sample.frame(list(rows)), "quick")


def test_equal_means_the_digits_of_the_tables(committed):
    committed += [run(), run("naval", rmse=0.00032)]
    assert checked(run(rmse=2.7441)).different == []
    (pair,) = checked(run(rmse=2.746, ll=-2.3601)).different
    assert pair.label == "boston VI depth 2 split 0" and pair.difference == "RMSE 2.75, committed 2.74"
    assert checked(run("naval", rmse=0.00033)).different, "a small number is printed with more digits"


def test_only_finished_runs_of_the_same_id_are_compared(committed):
    committed.append(run())
    found = checked(run(), run("energy"), run("wine", status="FAILED"))
    assert len(found.pairs) == 1 and found.without_twin == 1
    assert found.sentence == (
        "1 of 1 runs equal the committed ones to the printed digits on this machine; "
        "1 more have no committed run to be compared with."
    )


def test_without_a_twin_nothing_is_counted(committed):
    assert checked(run()).sentence == "None of 1 finished runs has a committed one to be compared with yet."


def test_a_number_that_is_none_differs(committed):
    committed.append(run())
    (pair,) = checked(run(ll=math.inf)).different
    assert pair.difference == "LL ∞, committed −2.36"


def test_classes_are_compared_by_their_own_numbers(committed):
    row = sample.row("spambase", "vi", 2, 0, sample.REGRESSION, {"ll": -0.2, "accuracy": 0.931})
    committed.append(row)
    assert checked(row | {"accuracy": 0.957}).different[0].difference.startswith("accuracy")

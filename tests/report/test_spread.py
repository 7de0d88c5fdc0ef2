"""The spread of a run under other seeds: what may be rounding on another processor, and what is another number."""

import math

import numpy as np
import pytest

from dgpexp.config import Settings
from dgpexp.report.spread import LEVEL, spread
from tests.report import sample

METRICS = ("rmse", "ll")


def run(dataset="boston", method="aep", seed=0, rmse=2.7, ll=-2.4):
    return sample.row(dataset, method, 2, 0, Settings(seed=seed), {"rmse": rmse, "ll": ll})


def test_one_more_draw_is_called_different_as_often_as_the_level_says(monkeypatch):
    """Runs of one method on several data sets with two seeds each, and a third draw; the coverage is known."""
    monkeypatch.setattr("dgpexp.report.spread.LEVEL", 0.05)
    rng, sets, outside = np.random.default_rng(0), ("boston", "energy", "wine", "power"), []
    for _ in range(250):
        drawn = {name: rng.normal(-2.4, 0.3, 3) for name in sets}
        found = spread(
            [run(n, ll=d[0]) for n, d in drawn.items()], [run(n, seed=1, ll=d[1]) for n, d in drawn.items()], METRICS
        )
        outside += [not found.within(run(n), "ll", d[2]) for n, d in drawn.items()]
    assert np.mean(outside) == pytest.approx(0.05, abs=0.02)
    assert LEVEL == 0.001, "of some twenty runs with other digits one in fifty sweeps is called different by chance"


def test_errors_are_compared_by_their_ratio_so_that_data_sets_can_be_pooled():
    committed = [run("boston", rmse=2.0), run("naval", rmse=0.0020)]
    found = spread(committed, [run("boston", seed=1, rmse=2.2), run("naval", seed=1, rmse=0.0022)], METRICS)
    deviation, freedom = found.deviations["aep", "rmse"]
    assert freedom == 2 and deviation == pytest.approx(math.log(1.1) / math.sqrt(2))
    assert found.within(committed[1], "rmse", 0.0025) and not found.within(committed[1], "rmse", 2.0)


def test_a_deviation_is_a_unit_of_the_last_digit_at_least():
    found = spread([run(), run("wine")], [run(seed=1), run("wine", seed=1)], METRICS)
    assert found.within(run(), "ll", -2.41) and found.within(run(), "rmse", 2.71)
    assert not found.within(run(), "ll", -3.4) and not found.within(run(), "rmse", 5.4)


def test_a_method_without_other_seeds_is_not_judged_and_a_run_without_them_takes_those_of_its_method():
    found = spread([run(), run("wine"), run(method="vi")], [run(seed=1, ll=-2.5)], METRICS)
    assert found.within(run("wine"), "ll", -2.5) is True
    assert found.within(run(method="vi"), "ll", -2.5) is None


def test_what_is_not_finite_is_one_more_draw_only_if_a_seed_was_not_finite():
    found = spread([run(), run("wine", ll=-math.inf)], [run(seed=1), run("wine", seed=1)], METRICS)
    assert found.within(run(), "ll", -math.inf) is False and found.within(run("wine"), "ll", -math.inf) is True


def test_runs_with_other_settings_are_other_runs():
    other = sample.row("boston", "aep", 2, 0, Settings(seed=1, inducing_points=20), {"rmse": 9.0, "ll": -9.0})
    assert spread([run()], [other], METRICS).deviations == {}

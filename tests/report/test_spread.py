"""The spread of a run under other seeds: what may be rounding on another processor, and what is another number."""

import math

import numpy as np
import pytest

from dgpexp.config import Settings
from dgpexp.report.spread import LEAST, LEVEL, spread
from tests.report import sample

METRICS = ("rmse", "ll")
NOISE = (("boston", 0.02), ("energy", 0.7))  # the deviation of the logarithm of the RMSE
CELLS = [(method, layers) for method in ("vi", "aep", "aepmcm") for layers in (2, 3)]


def run(dataset="boston", method="aep", seed=0, rmse=2.7, ll=-2.4, layers=2):
    return sample.row(dataset, method, layers, 0, Settings(seed=seed), {"rmse": rmse, "ll": ll})


@pytest.mark.parametrize(("scales", "rate"), [([0.3] * 6, 0.05), ([0.1, 0.3, 0.3, 0.3, 0.3, 0.3], 0.055)])
def test_one_more_draw_is_called_different_as_often_as_the_level_says(monkeypatch, scales, rate):
    """A data set's six runs with two seeds each, and a third draw; hardly more often where a method scatters less."""
    monkeypatch.setattr("dgpexp.report.spread.LEVEL", 0.05)
    rng, outside = np.random.default_rng(0), []
    for _ in range(100):
        drawn = {cell: rng.normal(-2.4, scale, 3) for cell, scale in zip(CELLS, scales, strict=True)}
        seeds = [[run(method=m, layers=n, seed=s, ll=d[s]) for (m, n), d in drawn.items()] for s in (0, 1)]
        found = spread(*seeds, METRICS)
        outside += [not found.within(run(method=m, layers=n), "ll", d[2]) for (m, n), d in drawn.items()]
    assert np.mean(outside) == pytest.approx(rate, abs=0.02)
    assert LEVEL == 0.001, "of some twenty runs with other digits one in fifty sweeps is called different by chance"


def test_a_data_set_whose_seeds_agree_is_judged_strictly_whatever_another_one_does():
    """The quick profile's own case: seeds move boston by 2 % and energy by a factor of two."""
    rng = np.random.default_rng(1)
    rows = [
        [run(name, m, s, rmse=3 * math.exp(scale * rng.normal()), layers=n) for m, n in CELLS for name, scale in NOISE]
        for s in range(3)
    ]
    found = spread(rows[0], rows[1] + rows[2], METRICS)
    assert found.within(run("boston"), "rmse", 3.1) and not found.within(run("boston"), "rmse", 3.9)
    assert found.within(run("energy"), "rmse", 3.9)


def test_errors_are_compared_by_their_ratio():
    """So that runs whose errors have other sizes can be pooled: 1.1 is 1.1 at 2.0 and at 4.0."""
    committed = [run(rmse=2.0), run(method="vi", rmse=4.0)]
    found = spread(committed, [run(seed=1, rmse=2.2), run(method="vi", seed=1, rmse=4.4)], METRICS)
    deviation, freedom = found.deviations["boston", "rmse"]
    assert freedom == 2 and deviation == pytest.approx(math.log(1.1) / math.sqrt(2))


def test_a_deviation_is_a_unit_of_the_last_digit_at_least():
    others = [run(method=m, layers=n) for m, n in CELLS]
    found = spread(others, [run(method=m, layers=n, seed=1) for m, n in CELLS], METRICS)
    assert found.within(run(), "ll", -2.41) and found.within(run(), "rmse", 2.71)
    assert not found.within(run(), "ll", -2.5) and not found.within(run(), "rmse", 2.9)


def test_a_run_without_other_seeds_takes_those_of_its_data_set_and_too_few_judge_nothing():
    seeds = [run(seed=1, ll=-2.5), run(layers=3, seed=1), run(layers=3, seed=2)]
    found = spread([run(), run(layers=3), run(method="vi"), run("wine")], seeds, METRICS)
    assert found.deviations["boston", "ll"][1] == LEAST and found.within(run(method="vi"), "ll", -2.5) is True
    few = spread([run(), run(layers=3)], seeds[:2], METRICS)
    assert few.deviations["boston", "ll"][1] == LEAST - 1 and few.within(run(), "ll", -2.5) is None
    assert found.within(run("wine"), "ll", -2.5) is None


def test_what_is_not_finite_is_one_more_draw_only_if_a_seed_was_not_finite():
    found = spread(
        [run(), run(layers=3, ll=-math.inf)], [run(layers=n, seed=s) for n in (2, 3) for s in (1, 2)], METRICS
    )
    assert found.within(run(), "ll", -math.inf) is False and found.within(run(layers=3), "ll", -math.inf) is True


def test_runs_with_other_settings_are_other_runs():
    other = sample.row("boston", "aep", 2, 0, Settings(seed=1, inducing_points=20), {"rmse": 9.0, "ll": -9.0})
    assert spread([run()], [other], METRICS).deviations == {}

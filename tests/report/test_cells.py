"""Which runs make a cell, and what is said of it beside the published value."""

import math

import pytest

from dgpexp.config import Settings
from dgpexp.report.cells import cell, group
from dgpexp.report.published import Published, load
from tests.report import sample

BOSTON = ("boston", "vi", 3, None)


def boston(values, settings=sample.REGRESSION, **more):
    return [sample.row("boston", "vi", 3, k, settings, {"rmse": v, "ll": -2.3}, **more) for k, v in enumerate(values)]


def judged(rows, metric="rmse", key=BOSTON):
    return cell(key, metric, group(sample.frame(rows)), load())


def spread(mean, n=20, step=0.1):
    return [mean + step * (1 if k % 2 else -1) for k in range(n)]


def test_difference_in_combined_standard_errors_by_hand():
    c = judged(boston(spread(3.0)))
    stderr = 0.1 * math.sqrt(20 / 19) / math.sqrt(20)
    assert (c.n, c.expected, c.mean) == (20, 20, pytest.approx(3.0))
    assert c.stderr == pytest.approx(stderr)
    # The thesis prints 2.74 (0.14), rounded to 0.01.
    assert c.difference == pytest.approx((3.0 - 2.74) / math.sqrt(stderr**2 + 0.14**2 + 0.01**2 / 12))
    assert c.verdict == "agree"


def test_differ_on_the_wrong_side_is_a_regression_and_on_the_right_side_is_not():
    worse, better = judged(boston(spread(3.5))), judged(boston(spread(2.0)))
    assert (worse.verdict, worse.regression) == ("differ", True)
    assert (better.verdict, better.regression) == ("differ", False)


def test_log_likelihood_is_better_when_higher():
    low = [dict(r, ll=-4.0 - 0.01 * k) for k, r in enumerate(boston(spread(2.7)))]
    high = [dict(r, ll=-1.0 - 0.01 * k) for k, r in enumerate(boston(spread(2.7)))]
    assert judged(low, "ll").regression
    assert judged(high, "ll").verdict == "differ" and not judged(high, "ll").regression


def test_some_splits_are_not_judged():
    c = judged(boston(spread(9.0, n=4)))
    assert (c.verdict, c.note, c.regression) == ("partial", "4 of 20 splits so far", False)
    assert c.difference > 3, "the difference is shown all the same"


def test_one_split_has_no_difference():
    c = judged(boston([2.7]))
    assert (c.stderr, c.difference, c.verdict) == (None, None, "partial")


def test_an_empty_cell_says_why():
    assert judged([]).note == "no finished run yet"
    assert judged(boston([2.7]), "ll_rounded").note == "its finished runs were made before this was measured"
    assert (
        "2 failed, 1 running"
        in judged(boston([math.nan], status="RUNNING") + boston([math.nan] * 3, status="FAILED")[1:]).note
    )
    year = judged([], key=("year", "vi", 3, 10))
    assert year.verdict == "empty" and "dgpexp data import" in year.note


def test_illegible_values_are_shown_and_never_judged():
    rows = [
        sample.row("wine", "aepmcm", 4, k, sample.REGRESSION, {"rmse": 0.7, "ll": -5 - 0.01 * k}) for k in range(20)
    ]
    c = judged(rows, "ll", ("wine", "aepmcm", 4, None))
    assert c.published == Published("5.1.2", 0.95, 0.06, 0.01, legible=False)
    assert c.verdict == "not comparable" and "ambiguous" in c.note


def test_a_shortened_protocol_is_not_comparable():
    c = judged(boston(spread(9.0), Settings(epochs=50)))
    assert c.verdict == "not comparable" and "epochs = 50 (thesis: 2000)" in c.note


@pytest.mark.parametrize("settings", ["", "{}", "null"])
def test_a_run_whose_settings_were_lost_is_not_comparable(settings):
    c = judged([r | {"settings": settings} for r in boston(spread(2.74))])
    assert c.verdict == "not comparable" and "its settings were not recorded" in c.note


def test_the_protocol_of_a_data_set_is_the_one_in_its_toml_file():
    rows = [sample.row("naval", "vi", 3, k, Settings(epochs=500), {"rmse": 0.001}) for k in range(20)]
    assert judged(rows, "rmse", ("naval", "vi", 3, None)).verdict == "agree"
    longer = [r | {"settings": r["settings"].replace('"epochs": 500', '"epochs": 2000')} for r in rows]
    assert "epochs = 2000 (thesis: 500)" in judged(longer, "rmse", ("naval", "vi", 3, None)).note


def test_another_course_of_the_learning_rate_is_not_comparable():
    c = judged(boston(spread(2.74), Settings(cooldown=0.2)))
    assert c.verdict == "not comparable" and "cooldown = 0.2 (thesis: 0)" in c.note


def test_the_quick_profile_is_never_judged():
    c = judged(boston(spread(9.0), profile="quick"))
    assert c.verdict == "not comparable" and "miniature" in c.note


def test_settings_on_which_the_thesis_is_silent_are_comparable():
    assert judged(boston(spread(2.74), Settings(precision="mixed", inner_noise=1e-5))).verdict == "agree"


def test_runs_of_two_settings_are_never_averaged():
    rows = boston(spread(2.7)) + boston(spread(9.0, n=12), Settings(precision="mixed"))
    c = judged(rows)
    assert c.mean == pytest.approx(2.7) and "12 more finished with other settings" in c.note


@pytest.mark.parametrize("label", ["uci+inner_noise=0.001", "uci"])
def test_the_protocol_as_it_stands_is_preferred_to_other_settings(label):
    """Whether the command line changed them or the profile had them once: more splits do not make up for that."""
    other = boston(spread(9.0), Settings(inner_noise=1e-3), experiment=label)
    assert judged(boston(spread(2.7, n=4)) + other).mean == pytest.approx(2.7)


def test_a_cell_says_that_its_settings_are_not_the_profile_s():
    assert "no more, or never had" in judged(boston(spread(2.7), Settings(inner_noise=1e-3))).note
    assert "never had" not in judged(boston(spread(2.7))).note


def test_settings_that_became_the_profile_s_own_are_its_protocol():
    """Runs made with --set before the profile had it stand in the table now."""
    once = boston(spread(9.0), Settings(inner_noise=1e-3))
    assert judged(boston(spread(2.7, n=4), experiment="uci+inner_noise=1e-05") + once).mean == pytest.approx(2.7)


def test_a_printed_zero_standard_error_is_a_rounded_one():
    exact = Published("5.1.1", 0.07, 0.0, 0.01)
    assert exact.variance == pytest.approx(0.0025**2 + 0.01**2 / 12)


def test_a_single_published_run_scatters_like_one_of_ours():
    values = [-3.0 - 0.1 * (k % 2) for k in range(10)]
    rows = [sample.row("sincos", "vi", 3, k, sample.SYNTHETIC_SETTINGS, {"ll": v}) for k, v in enumerate(values)]
    c = judged(rows, "ll", ("sincos", "vi", 3, None))
    deviation = 0.05 * math.sqrt(10 / 9)
    assert c.difference == pytest.approx((-3.05 + 3.084) / math.sqrt(deviation**2 * 1.1 + 0.001**2 / 12))
    assert c.verdict == "agree"


def test_the_flights_are_not_comparable_and_neither_are_seconds():
    rows = sample.big(("airline",))
    assert "flights of other years" in judged(rows, "ll", ("airline", "vi", 3, 10)).note
    assert "ratios" in judged(rows, "seconds_per_step", ("airline", "vi", 3, 10)).note


def test_torn_runs_are_ignored():
    rows = [*boston(spread(2.7)), {"run_id": "torn", "status": "STALE", "profile": "thesis"}]
    assert judged(rows).n == 20


@pytest.mark.parametrize("stored", [-math.inf, math.nan])
def test_a_run_whose_log_likelihood_is_not_finite_is_seen(stored):
    """JSON keeps no infinity: a finished run without its log-likelihood had one."""
    rows = boston(spread(2.74))
    rows[3] |= {"ll": stored}
    c = judged(rows, "ll")
    assert (c.n, c.mean, c.verdict) == (20, -math.inf, "differ") and c.regression
    assert "infinite in 1 of 20 runs" in c.note

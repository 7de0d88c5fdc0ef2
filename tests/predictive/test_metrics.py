"""What a run reports, and which way is better."""

import numpy as np
from scipy import stats

from dgpexp.predictive.metrics import score, summary
from dgpexp.predictive.mixture import Mixture
from dgpexp.tasks import REGRESSION


def _gaussian(mean: np.ndarray, std: float) -> Mixture:
    return Mixture(mean[None], np.full((1, len(mean)), std**2))


def test_a_gaussian_prediction_has_the_metrics_of_the_textbook():
    rng = np.random.default_rng(0)
    mean, y = rng.normal(size=500), rng.normal(size=500)
    metrics = summary(REGRESSION, [score(REGRESSION, _gaussian(mean, 1.5), y, 0.0, full=True)])
    log_density = stats.norm(mean, 1.5).logpdf(y)
    np.testing.assert_allclose(metrics["rmse"], np.sqrt(np.mean((mean - y) ** 2)))
    np.testing.assert_allclose(metrics["ll"], log_density.mean())
    np.testing.assert_allclose(metrics["ll_median"], np.median(log_density))
    np.testing.assert_allclose(metrics["ll_worst"], log_density.min())
    np.testing.assert_allclose(metrics["ll_stderr"], stats.sem(log_density))
    for percent in (50, 90, 95):
        low, high = stats.norm(mean, 1.5).interval(percent / 100)
        np.testing.assert_allclose(metrics[f"coverage{percent}"], np.mean((low <= y) & (y <= high)))


def test_calibrated_predictions_are_covered_as_they_claim():
    rng = np.random.default_rng(1)
    mean = rng.normal(size=20_000)
    metrics = summary(
        REGRESSION, [score(REGRESSION, _gaussian(mean, 0.7), mean + 0.7 * rng.normal(size=20_000), 0.0, full=False)]
    )
    for percent in (50, 90, 95):
        assert abs(metrics[f"coverage{percent}"] - percent / 100) < 0.015
    assert "crps" not in metrics and "ll_rounded" not in metrics, "they are slow, and were not asked for"


def test_the_better_prediction_has_the_higher_ll_and_the_lower_crps_and_rmse():
    y = np.zeros(50)
    good, bad = (
        summary(REGRESSION, [score(REGRESSION, _gaussian(y + error, 1.0), y, 0.1, True)]) for error in (0.1, 2.0)
    )
    assert good["ll"] > bad["ll"]
    assert good["crps"] < bad["crps"]
    assert good["rmse"] < bad["rmse"]


def test_one_point_has_no_standard_error():
    y = np.zeros(1)
    assert "ll_stderr" not in summary(REGRESSION, [score(REGRESSION, _gaussian(y, 1.0), y, 0.0, full=False)])


def test_parts_add_up_to_the_whole():
    rng = np.random.default_rng(2)
    mean, y = rng.normal(size=30), rng.normal(size=30)
    whole = summary(REGRESSION, [score(REGRESSION, _gaussian(mean, 1.0), y, 0.1, True)])
    parts = summary(
        REGRESSION,
        [score(REGRESSION, _gaussian(mean[at], 1.0), y[at], 0.1, True) for at in (slice(0, 7), slice(7, 30))],
    )
    assert {name: round(value, 12) for name, value in whole.items()} == {n: round(v, 12) for n, v in parts.items()}


def test_a_peak_on_every_whole_number_gains_nothing_where_the_target_was_rounded_to_them():
    """As on wine: two predictions that give the whole numbers 5 and 6 the same probabilities."""
    y = np.array([5.0, 6.0, 6.0, 5.0, 8.0])
    peaks = Mixture(np.repeat([[5.0], [6.0], [6.0], [8.0]], 5, axis=1), np.full((4, 5), 1e-6))
    blocks = Mixture(peaks.means, np.full((4, 5), 0.01))
    sharp, wide = (summary(REGRESSION, [score(REGRESSION, m, y, 1.0, True)]) for m in (peaks, blocks))
    assert sharp["ll"] > wide["ll"] + 4.0
    np.testing.assert_allclose(sharp["ll_rounded"], np.mean(np.log([0.25, 0.5, 0.5, 0.25, 0.25])))
    np.testing.assert_allclose(wide["ll_rounded"], sharp["ll_rounded"], atol=1e-5)


def test_copies_of_training_rows_do_not_count_as_new():
    y = np.zeros(4)
    points = score(REGRESSION, _gaussian(np.array([0.0, 0.0, 3.0, 4.0]), 1.0), y, 0.0, full=True)
    metrics = summary(REGRESSION, [points | {"new": np.array([False, False, True, True])}])
    np.testing.assert_allclose(metrics["rmse"], 2.5)
    np.testing.assert_allclose(metrics["rmse_new"], np.sqrt(12.5))
    np.testing.assert_allclose(metrics["ll_new"], stats.norm(0, 1).logpdf([3.0, 4.0]).mean())
    assert metrics["crps_new"] > metrics["crps"]
    assert "ll_new" not in summary(REGRESSION, [points]), "no row is a copy: all are new, and ll says it"
    assert "ll_new" not in summary(REGRESSION, [points | {"new": np.zeros(4, bool)}]), "no row is new"

"""What the captions claim, as numbers."""

import numpy as np
import pytest
from scipy.stats import norm

from dgpexp.figures.deep import priors
from dgpexp.figures.theory import forward_reverse_kl, mauna_loa


def test_forward_kl_covers_both_peaks_and_reverse_kl_takes_one() -> None:
    kl = forward_reverse_kl
    p = kl.density(kl.GRID)
    mean, deviation = kl.forward_fit()
    assert kl.MEANS[0] < mean < kl.MEANS[1] and deviation > 2.0
    for peak in (0, 1):
        mean, deviation = kl.reverse_fit(kl.MEANS[peak])
        assert mean == pytest.approx(kl.MEANS[peak], abs=0.1)
        assert deviation == pytest.approx(kl.DEVIATIONS[peak], abs=0.1)
    # the forward fit is the best of its kind: moving it makes KL(p || q) worse
    best = kl.divergence(p, norm.pdf(kl.GRID, *kl.forward_fit()))
    for step in ([0.1, 0.0], [-0.1, 0.0], [0.0, 0.1], [0.0, -0.1]):
        assert kl.divergence(p, norm.pdf(kl.GRID, *(np.array(kl.forward_fit()) + step))) > best


def test_draws_flatten_with_depth_and_the_mean_function_holds_that_up() -> None:
    without, with_it = (priors.draws(m, count=30) for m in (False, True))
    shares = [priors.flat_share(without[:, depth - 1]) for depth in priors.DEPTHS]
    assert shares == sorted(shares)
    assert shares[-1] > 0.6
    assert priors.flat_share(with_it[:, 5]) < 0.5 * shares[-1]
    assert np.allclose(without[:, 0], with_it[:, 0])  # one layer has no hidden one: the mean function changes nothing


def test_mauna_loa_is_a_monthly_series_in_ppm() -> None:
    pytest.importorskip("statsmodels", reason="the CO2 series comes with statsmodels (extra `figures`)")
    x, y = mauna_loa.monthly()
    assert x.shape == (len(y), 1) and len(y) > 500
    assert np.all(np.diff(x[:, 0]) > 0.08) and np.isfinite(y).all()
    assert y[0] == pytest.approx(316, abs=2) and y[-1] == pytest.approx(371, abs=2)

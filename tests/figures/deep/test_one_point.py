"""The model behind Figures 4.2.2, 4.3.2 and 4.3.3: the methods' views of log Z against the exact one."""

import numpy as np
import pytest
from scipy.integrate import trapezoid

from dgpexp.figures.deep import log_z, one_point

GRID = np.linspace(-6.0, 6.0, 2001)


@pytest.fixture(scope="module")
def point() -> one_point.OnePoint:
    return one_point.build()


def test_the_exact_density_has_two_peaks_and_aep_has_its_mean_and_variance(point) -> None:
    density = point.density(GRID)
    assert trapezoid(density, GRID) == pytest.approx(1.0, abs=1e-6)
    at = {y: np.interp(y, GRID, density) for y in (-1.4, 0.0, 1.4)}
    assert at[0.0] < 0.2 * min(at[-1.4], at[1.4])
    mean = trapezoid(GRID * density, GRID)
    variance = trapezoid((GRID - mean) ** 2 * density, GRID)
    # closed-form moments against quadrature: an oracle for dgpexp/gp/moments.py as well
    assert point.one_gaussian() == pytest.approx((mean, variance), abs=1e-5)


def test_more_paths_bring_the_estimate_of_log_z_to_the_exact_value_from_below(point) -> None:
    exact = np.log(point.density(np.array([one_point.Y]))[0])
    means = {s: e.mean() for s, e in log_z.estimates(point).items()}
    assert means[10] < means[50] < exact + 0.01
    assert means[1000] == pytest.approx(exact, abs=0.02)

"""A Gaussian process whose kernel is composed of parts."""

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.figures.registry import Unavailable
from dgpexp.reference.exact import ExactGP
from dgpexp.reference.kernels import RBF, Kernel, Periodic, RationalQuadratic
from dgpexp.reference.learn import maximise

# trend: deviation (ppm), years; cycle: deviation, decay in years, smoothness; irregularities: deviation, years, alpha;
# noise: deviation of the correlated part, its years, deviation of the independent part


START = np.log([50.0, 50.0, 3.0, 90.0, 1.3, 0.6, 1.2, 0.8, 0.2, 0.15, 0.2])
CUT = 1990.0


def monthly() -> tuple[np.ndarray, np.ndarray]:
    """Time in years [n, 1] and the mean of each month in ppm [n], from the series that statsmodels ships."""
    try:
        from statsmodels.datasets import co2
    except ImportError:
        raise Unavailable("the CO2 series comes with statsmodels: `pip install 'dgpexp[figures]'` brings it.") from None
    series = co2.load_pandas().data["co2"].resample("MS").mean().dropna()
    return (series.index.year + (series.index.month - 0.5) / 12).to_numpy(float)[:, None], series.to_numpy(float)


def kernels(theta: np.ndarray) -> tuple[Kernel, Kernel, Kernel, Kernel, float]:
    """Trend, cycle, irregularities, correlated noise, and the variance of the independent noise."""
    a, trend, c, decay, smooth, r, years, alpha, n, correlation, e = np.exp(theta)
    return (
        RBF(a**2, trend),
        RBF(c**2, decay) * Periodic(1.0, smooth, 1.0),
        RationalQuadratic(r**2, years, alpha),
        RBF(n**2, correlation),
        float(e**2),
    )


def model(theta: np.ndarray, x: np.ndarray, y: np.ndarray) -> ExactGP:
    trend, cycle, irregular, correlated, noise = kernels(theta)
    return ExactGP(trend + cycle + irregular + correlated, noise, x, y)


def mauna_loa() -> Figure:
    """Carbon dioxide over Mauna Loa, 1958-2001, by a kernel composed of four parts.

    Monthly means (dots) and a GP whose kernel is a sum: a slow trend (RBF), a yearly cycle that may change its shape
    over decades (RBF x periodic), irregularities of a few years (rational quadratic), and correlated noise. Its
    parameters are learned from months before 1990 alone. The years after the dotted line are a forecast: the cycle goes
    on, the trend goes on rising, and the band (95 %) widens; the open circles were not seen. Below, trend and yearly
    cycle apart: because the kernel is a sum, so is the posterior mean.
    """
    x, y = monthly()
    seen = x[:, 0] < CUT
    level = y[seen].mean()
    part = np.flatnonzero(seen)[-12 * 12 :]  # twelve years suffice for these eleven numbers, in a tenth of the time
    theta = maximise(lambda t: model(t, x[part], y[part] - level).log_likelihood(), START, iterations=12)
    gp = model(theta, x[seen], y[seen] - level)

    grid = np.linspace(1958, 2004, 46 * 24)
    mean, variance = gp.predict(grid[:, None])
    figure, (top, bottom) = canvas.panels(2, 2, 4.6, height_ratios=(1.7, 1))
    wide = figure.add_subplot(top[0].get_gridspec()[0, :])
    for ax in top:
        ax.remove()
    canvas.band(wide, grid, mean + level, np.sqrt(variance + gp.noise), canvas.BLUE, "posterior mean and 95 %")
    wide.plot(x[seen], y[seen], ".", color=canvas.BLACK, markersize=1.5, label="monthly means, seen")
    wide.plot(x[~seen], y[~seen], "o", mec=canvas.RED, mfc="white", mew=0.6, markersize=2.5, label="not seen")
    wide.axvline(CUT, color=canvas.GREY, linewidth=1.0, linestyle=":")
    wide.set(ylabel="CO₂ in ppm", xlim=(1958, 2004))
    wide.legend(loc="upper left")

    alpha = np.linalg.solve(gp.L.T, gp.white)  # (K + σ²I)⁻¹y [N]
    trend, cycle, *_ = kernels(theta)
    years = grid[(grid > 1985) & (grid < 1991)]
    bottom[0].plot(grid, trend(grid[:, None], gp.x) @ alpha + level, color=canvas.BLUE)
    bottom[0].set(ylabel="trend in ppm", xlabel="year", xlim=(1958, 2004))
    bottom[1].plot(years, cycle(years[:, None], gp.x) @ alpha, color=canvas.BLUE)
    bottom[1].set(ylabel="yearly cycle in ppm", xlabel="year", xlim=(1985, 1991))
    return figure

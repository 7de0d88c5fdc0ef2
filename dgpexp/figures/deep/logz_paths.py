"""How AEPMCM sees the same data point: a mixture of one Gaussian a sampled path.

As in Figure 4.2.2, but instead of carrying a Gaussian through the second layer, eight values of h are drawn (dots; the
ticks below show where). Each sends its own narrow Gaussian to the output (right, thin lines, divided by eight), and Z
is read off their average (thick). The average has a peak wherever paths arrive: it follows the exact density (grey)
where AEP's single Gaussian cannot. With eight paths it is still coarse; Figure 4.3.3 shows what more paths do.
"""

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import norm

from dgpexp.drawing import canvas
from dgpexp.figures.deep.logz_aep import GRID, density_panel, second_layer

PATHS = 8


def draw() -> Figure:
    from dgpexp.figures.deep import one_point

    point = one_point.build()
    hidden_mean, hidden_variance = point.hidden()
    h = hidden_mean + np.sqrt(hidden_variance) * np.random.default_rng(7).standard_normal(PATHS)
    mean, variance = point.output(h)
    components = norm.pdf(GRID[:, None], mean, np.sqrt(variance)) / PATHS  # [y, S]

    figure, axes = canvas.panels(1, 2, 2.9, sharey=True, width_ratios=(1.6, 1))
    second_layer(axes[0, 0], point)
    density_panel(axes[0, 1], point)
    colour = canvas.METHODS["aepmcm"]
    axes[0, 0].plot(h, mean, "o", color=colour, markersize=5)
    axes[0, 0].vlines(h, -3.0, -2.6, color=colour, linewidth=1.2)
    axes[0, 1].plot(components, GRID, color=colour, linewidth=0.6)
    log_z = np.log(np.mean(norm.pdf(one_point.Y, mean, np.sqrt(variance))))
    axes[0, 1].plot(components.sum(1), GRID, color=colour, linewidth=2.0, label=f"AEPMCM: log Z = {log_z:.2f}")
    axes[0, 1].legend(loc="upper right")
    return figure

"""What leaves a deep GP is not Gaussian: histograms of y over the sampled values of the hidden layer.

A two-layer deep GP trained by AEPMCM on sincos, where y is 10 sin x or 10 cos x with equal probability, plus noise. At
three inputs, 20,000 values of the hidden layer h¹ are drawn and then y from q(y | h¹), which is Gaussian for each: the
histogram is what they give together. Where the branches are far apart it has two peaks, and they stand where those of
the true density do (dashed). The line is the Gaussian of the histogram's mean and variance, which is all that a method
with one Gaussian a layer can send on: it tells the truth only where the branches meet (middle).
"""

import numpy as np
from matplotlib.figure import Figure
from scipy.stats import norm

from dgpexp.drawing import canvas

INPUTS = (-1.0, 0.7854, 1.8)
DRAWS = 20_000


def draw() -> Figure:
    from dgpexp.datasets import load_split, synthetic
    from dgpexp.figures.deep.brief import train

    predictor = train(
        load_split("sincos", 0, rows=1000), "aepmcm", layers=2, steps=1500,
        hidden_width=3, mean_function="none", inducing_points=30, batch_size=50, train_samples=20, test_samples=1000,
    )  # fmt: skip
    mixture = predictor.predict(np.array(INPUTS)[:, None])
    y = mixture.sample(DRAWS, np.random.default_rng(0))  # [draws, n]
    figure, axes = canvas.panels(1, 3, 2.7, sharey=True)
    grid = np.linspace(-16, 16, 400)
    for ax, x, values in zip(axes[0], INPUTS, y.T, strict=True):
        bins, colour = np.linspace(-16, 16, 65), canvas.METHODS["aepmcm"]
        ax.hist(values, bins, density=True, color=colour, alpha=0.45, label="q(y | h¹)")
        ax.plot(
            grid, synthetic.density("sincos", np.array(x), grid), "--", color=canvas.BLACK, linewidth=1.0, label="truth"
        )
        ax.plot(grid, norm.pdf(grid, values.mean(), values.std()), color=canvas.METHODS["aep"], label="one Gaussian")
        ax.set(title=f"x = {x:.2f}", xlabel="y", xlim=(-16, 16))
    axes[0, 0].set_ylabel("density")
    axes[0, 0].legend(loc="upper center", bbox_to_anchor=(0.55, 1.0))
    return figure

"""A step: what one layer smooths over, three layers follow.

180 noisy observations of a step (dots), and what is predicted from them: the mean, the band from the 2.5 % to the
97.5 % quantile, and samples (grey), most of them between the data's inputs. Left, a single GP: one lengthscale must
serve the flat parts and the jump, so it rings beside the jump and its band is too wide on the flat parts. Middle, a
three-layer deep GP trained by AEPMCM: flat, narrow, and steep at the jump. Right, how it does it: the mean of each
hidden layer against the input, scaled to its range. The first is a gentle rise, the second already a step: it pulls
the two sides of the jump apart for the last layer.
"""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas

ROWS = 200


def draw() -> Figure:
    from dgpexp.datasets import load_split
    from dgpexp.figures.deep.brief import train

    split = load_split("step", 0, rows=ROWS)
    common = {"hidden_width": 1, "inducing_points": 20, "batch_size": 50, "train_samples": 10, "test_samples": 1000}
    single, deep = train(split, "vi", 1, 1000, **common), train(split, "aepmcm", 3, 1000, **common)
    grid = np.linspace(-2, 2, 301)
    x, y = split.x_scaler.inverse(split.x_train)[:, 0], split.y_scaler.inverse(split.y_train)[:, 0]

    figure, axes = canvas.panels(1, 3, 2.7)
    axes[0, 1].sharey(axes[0, 0])
    for ax, predictor, colour, title in (
        (axes[0, 0], single, canvas.BLUE, "one GP"),
        (axes[0, 1], deep, canvas.METHODS["aepmcm"], "three layers (AEPMCM)"),
    ):
        mixture = predictor.predict(grid[:, None])
        ax.fill_between(grid, mixture.quantile(0.025), mixture.quantile(0.975), color=colour, alpha=0.2, linewidth=0)
        ax.plot(grid, mixture.mean(), color=colour)
        draws = mixture.sample(4, np.random.default_rng(0))
        ax.plot(np.tile(grid, 4), draws.ravel(), ".", color=canvas.GREY, markersize=1.2, alpha=0.5, zorder=0)
        ax.plot(x, y, "o", color=canvas.BLACK, markersize=1.3, alpha=0.6, zorder=0)
        ax.set(title=title, xlabel="x", ylim=(-0.45, 1.45), xlim=(-2, 2))
    axes[0, 0].set_ylabel("y")
    for h, line, name in zip(hidden_means(deep, grid), ("-", "--"), ("h¹", "h²"), strict=True):
        axes[0, 2].plot(grid, (h - h.min()) / np.ptp(h), line, color=canvas.METHODS["aepmcm"], label=name)
    axes[0, 2].set(title="its hidden layers", xlabel="x", ylabel="share of its range", xlim=(-2, 2))
    axes[0, 2].legend(loc="lower right")
    return figure


def hidden_means(predictor: Any, x: np.ndarray) -> list[np.ndarray]:
    """The mean of each hidden layer (one unit) at x [n], the layers below at their means: [n] each."""
    import tensorflow as tf

    from dgpexp.gp.cavity import posterior

    model = predictor.model
    conditionals = model.conditionals(lambda cavity: posterior(cavity, predictor.rows))
    h, means = tf.constant(predictor.x_scaler.transform(x[:, None])), []
    for conditional in conditionals[:-1]:
        h, _ = conditional.marginals(h)
        means.append(h[:, 0].numpy())
    return means

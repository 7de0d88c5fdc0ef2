"""A step: what one layer smooths over, three layers follow.

180 noisy observations of a step (dots), and what is predicted from them: the mean, the band from the 2.5 % to the
97.5 % quantile, and sampled functions (thin lines), whole draws of every layer: what they do between the dots is what
the model believes. Left, a single GP: one lengthscale must serve the flat parts and the jump, so every function rings
beside the jump, and the band is too wide on the flat parts. Middle, a three-layer deep GP trained by AEPMCM: its
functions jump at once, each at a place of its own between the dots, are flatter elsewhere, and few overshoot. Right,
how it does it: the mean of each hidden layer against the input, scaled to its range. The first is a gentle rise, the
second already a step: it pulls the two sides of the jump apart for the last layer.
"""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas

ROWS, DRAWS = 200, 8


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
        ax.plot(grid, functions(predictor, grid).T, color=canvas.BLACK, linewidth=0.5, alpha=0.6)
        ax.plot(x, y, "o", color=canvas.GREY, markersize=1.3, alpha=0.6, zorder=0)
        ax.set(title=title, xlabel="x", ylim=(-0.45, 1.45), xlim=(-2, 2))
    axes[0, 0].set_ylabel("y")
    for h, line, name in zip(hidden_means(deep, grid), ("-", "--"), ("h¹", "h²"), strict=True):
        axes[0, 2].plot(grid, (h - h.min()) / np.ptp(h), line, color=canvas.METHODS["aepmcm"], label=name)
    axes[0, 2].set(title="its hidden layers", xlabel="x", ylabel="share of its range", xlim=(-2, 2))
    axes[0, 2].legend(loc="lower right")
    return figure


def functions(predictor: Any, x: np.ndarray) -> np.ndarray:
    """Functions drawn from the approximate posterior of all layers, at x [n], in the units of y: [DRAWS, n]."""
    from dgpexp.figures.deep.known_model import drawn_functions

    scaled = predictor.x_scaler.transform(x[:, None])
    *_, last = drawn_functions(conditionals(predictor), scaled, DRAWS, np.random.default_rng(0))
    return np.asarray(predictor.y_scaler.inverse(last.reshape(-1, 1)).reshape(last.shape))


def hidden_means(predictor: Any, x: np.ndarray) -> list[np.ndarray]:
    """The mean of each hidden layer (one unit) at x [n], the layers below at their means: [n] each."""
    import tensorflow as tf

    h, means = tf.constant(predictor.x_scaler.transform(x[:, None])), []
    for conditional in conditionals(predictor)[:-1]:
        h, _ = conditional.marginals(h)
        means.append(h[:, 0].numpy())
    return means


def conditionals(predictor: Any) -> list[Any]:
    """The layers given q: of AEPMCM the posterior, whose factors its parameters are."""
    from dgpexp.gp.cavity import posterior

    if predictor.method == "vi":
        return list(predictor.model.conditionals())
    return list(predictor.model.conditionals(lambda cavity: posterior(cavity, predictor.rows)))

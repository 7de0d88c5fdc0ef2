"""Figures of small models, trained in seconds for their sake."""

from typing import Any

import numpy as np
import tensorflow as tf
from matplotlib.figure import Figure
from scipy.stats import norm

from dgpexp.config import Settings
from dgpexp.datasets import Split, load_split, synthetic
from dgpexp.datasets.splits import cut
from dgpexp.datasets.table import Table
from dgpexp.drawing import canvas
from dgpexp.figures.deep.known_model import drawn_functions
from dgpexp.gp.cavity import posterior
from dgpexp.training.predictor import Predictor
from dgpexp.training.session import Session


def train(split: Split, method: str, layers: int, steps: int, **settings: Any) -> Predictor:
    """`steps` gradient steps of `method` on the training part of a split; always from the same seed."""
    session = Session(method, layers, Settings(**settings), split, seed=0)
    session.advance(steps)
    return session.predictor()


def hidden_histograms() -> Figure:
    """What leaves a deep GP is not Gaussian: histograms of y over the sampled values of the hidden layer.

    A two-layer deep GP trained by AEPMCM on sincos, where y is 10 sin x or 10 cos x with equal probability, plus noise.
    At three inputs, 20,000 values of the hidden layer h¹ are drawn and then y from q(y | h¹), which is Gaussian for
    each: the histogram is what they give together. Where the branches are far apart it has two peaks, and they stand
    where those of the true density do (dashed). The line is the Gaussian of the histogram's mean and variance, which is
    all that a method with one Gaussian a layer can send on: it tells the truth only where the branches meet (middle).
    """
    predictor = train(
        load_split("sincos", 0, rows=1000), "aepmcm", layers=2, steps=1500,
        hidden_width=3, mean_function="none", inducing_points=30, batch_size=50, train_samples=20, test_samples=1000,
    )  # fmt: skip
    inputs = (-1.0, 0.7854, 1.8)
    mixture = predictor.predict(np.array(inputs)[:, None])
    y = mixture.sample(20_000, np.random.default_rng(0))  # [draws, n]
    figure, axes = canvas.panels(1, 3, 2.7, sharey=True)
    grid = np.linspace(-16, 16, 400)
    for ax, x, values in zip(axes[0], inputs, y.T, strict=True):
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


def step_function() -> Figure:
    """A step: what one layer smooths over, three layers follow.

    180 noisy observations of a step (dots), and what is predicted from them: the mean, the band from the 2.5 % to the
    97.5 % quantile, and sampled functions (thin lines), whole draws of every layer: what they do between the dots is
    what the model believes. Left, a single GP: one lengthscale must serve the flat parts and the jump, so every
    function rings beside the jump, and the band is too wide on the flat parts. Middle, a three-layer deep GP trained by
    AEPMCM: its functions jump at once, each at a place of its own between the dots, are flatter elsewhere, and few
    overshoot. Right, how it does it: the mean of each hidden layer against the input, scaled to its range. The first is
    a gentle rise, the second already a step: it pulls the two sides of the jump apart for the last layer.
    """
    split = load_split("step", 0, rows=200)
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


def functions(predictor: Predictor, x: np.ndarray, count: int = 8) -> np.ndarray:
    """Functions drawn from the approximate posterior of all layers, at x [n], in the units of y: [count, n]."""
    scaled = predictor.x_scaler.transform(x[:, None])
    *_, last = drawn_functions(conditionals(predictor), scaled, count, np.random.default_rng(0))
    return np.asarray(predictor.y_scaler.inverse(last.reshape(-1, 1)).reshape(last.shape))


def hidden_means(predictor: Predictor, x: np.ndarray) -> list[np.ndarray]:
    """The mean of each hidden layer (one unit) at x [n], the layers below at their means: [n] each."""
    h, means = tf.constant(predictor.x_scaler.transform(x[:, None])), []
    for conditional in conditionals(predictor)[:-1]:
        h, _ = conditional.marginals(h)
        means.append(h[:, 0].numpy())
    return means


def conditionals(predictor: Predictor) -> list[Any]:
    """The layers given q: of AEPMCM the posterior, whose factors its parameters are."""
    if predictor.method == "vi":
        return list(predictor.model.conditionals())
    return list(predictor.model.conditionals(lambda cavity: posterior(cavity, predictor.rows)))


def two_moons() -> Figure:
    """Two moons: where a deep GP is sure of a class, where it is not, and where it says so.

    300 points of two classes, half-moons that reach into each other with noise (dots), and what two layers make of
    them. The colour is the probability of the second class, the line where it is one half. The lines are about the
    same; what differs is the doubt. VI (left) and AEPMCM (middle) are sure along the moons, and away from all points
    both fade towards one half. Right, the entropy of AEPMCM's prediction, from 0 (sure) to log 2 (a coin): a ridge
    between the moons, because there the classes overlap, and as high outside, because nothing was seen there.
    """
    x, y = moons(300)
    cells, edge = 90, 1.2
    split = cut(Table("moons", x, y, ("a", "b"), "moon", classes=("first", "second")), slice(None), slice(0, 1))
    common = {"inducing_points": 30, "batch_size": 100, "train_samples": 5, "test_samples": 200, "cooldown": 0.5}
    common |= {"shared_paths": True}  # the same draws everywhere: a picture without grain
    a, b = (np.linspace(v.min() - edge, v.max() + edge, cells) for v in x.T)
    grid = np.stack(np.meshgrid(a, b), axis=-1).reshape(-1, 2)

    figure, axes = canvas.panels(1, 3, 2.6, sharex=True, sharey=True)
    picture = {"origin": "lower", "extent": (a[0], a[-1], b[0], b[-1]), "aspect": "auto", "vmin": 0}
    for ax, method in zip(axes[0], ("vi", "aepmcm"), strict=False):
        classes = train(split, method, 2, 1500, **common).predict(grid)
        p = classes.probabilities[:, 1].reshape(cells, cells)
        shade = ax.imshow(p, cmap="PuOr", vmax=1, **picture)
        ax.contour(a, b, p, levels=[0.5], colors=canvas.BLACK, linewidths=1)
        ax.set(title={"vi": "VI", "aepmcm": "AEPMCM"}[method] + ": probability of a class")
    figure.colorbar(shade, ax=axes[0, 1])
    entropy = -np.sum(classes.probabilities * classes.log_probabilities, axis=1).reshape(cells, cells)
    doubt = axes[0, 2].imshow(entropy, cmap="Greys", vmax=np.log(2), **picture)
    axes[0, 2].set(title="AEPMCM: entropy")
    figure.colorbar(doubt, ax=axes[0, 2])
    for ax in axes[0]:
        for number, colour, mark in ((0, canvas.ORANGE, "o"), (1, canvas.SKY, "^")):
            ax.plot(*x[y == number].T, mark, color=colour, markersize=2.6, markeredgecolor=canvas.BLACK, mew=0.3)
        ax.set(xticks=[], yticks=[])
    return figure


def moons(rows: int, noise: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Inputs [rows, 2] about two half-circles, and which of the two: [rows]."""
    rng = np.random.RandomState(0)
    y = np.arange(rows) % 2
    angle = np.pi * rng.uniform(size=rows)
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    x[y == 1] = [1.0, 0.5] - x[y == 1]
    return x + noise * rng.standard_normal(x.shape), y.astype(float)

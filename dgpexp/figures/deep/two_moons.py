"""Two moons: where a deep GP is sure of a class, where it is not, and where it says so.

300 points of two classes, half-moons that reach into each other with noise (dots), and what two layers make of them.
The colour is the probability of the second class, the line where it is one half. The lines are about the same; what
differs is the doubt. VI (left) and AEPMCM (middle) are sure along the moons, and away from all points both fade
towards one half. Right, the entropy of AEPMCM's prediction, from 0 (sure) to log 2 (a coin): a ridge between the moons,
because there the classes overlap, and as high outside, because nothing was seen there.
"""

import numpy as np
from matplotlib.figure import Figure

from dgpexp.drawing import canvas

ROWS, NOISE, EDGE, CELLS = 300, 0.2, 1.2, 90


def draw() -> Figure:
    from dgpexp.datasets.splits import cut
    from dgpexp.datasets.table import Table
    from dgpexp.figures.deep.brief import train

    x, y = moons(ROWS)
    split = cut(Table("moons", x, y, ("a", "b"), "moon", classes=("first", "second")), slice(None), slice(0, 1))
    common = {"inducing_points": 30, "batch_size": 100, "train_samples": 5, "test_samples": 200, "cooldown": 0.5}
    common |= {"shared_paths": True}  # the same draws everywhere: a picture without grain
    a, b = (np.linspace(v.min() - EDGE, v.max() + EDGE, CELLS) for v in x.T)
    grid = np.stack(np.meshgrid(a, b), axis=-1).reshape(-1, 2)

    figure, axes = canvas.panels(1, 3, 2.6, sharex=True, sharey=True)
    picture = {"origin": "lower", "extent": (a[0], a[-1], b[0], b[-1]), "aspect": "auto", "vmin": 0}
    for ax, method in zip(axes[0], ("vi", "aepmcm"), strict=False):
        classes = train(split, method, 2, 1500, **common).predict(grid)
        p = classes.probabilities[:, 1].reshape(CELLS, CELLS)
        shade = ax.imshow(p, cmap="PuOr", vmax=1, **picture)
        ax.contour(a, b, p, levels=[0.5], colors=canvas.BLACK, linewidths=1)
        ax.set(title={"vi": "VI", "aepmcm": "AEPMCM"}[method] + ": probability of a class")
    figure.colorbar(shade, ax=axes[0, 1])
    entropy = -np.sum(classes.probabilities * classes.log_probabilities, axis=1).reshape(CELLS, CELLS)
    doubt = axes[0, 2].imshow(entropy, cmap="Greys", vmax=np.log(2), **picture)
    axes[0, 2].set(title="AEPMCM: entropy")
    figure.colorbar(doubt, ax=axes[0, 2])
    for ax in axes[0]:
        for number, colour, mark in ((0, canvas.ORANGE, "o"), (1, canvas.SKY, "^")):
            ax.plot(*x[y == number].T, mark, color=colour, markersize=2.6, markeredgecolor=canvas.BLACK, mew=0.3)
        ax.set(xticks=[], yticks=[])
    return figure


def moons(rows: int) -> tuple[np.ndarray, np.ndarray]:
    """Inputs [rows, 2] about two half-circles, and which of the two: [rows]."""
    rng = np.random.RandomState(0)
    y = np.arange(rows) % 2
    angle = np.pi * rng.uniform(size=rows)
    x = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    x[y == 1] = [1.0, 0.5] - x[y == 1]
    return x + NOISE * rng.standard_normal(x.shape), y.astype(float)

"""Two layers whose posterior can be sampled."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dgpexp.drawing import canvas
from dgpexp.figures.deep.known_model import Known, approximate
from dgpexp.methods import method_name
from dgpexp.reference.kernels import RBF

METHODS = ("vi", "aepmcm", "rff", "nvc")
DRAWS = 40
GRID = np.linspace(-2.3, 2.3, 130)  # matplotlib thins out lines of 128 points and more


def data() -> tuple[np.ndarray, np.ndarray]:
    """x [50, 1] and y [50]."""
    rng = np.random.default_rng(4)
    x = np.sort(rng.uniform(-2.0, 2.0, 50))
    return x[:, None], bump(bump(x)) + 0.1 * rng.standard_normal(50)


def bump(x: np.ndarray) -> np.ndarray:
    return np.asarray(2.0 * x * np.exp(-(x**2)))


def posterior_draws(steps: int = 1500) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Draws of f₁ and of f₂(f₁) on the grid, [DRAWS, n] each: of the posterior ("mcmc") and of every method."""
    x, y = data()
    start = Known(RBF(1.0, 1.0), RBF(1.0, 1.0), inner_noise=1e-3, noise=0.05, linear=False)
    changes = {"inducing_points": 20, "features": 50, "train_samples": 10, "learning_rate": 0.02, "cooldown": 0.5}
    known = approximate("vi", start, x, y, start.settings(**changes)).train(steps, everything=True).known()
    rng = np.random.default_rng(1)
    exact = known.exact(x, y)
    hidden, output = exact.functions(exact.sample(DRAWS, rng, burn_in=2000, steps=30), GRID[:, None], rng)
    drawn = {"mcmc": (hidden[:, :, 0], output)}
    for method in METHODS:
        fitted = approximate(method, known, x, y, known.settings(**changes)).train(steps)
        drawn[method] = fitted.functions(GRID[:, None], DRAWS, rng)
    return drawn


def two_layer_posterior() -> Figure:
    """Two layers, sampled and approximated: what each method believes of the functions.

    50 observations (dots) of h(h(x)) with h(x) = 2x exp(-x²) and noise of variance 0.01. Above, draws of the first
    layer's function, below, of the second's at them, both against the input. All share the kernels and noises that VI
    has learned; there is no mean function. Left, the posterior itself, by elliptical slice sampling: f₁ and -f₁ explain
    the data equally well, so the first layer has two modes of opposite sign, and within each it is free to stretch as
    long as the second follows; the outputs agree. Each of the others has settled in one mode. Those with inducing
    points are far surer of f₁ than the truth is: a Gaussian over the values of one layer, independent of those of the
    next, cannot bend both functions together. RFF (R = 50), whose weights are independent as well, cannot even be sure
    of one function; it stretches f₁, so that the noise of its weights is small beside it, and its outputs are less sure
    than the posterior's. (Mind the scales of the upper row.)
    """
    x, y = data()
    drawn = posterior_draws()
    figure, axes = canvas.panels(2, len(drawn), 3.8, sharex=True)
    for column, (name, (hidden, output)) in enumerate(drawn.items()):
        colour = canvas.METHODS.get(name, canvas.BLACK)
        reach = 1.1 * np.abs(hidden).max()
        _lines(axes[0, column], hidden, colour)
        axes[0, column].set(ylim=(-reach, reach), xlim=(GRID[0], GRID[-1]))
        axes[1, column].set(ylim=(-1.6, 1.6))
        _lines(axes[1, column], output, colour)
        axes[1, column].plot(x[:, 0], y, "o", color=canvas.RED, markersize=2.2, alpha=0.8, zorder=3)
        axes[0, column].set_title("MCMC" if name == "mcmc" else method_name(name))
        axes[1, column].set_xlabel("x")
    axes[0, 0].set_ylabel("f₁(x)")
    axes[1, 0].set_ylabel("f₂(f₁(x))")
    return figure


def _lines(ax: Axes, functions: np.ndarray, colour: str) -> None:
    ax.plot(GRID, functions[::3].T, color=colour, linewidth=0.6, alpha=0.8)

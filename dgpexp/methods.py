"""The methods, one entry each: all that the rest of dgpexp asks of a method before it trains. Needs no TensorFlow.

The mathematics of the method NAME is the module dgpexp/inference/NAME.py (see inference.Method). Nobody else asks for a
method's name: who wants to know whether paths are sampled asks `METHODS[name].samples`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise

from dgpexp.checking import refuse_unknown
from dgpexp.errors import UserError


@dataclass(frozen=True)
class Shape:
    """The sizes that the work of one pass through a model depends on."""

    widths: tuple[int, ...]  # inputs, units of the hidden layers, outputs
    inducing_points: int
    rows: int
    samples: int  # S
    features: int  # R
    functions: bool = False  # whether paths pass hidden layers by draws of functions
    natural: bool = False  # whether every unit's moments are computed from natural parameters


@dataclass(frozen=True)
class Method:
    """What a method says of itself."""

    name: str
    label: str  # in tables and figures
    samples: bool  # whether it sends S sampled paths through the layers
    needs_moments: bool  # whether its kernel must have moments in closed form
    work: Callable[[Shape], float]  # multiply-adds of one pass through the model
    colour: str
    dark: str  # the same colour on a dark page
    marker: str  # of matplotlib
    settings: tuple[str, ...] = ()  # of config.Settings, that this method reads and others do not
    gaussian_only: bool = False  # whether its objective needs a Gaussian likelihood, so that it cannot classify


_NATURAL = 4  # M x M products, factorisations and inverses for the moments of a unit (gp/natural.py), about
_OVERHEAD = 3e6  # multiply-adds that fit into the time a layer costs whatever its size


def _sparse_layers(shape: Shape, above: Callable[[int, int], float]) -> float:
    """Layers with inducing points: the first at the rows, those above it by `above`(inputs, units), M x M work in all.

    A row costs its kernel values, A = k L⁻ᵀ, and a quadratic form for each unit.
    """
    m, work = shape.inducing_points, 0.0
    for layer, (d, units) in enumerate(pairwise(shape.widths)):
        work += above(d, units) if layer else shape.rows * m * (d + m * (1 + units))
        work += m**3 * (1 + units * (_NATURAL if shape.natural else 1 / 3)) + _OVERHEAD
    return work


def _paths(shape: Shape) -> float:
    """Every row S times in the layers above the first; with functions, the quadratic forms of one path alone."""
    m, of_forms = shape.inducing_points, 1 if shape.functions else shape.samples
    return _sparse_layers(shape, lambda d, units: shape.rows * m * (shape.samples * (d + m) + of_forms * m * units))


def _features(shape: Shape) -> float:
    """2R random features of every row of a path, and the units that are linear in them; no M x M work."""
    r = shape.features
    above = sum(d * r + 2 * r * units for d, units in pairwise(shape.widths))
    return shape.rows * shape.samples * above + _OVERHEAD * (len(shape.widths) - 1)


def _moments(shape: Shape) -> float:
    """Pairs of inducing points and their exponential in the layers above the first."""
    m = shape.inducing_points
    return _sparse_layers(shape, lambda d, units: shape.rows * m * m / 2 * (2 * d + 2 * units + 12))


_OF_FACTORS = ("parameters", "initial_values")  # all data points share one approximate factor: it has parameters
_OF_FEATURES = ("features", "frequencies", "feed_inputs", "frozen_steps")
METHODS = {
    method.name: method
    for method in (
        Method("vi", "VI", True, False, _paths, "#0072b2", "#5cb8ee", "o", ("natural_rate",)),
        Method("aep", "AEP", False, True, _moments, "#e69f00", "#f0b93f", "s", _OF_FACTORS),
        Method("aepmcm", "AEPMCM", True, False, _paths, "#6b3108", "#cf9468", "D", _OF_FACTORS),
        Method("pep", "PEP", True, False, _paths, "#bd4585", "#e691bf", "v", ("alpha", *_OF_FACTORS)),
        Method("rff", "RFF", True, False, _features, "#45b07c", "#6fd3a3", "^", _OF_FEATURES),
        Method("nvc", "NVC", False, True, _moments, "#8fd0f5", "#bfe4fa", "P", gaussian_only=True),
        Method("meanfield", "mean field", False, True, _moments, "#272727", "#dddddd", "X", gaussian_only=True),
    )
}

SAMPLING = frozenset(name for name, method in METHODS.items() if method.samples)


def refuse_foreign(name: str, changed: Iterable[str]) -> None:
    """Refuse a changed setting that belongs to other methods than `name`."""
    own = find_method(name).settings
    for setting in changed:
        owners = [m.name for m in METHODS.values() if setting in m.settings]
        if owners and setting not in own:
            raise UserError(f"{setting} is a setting of {' and '.join(owners)}: {name} has no use for it.")


WITH_SPECTRUM = ("rbf", "arccosine")  # kernels whose features can be drawn
WITH_MOMENTS = ("rbf",)  # whose moments under a Gaussian are in closed form


def refuse_kernel(name: str, kernel: str, layers: int) -> None:
    """Refuse a kernel that a method cannot use at this depth."""
    method = find_method(name)
    if "features" in method.settings:
        if kernel not in WITH_SPECTRUM:
            words = " or ".join(f"kernel={k}" for k in WITH_SPECTRUM)
            raise UserError(f"{name} draws frequencies, and {kernel} has no spectral density here: use --set {words}.")
    elif kernel == "arccosine":
        raise UserError("arccosine is a kernel of rff alone: use --set kernel=rbf, or the method rff.")
    elif method.needs_moments and layers > 1 and kernel not in WITH_MOMENTS:
        raise UserError(
            f"{name} needs the moments of its kernel in closed form and {kernel} has none: "
            "use --set kernel=rbf, or the method vi or aepmcm."
        )


def refuse_classes(name: str, classes: int) -> None:
    """Refuse a method whose objective is a bound only if, given what it passes on, y is Gaussian."""
    if classes and find_method(name).gaussian_only:
        others = ", ".join(m.name for m in METHODS.values() if not m.gaussian_only)
        raise UserError(f"{name} needs a Gaussian likelihood and cannot classify: the methods that can are {others}.")


def method_name(name: str) -> str:
    """As tables and figures write it; a method that is not known here is written in capitals."""
    return METHODS[name].label if name in METHODS else name.upper()


def name_of(label: str) -> str:
    """The inverse of `method_name`."""
    return next((name for name, method in METHODS.items() if method.label == label), label.lower())


def find_method(name: str) -> Method:
    """The entry of a method, or a sentence that lists them."""
    refuse_unknown([name], METHODS, "method", "the methods are")
    return METHODS[name]

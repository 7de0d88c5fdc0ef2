"""The methods, one entry each: all that the rest of dgpexp asks of a method before it trains. Needs no TensorFlow.

The mathematics of the method NAME is the module dgpexp/inference/NAME.py (see inference.Inference). Its own settings
are a group here. Nobody asks for a method's name: to know whether paths are sampled, ask `METHODS[name].samples`.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from itertools import pairwise

from dgpexp.checking import choice, count, positive, refuse_unknown, setting, share
from dgpexp.errors import UserError
from dgpexp.kernels import KERNELS

AUTO = "auto"  # of a table: simple models and deep GPs, mixed


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
    gaussian_only: bool = False  # whether its objective is a bound only under a Gaussian likelihood


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


def _points(shape: Shape) -> float:
    """Every row S times for each of two samples of the inducing values, without a quadratic form for each unit."""
    m, work = shape.inducing_points, 0.0
    for layer, (d, units) in enumerate(pairwise(shape.widths)):
        paths = 2 * shape.samples
        work += shape.rows * m * ((d + m) * (paths if layer else 1) + paths * units) + m**3 + _OVERHEAD
    return work


def _moments(shape: Shape) -> float:
    """Pairs of inducing points and their exponential in the layers above the first."""
    m = shape.inducing_points
    return _sparse_layers(shape, lambda d, units: shape.rows * m * m / 2 * (2 * d + 2 * units + 12))


@dataclass(frozen=True, kw_only=True)
class FactorSettings:
    """Settings of methods in which all data points share one approximate factor: it has parameters."""

    parameters: str = choice(
        "moments",
        "Parameters of the inducing values: moments, whitened; or natural, the tied factor's own.",
        "moments",
        "natural",
    )
    initial_values: str = choice(
        "protocol",
        "Start of inducing values and lengthscales; author: U, mu ~ N(0, 1), and lengthscales of 1 above layer 1.",
        "protocol",
        "author",
    )


@dataclass(frozen=True, kw_only=True)
class CovarianceSettings:
    """Settings of methods whose inducing values have full covariances Σ = R Rᵀ."""

    covariance_rate: float = positive(1.0, "Learning rate of hidden layers' R, as a share of learning_rate.")


@dataclass(frozen=True, kw_only=True)
class PowerSettings:
    """Settings of power EP."""

    alpha: float = setting(
        0.5,
        "Power of a factor: 1 is AEPMCM, towards 0 it is VI.",
        "a number above 0 and at most 1",
        lambda v: 0 < v <= 1,
    )


@dataclass(frozen=True, kw_only=True)
class FeatureSettings:
    """Settings of random features."""

    features: int = count(100, "R, the number of random frequencies of each layer.")
    frozen_steps: int = count(0, "Number of first steps in which only the weights of random features move.", 0)


@dataclass(frozen=True, kw_only=True)
class ChainSettings:
    """Settings of the Markov chain of sghmc."""

    chain_step: float = positive(
        0.05, "Largest step of sghmc's chain, where the gradient is 1; noise makes it smaller."
    )
    chain_friction: float = setting(
        0.05,
        "Share of its momentum that sghmc's chain loses in every step.",
        "a number above 0 and at most 1",
        lambda v: 0 < v <= 1,
    )
    chain_share: float = share(0.3, "Share of the steps, at the end, in which sghmc holds all else and keeps samples.")


@dataclass(frozen=True, kw_only=True)
class MethodSettings(ChainSettings, FeatureSettings, PowerSettings, CovarianceSettings, FactorSettings):
    """All settings that belong to single methods."""


def _names(*groups: type) -> tuple[str, ...]:
    return tuple(f.name for group in groups for f in fields(group))


_COVARIANCE = _names(CovarianceSettings)
_FACTOR = (*_COVARIANCE, *_names(FactorSettings))

METHODS = {
    method.name: method
    for method in (
        Method("vi", "VI", True, False, _paths, "#0072b2", "#5cb8ee", "o", _COVARIANCE),
        Method("aep", "AEP", False, True, _moments, "#e69f00", "#f0b93f", "s", _FACTOR),
        Method("aepmcm", "AEPMCM", True, False, _paths, "#6b3108", "#cf9468", "D", _FACTOR),
        Method("pep", "PEP", True, False, _paths, "#bd4585", "#e691bf", "v", (*_names(PowerSettings), *_FACTOR)),
        Method("rff", "RFF", True, False, _features, "#45b07c", "#6fd3a3", "^", _names(FeatureSettings)),
        Method("nvc", "NVC", False, True, _moments, "#8fd0f5", "#bfe4fa", "P", _COVARIANCE, gaussian_only=True),
        Method("meanfield", "mean field", False, True, _moments, "#0d0d0d", "#dddddd", "X", gaussian_only=True),
        Method("sghmc", "SGHMC", True, False, _points, "#2f1459", "#b2a3e0", "*", _names(ChainSettings)),
    )
}

SAMPLING = frozenset(name for name, method in METHODS.items() if method.samples)


def is_foreign(name: str, setting: str) -> bool:
    """Whether a setting belongs to other methods than `name`."""
    return setting not in find_method(name).settings and any(setting in m.settings for m in METHODS.values())


def refuse_foreign(name: str, changed: Iterable[str]) -> None:
    """Refuse a changed setting that belongs to other methods than `name`."""
    for key in changed:
        if is_foreign(name, key):
            owners = [m.name for m in METHODS.values() if key in m.settings]
            raise UserError(f"{key} is a setting of {' and '.join(owners)}: {name} has no use for it.")


def refuse_kernel(name: str, kernel: str, layers: int) -> None:
    """Refuse a kernel that a method cannot use at this depth."""
    method, entry = find_method(name), KERNELS[kernel]
    if "features" in method.settings:
        if not entry.features:
            words = " or ".join(f"kernel={k}" for k, e in KERNELS.items() if e.features)
            raise UserError(f"{name} draws frequencies, and {kernel} has no spectral density here: use --set {words}.")
    elif not entry.stationary:
        raise UserError(f"{kernel} is a kernel of rff alone: use --set kernel=rbf, or the method rff.")
    elif method.needs_moments and layers > 1 and not entry.moments:
        raise UserError(
            f"{name} needs the moments of its kernel in closed form and {kernel} has none: "
            "use --set kernel=rbf, or the method vi or aepmcm."
        )


def refuse_likelihood(name: str, likelihood: str) -> None:
    """Refuse a method whose objective is a bound only if, given what it passes on, y is Gaussian."""
    if likelihood != "gaussian" and find_method(name).gaussian_only:
        others = ", ".join(m.name for m in METHODS.values() if not m.gaussian_only)
        raise UserError(f"{name} needs a Gaussian likelihood, not {likelihood}: the methods that take it are {others}.")


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

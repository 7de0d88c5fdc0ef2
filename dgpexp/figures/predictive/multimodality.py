"""How many-peaked is a prediction? Measures of a Mixture, for data whose branches are known.

sincos has two branches, 10 sin x and 10 cos x, each with half of the probability. A prediction that knows both puts its
mass near them and little in between; one that averages them puts its mass where no data is.
"""

from dataclasses import asdict, dataclass

import numpy as np

from dgpexp.predictive.mixture import Mixture

NEAR = 2.0  # standard deviations of the noise within which a value belongs to a branch
FAR_APART = 6.0  # standard deviations of the noise between two branches from which on they can be told apart
_PLACES = np.linspace(-0.5, 1.5, 101)  # where the density is looked at: 0 is the lower branch, 1 the upper one


@dataclass(frozen=True)
class Multimodality:
    """Averages over the inputs at which the branches are far apart."""

    near_first: float  # share of the predictive mass within NEAR deviations of the first branch
    near_second: float
    between: float  # share of it that lies between the branches and near neither
    valley: float  # depth of the valley between the branches, 0 (none) to 1 (down to nothing)
    two_peaks: float  # share of the inputs at which that valley is deeper than one half


def measure(mixture: Mixture, branches: np.ndarray, deviation: np.ndarray) -> Multimodality:
    """Measure a prediction at n inputs against the two branches [2, n] with noise of deviation [n]."""
    apart = np.abs(branches[0] - branches[1]) >= FAR_APART * deviation
    mixture = Mixture(mixture.means[:, apart], mixture.variances[:, apart])
    branches, width = branches[:, apart], NEAR * deviation[apart]
    first, second = branch_shares(mixture, branches, width)
    low, high = np.sort(branches, axis=0)
    depth = valley_depth(mixture, low, high)
    return Multimodality(
        near_first=float(first.mean()),
        near_second=float(second.mean()),
        between=float((mixture.cdf(high - width) - mixture.cdf(low + width)).mean()),
        valley=float(depth.mean()),
        two_peaks=float((depth > 0.5).mean()),
    )


def branch_shares(mixture: Mixture, branches: np.ndarray, width: np.ndarray) -> np.ndarray:
    """Predictive mass within `width` [n] of each branch [B, n]: [B, n]."""
    return np.stack([mixture.cdf(b + width) - mixture.cdf(b - width) for b in branches])


def valley_depth(mixture: Mixture, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How deep the density dips between `low` and `high` [n], relative to the lower of the peaks beside the dip: [n].

    The depth at y is 1 - p(y) / min(max p below y, max p above y); it is 0 everywhere exactly if p rises to one peak
    and falls, and the deepest point between the branches counts.
    """
    # Unlike Mixture.log_density this may underflow to 0, and it is quick enough to be done for every run of a report.
    precision = 1.0 / np.sqrt(mixture.variances)  # [S, n]
    density = np.empty((len(_PLACES), len(low)))  # but for a factor √(2π)
    for i, u in enumerate(_PLACES):
        z = (low + u * (high - low) - mixture.means) * precision
        density[i] = (precision * np.exp(-0.5 * z * z)).mean(0)
    below = np.maximum.accumulate(density, axis=0)
    above = np.maximum.accumulate(density[::-1], axis=0)[::-1]
    # Far from everything the density underflows to 0 on all sides: no valley there.
    depth = 1.0 - density / np.maximum(np.minimum(below, above), np.finfo(float).tiny)
    depth[np.minimum(below, above) == 0.0] = 0.0
    return np.asarray(depth[(_PLACES >= 0) & (_PLACES <= 1)].max(axis=0))


def summarise(measured: list[Multimodality]) -> dict[str, tuple[float, float]]:
    """Mean and standard error over several models, by name of the measure; one model has no standard error (NaN)."""
    values = np.array([list(asdict(m).values()) for m in measured])  # [runs, measures]
    errors = values.std(axis=0, ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.full(values.shape[1], np.nan)
    return {k: (float(m), float(e)) for k, m, e in zip(asdict(measured[0]), values.mean(axis=0), errors, strict=True)}

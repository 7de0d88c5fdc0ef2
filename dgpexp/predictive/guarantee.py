"""Intervals with a guarantee: levels corrected on rows that the model had not seen (conformal prediction).

Every region here grows with its level q: the central interval, or the highest-density region. The level at which it
first covers y is U = |2F(y) - 1|, or the probability of {p > p(y)}. Where n held-out rows and a new one are
exchangeable, U of the new row is as likely to be any of the n + 1 in order; so the region of the ⌈(n + 1) q⌉-th
smallest of the n covers the new row with a probability of at least q, whatever the model (Vovk et al., 2005).

Here the n rows are those of K folds, each with a model of its own (cross-conformal prediction), and the final model
predicts. U is a probability, so models are exchanged, not scales: what is corrected is the fold models' miscalibration.
Let F_k be the distribution of U under the model of fold k, and u the level found. The share of all n rows with U ≤ u is
at least q, so by the inequality of Dvoretzky, Kiefer and Wolfowitz in each fold of n/K rows

    E Σ_k F_k(u)/K ≥ q - √(πK/(2n)):

the least that intervals of fold models hold, whatever they are; where the F_k are alike it is q, as above. So intervals
of the final model hold q as far as it is calibrated as well as models of fewer rows; where it is better they hold more.
"""

import math

import numpy as np

from dgpexp.errors import UserError
from dgpexp.predictive.distribution import Distribution

_DRAWS, _AT_ONCE = 1000, 20  # rows at a time
KINDS = ("central", "hdr")
_MOST = {"central": 1 - 1e-12, "hdr": 1 - 1e-4}  # beyond, a row is outside all that is thought possible


def needed_levels(found: Distribution, y: np.ndarray) -> np.ndarray:
    """The levels at which intervals of the two KINDS first cover y [n]: [2, n]; the second by _DRAWS draws of Y."""
    central = np.abs(2 * found.cdf(y) - 1)
    hdr = np.empty(len(y))
    rng = np.random.default_rng(0)
    for start in range(0, len(y), _AT_ONCE):
        at = slice(start, start + _AT_ONCE)
        part = found.at(at)
        hdr[at] = (part.log_density(part.sample(_DRAWS, rng)) > part.log_density(y[at])).mean(0)
    return np.array([central, hdr])


def corrected_level(needed: np.ndarray | None, level: float, kind: str = "central") -> float:
    """The level that covers with probability `level`, from the levels [2, n] that held-out rows needed."""
    if not 0 < level < 1:
        raise UserError(f"a guarantee of {level:g} is not possible: it is a probability between 0 and 1, e.g. 0.9.")
    if kind not in KINDS:
        raise UserError(f"an interval is 'central' or 'hdr', not {kind!r}.")
    if needed is None or not needed.size:
        raise UserError(
            "a guarantee needs rows that the model had not seen, and this model kept none: train it by method auto, "
            "on at least 30 rows."
        )
    n = needed.shape[1]
    place = math.ceil((n + 1) * level - 1e-9)
    if place > n:
        enough = math.ceil(level / (1 - level) - 1e-9)
        raise UserError(f"a guarantee of {level:g} needs {enough} rows the model had not seen, and there are {n}.")
    found = np.sort(needed[KINDS.index(kind)])[place - 1]
    return float(np.clip(found, 1e-6, _MOST[kind]))

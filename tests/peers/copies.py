"""Small models with parameters away from any special value, to be copied into dgpexp and into a peer."""

from dataclasses import replace

import numpy as np

from benchmarks.work import Start, Work, start

WHY_SKIPPED = "GPflow, GPflux and GPyTorch are in an environment of their own: `make test-peers`"
DEEP = Work(layers=3, inducing=15, samples=4, width=4, inputs=5, batch=30, rows=60)
SHALLOW = replace(DEEP, layers=1)


def parameters(work: Work) -> Start:
    """Like the benchmark's, but with a general linear mean function: 5 inputs become 4 units."""
    made = start(work, seed=7)
    rng = np.random.default_rng(8)
    layers = [
        s if s.weights is None else replace(s, weights=rng.standard_normal(s.weights.shape) / 2) for s in made.layers
    ]
    return replace(made, layers=layers)

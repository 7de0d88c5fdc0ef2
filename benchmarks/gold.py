"""How far is each approximation from the posterior itself? `make bench-gold`: ten small problems with known parameters.

Each problem is a draw of the two-layer model: 50 rows to learn from and 200 to be judged by. Kernels and noises are
those that made the data, for Markov chain Monte Carlo and for every method, so that only q differs. The hidden values
that made the data are an exact draw of their posterior: a chain that begins at them needs no burn-in. Were it to stay
near them it would know too much, so a second chain begins at a draw of the prior, which errs to the other side: what
the two differ by is what the reference is unsure of, and a method's gap that is smaller says nothing. A gap is the mean
over the judged rows, method less chain: log-likelihood (negative: worse), CRPS in deviations of y (positive: worse).
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import output
from dgpexp.figures.deep.known_model import Known, approximate
from dgpexp.methods import method_name
from dgpexp.predictive.mixture import Mixture
from dgpexp.reference.kernels import RBF

METHODS = ("vi", "aep", "aepmcm", "pep", "rff", "nvc", "meanfield", "sghmc")
PROBLEMS, TRAIN, TEST, STEPS = 10, 50, 200, 1000
DRAWS, CHAIN_STEPS, BURN_IN = 200, 50, 1500
COMPONENTS = 400  # of every predictive mixture, so that none has a finer one
LONGER = {"sghmc": 4}  # times as many steps: a chain that is to give so many samples
SIZES = {"train": TRAIN, "test": TEST, "components": COMPONENTS, "steps": STEPS, "methods": list(METHODS)}
NOISY, QUIET = 0.1, 1e-3  # noise variance after the hidden layer: with much of it p(y | x) is far from Gaussian


@dataclass(frozen=True)
class Problem:
    """A draw of the model, x [N, 1] and y [N] of its two parts, and the hidden values of the first [N, 1]."""

    known: Known
    x: np.ndarray
    y: np.ndarray
    hidden: np.ndarray
    x_test: np.ndarray
    y_test: np.ndarray


def problem(number: int) -> Problem:
    """Even numbers have a quiet hidden layer, odd ones a noisy one."""
    rng = np.random.default_rng(number)
    known = Known(RBF(1.0, 1.0), RBF(1.0, 0.7), NOISY if number % 2 else QUIET, 0.01, linear=True)
    x = rng.uniform(-2.5, 2.5, (TRAIN + TEST, 1))
    h = x + _gp(known.first, x, rng) + np.sqrt(known.inner_noise) * rng.standard_normal(x.shape)
    y = (_gp(known.second, h, rng) + np.sqrt(known.noise) * rng.standard_normal(x.shape))[:, 0]
    return Problem(known, x[:TRAIN], y[:TRAIN], h[:TRAIN], x[TRAIN:], y[TRAIN:])


def _gp(kernel: RBF, x: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    values, vectors = np.linalg.eigh(kernel(x, x))  # singular to rounding: a smooth function at many places
    return vectors @ (np.sqrt(np.maximum(values, 0.0))[:, None] * rng.standard_normal((len(x), 1)))


def judge(mixture: Mixture, p: Problem) -> dict[str, float]:
    """Mean log-likelihood and CRPS on the rows that were held out."""
    crps = mixture.crps(p.y_test).mean() / np.concatenate([p.y, p.y_test]).std()
    return {"ll": float(mixture.log_density(p.y_test).mean()), "crps": float(crps)}


def sampled(p: Problem, start: np.ndarray | None, burn_in: int, seed: int) -> Mixture:
    """The predictions of a chain: for every draw, components with other hidden values at the new inputs."""
    rng = np.random.default_rng(seed)
    model = p.known.exact(p.x, p.y)
    draws = np.repeat(model.sample(DRAWS, rng, burn_in, CHAIN_STEPS, start), COMPONENTS // DRAWS, axis=0)
    return Mixture(*model.predict(draws, p.x_test, rng))


def approximated(method: str, p: Problem) -> Mixture:
    """The predictions of a method that has learned q; pep at the power ½."""
    changes: dict[str, Any] = {"alpha": 0.5} if method == "pep" else {}
    settings = p.known.settings(
        inducing_points=25, train_samples=10, test_samples=COMPONENTS, learning_rate=0.02, cooldown=0.5, **changes
    )
    return approximate(method, p.known, p.x, p.y, settings).train(LONGER.get(method, 1) * STEPS).predict(p.x_test)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers to FILE")
    options = parser.parse_args()
    rows = earlier(options.json)
    for number in range(len(rows), PROBLEMS):
        p = problem(number)
        gold = judge(sampled(p, p.hidden, burn_in=0, seed=1), p)
        other = judge(sampled(p, None, burn_in=BURN_IN, seed=2), p)
        row = {"problem": number, "inner_noise": p.known.inner_noise, "mcmc": gold, "second chain": other}
        row |= {method: judge(approximated(method, p), p) for method in METHODS}
        rows.append(row)
        output.write(options.json, {"rows": rows, **SIZES})
    for name, kind in (("quiet", QUIET), ("noisy", NOISY)):
        output.console.print(table(f"{name} hidden layer", [r for r in rows if r["inner_noise"] == kind]))


def earlier(path: Path | None) -> list[dict[str, Any]]:
    """The problems that FILE has already, if it is of these sizes: what was interrupted continues."""
    if path is None or not path.is_file():
        return []
    found = json.loads(path.read_text(encoding="utf-8"))
    return found["rows"] if {name: found.get(name) for name in SIZES} == SIZES else []


def table(title: str, rows: list[dict[str, Any]]) -> Any:
    """Mean gap to the chain and its standard error over the problems, for every method and the second chain."""
    shown = output.table_of(f"{title}, {len(rows)} problems", "", "log-likelihood less MCMC's", "CRPS less MCMC's")
    shown.add_row("MCMC itself", *(f"{np.mean([r['mcmc'][m] for r in rows]):.3f}" for m in ("ll", "crps")))
    for name in ("second chain", *METHODS):
        cells = []
        for metric in ("ll", "crps"):
            gaps = np.array([r[name][metric] - r["mcmc"][metric] for r in rows])
            cells.append(f"{gaps.mean():+.3f} ({gaps.std(ddof=1) / np.sqrt(len(gaps)):.3f})")
        shown.add_row(name if name == "second chain" else method_name(name), *cells)
    return shown


if __name__ == "__main__":
    main()

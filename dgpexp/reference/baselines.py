"""Simple models: what a deep GP should beat before anybody believes it, and what `auto` mixes it with.

Each is learnt in seconds from scaled rows, is nothing but arrays (so that a file can hold it), and predicts a Gaussian
for each row, or log probabilities of classes. They are learnt by scikit-learn, the GP by its own evidence.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from scipy.linalg import cho_solve, cholesky, solve_triangular
from scipy.optimize import minimize
from sklearn.linear_model import BayesianRidge

from dgpexp.reference.kernels import Array

MOST_ROWS = 500  # that a GP learns its parameters from, and its inducing points: the cost is their cube
MOST_SCALES = 50  # lengthscales of a GP; more inputs share one
_MOST_CONDITIONED = 100_000  # rows that a GP is conditioned on, and boosted trees are grown from
_BLOCK = 10_000  # rows at a time
_RULED_OUT = np.log(1e-12)  # of a class that no training row has


@dataclass(frozen=True)
class Simple:
    """A model that is nothing but arrays."""

    @property
    def sigma2(self) -> float | None:
        """The noise of the target in the variances, where it is one number; None: all of it is noise."""
        return None

    def arrays(self) -> dict[str, np.ndarray]:
        return {f.name: np.asarray(getattr(self, f.name)) for f in fields(self)}


# ---- numbers


@dataclass(frozen=True)
class Linear(Simple):
    """Bayesian linear regression.

    Weights with one variance 1/λ are the same model in any rotated coordinates. So more inputs than rows become the n
    directions in which the rows differ, lest the cost be D³; a new row's part outside them adds its square over λ.
    """

    directions: Array  # [K, D], all of them where rows are more than inputs
    weights: Array  # [K]
    offset: Array  # []
    centre: Array  # [D]
    covariance: Array  # [K, K], of the weights
    noise: Array  # []
    prior: Array  # [], 1/λ

    @classmethod
    def learn(cls, x: Array, y: Array, like: Self | None = None) -> Self:
        centre, inputs = x.mean(0), x.shape[1]
        directions = np.eye(inputs) if inputs <= len(x) else np.linalg.svd(x - centre, full_matrices=False)[2]
        found = BayesianRidge().fit((x - centre) @ directions.T, y)
        of_y = (found.sigma_, np.asarray(1 / found.alpha_), np.asarray(1 / found.lambda_))
        return cls(directions, found.coef_, np.asarray(found.intercept_), centre, *of_y)

    @property
    def sigma2(self) -> float | None:
        return float(self.noise)

    def predict(self, x: Array) -> tuple[Array, Array]:
        """Means and variances [n] of y at x [n, D]."""
        apart = x - self.centre
        inside = apart @ self.directions.T
        outside = np.sum((apart - inside @ self.directions) ** 2, axis=1)
        variance = self.noise + np.sum((inside @ self.covariance) * inside, axis=1) + outside * self.prior
        return inside @ self.weights + self.offset, variance


def _rbf(r2: Array) -> tuple[Array, Array]:
    """The kernel at squared distances, and its slope down, -dk/dr²."""
    k = np.exp(-0.5 * r2)
    return k, 0.5 * k


def _matern32(r2: Array) -> tuple[Array, Array]:
    """(1 + a) e⁻ᵃ for a = √3 r, and -dk/dr² = 3/2 e⁻ᵃ."""
    a = np.sqrt(3 * r2)
    e = np.exp(-a)
    return (1 + a) * e, 1.5 * e


_KERNELS: tuple[Callable[[Array], tuple[Array, Array]], ...] = (_rbf, _matern32)
_LEAST, _GREATEST = np.log((1e-3, 1e-1, 1e-5)), np.log((1e3, 1e4, 1e1))  # variance, lengthscales, noise


def _squared_distances(x: Array, z: Array) -> Array:
    found = np.sum(x * x, axis=1)[:, None] + np.sum(z * z, axis=1) - 2 * x @ z.T
    return np.asarray(np.maximum(found, 0.0))


def evidence(kernel: int, theta: Array, x: Array, y: Array) -> tuple[float, Array]:
    """log N(y | 0, K + σ²I), and its gradient, at theta = log (variance, lengthscales, σ²).

    With B = αα^T - (K + σ²I)⁻¹ and α = (K + σ²I)⁻¹y, dL = ½ tr(B dK). k falls with r² = Σ_d (x_d - z_d)² / ℓ_d², so
    ∂K/∂log ℓ_d = 2 s ∘ (x_d - z_d)² / ℓ_d² with s = -∂k/∂r². For W = B ∘ s, symmetric, Σ_ij W_ij (x_i - x_j)² =
    2 (Σ_i x_i² Σ_j W_ij - x^T W x): the gradients of all lengthscales are one product of matrices.
    """
    variance, scales, noise = np.exp(theta[0]), np.exp(theta[1:-1]), np.exp(theta[-1])
    u = x / scales
    correlation, slope = _KERNELS[kernel](_squared_distances(u, u))
    n = len(y)
    factor = cholesky(variance * correlation + noise * np.eye(n), lower=True)
    alpha = cho_solve((factor, True), y)
    value = -0.5 * y @ alpha - np.log(np.diag(factor)).sum() - 0.5 * n * np.log(2 * np.pi)
    B = np.outer(alpha, alpha) - cho_solve((factor, True), np.eye(n))
    W = variance * slope * B
    each = 2 * (W.sum(1) @ (u * u) - np.sum(u * (W @ u), axis=0))  # [D]
    of_scales = each if len(scales) > 1 or x.shape[1] == 1 else each.sum(keepdims=True)
    gradient = [0.5 * variance * np.sum(B * correlation), *of_scales, 0.5 * noise * np.trace(B)]
    return float(value), np.array(gradient)


@dataclass(frozen=True)
class GP(Simple):
    """GP regression with a lengthscale for each input, learnt by its evidence on at most MOST_ROWS rows.

    So many rows are its inducing points too, by FITC (reference/sparse.py), through which it knows all rows. Of fewer
    rows it is the exact GP.
    """

    kernel: Array  # [], its place in _KERNELS
    theta: Array
    z: Array  # [M, D] in lengthscales
    Lu: Array  # [M, M]
    L: Array  # [M, M]
    white: Array  # [M]

    @classmethod
    def learn(cls, x: Array, y: Array, like: Self | None = None, kernel: int = 0) -> Self:
        """From the parameters of `like`, if there is one: a GP of nearly the same rows."""
        rng = np.random.default_rng(0)
        n, inputs = x.shape
        few = _some(n, MOST_ROWS, rng)
        scales = inputs if inputs <= MOST_SCALES else 1
        low, high = (np.concatenate([e[:1], np.repeat(e[1], scales), e[2:]]) for e in (_LEAST, _GREATEST))
        start = like.theta if like else np.log([1.0, *[np.sqrt(inputs)] * scales, 0.1])

        def cost(theta: Array) -> tuple[float, Array]:
            try:
                value, gradient = evidence(kernel, theta, x[few], y[few])
            except np.linalg.LinAlgError:  # the line search went where the covariance is not positive definite
                return 1e10, np.zeros_like(theta)
            return -value, -gradient

        bounds = list(zip(low, high, strict=True))
        options = {"maxiter": 60}
        theta = minimize(cost, start, jac=True, bounds=bounds, method="L-BFGS-B", options=options).x
        known = _some(n, _MOST_CONDITIONED, rng)
        return cls._conditioned(kernel, theta, x[few], x[known], y[known])

    @classmethod
    def _conditioned(cls, kernel: int, theta: Array, z: Array, x: Array, y: Array) -> Self:
        """By the equations of reference/sparse.py, over blocks of rows."""
        variance, scales, noise = np.exp(theta[0]), np.exp(theta[1:-1]), np.exp(theta[-1])
        z, m = z / scales, len(z)
        Lu = cholesky(
            variance * _KERNELS[kernel](_squared_distances(z, z))[0] + 1e-8 * variance * np.eye(m), lower=True
        )
        inner, right = np.eye(m), np.zeros(m)
        for start in range(0, len(x), _BLOCK):
            rows = x[start : start + _BLOCK] / scales
            V = solve_triangular(Lu, variance * _KERNELS[kernel](_squared_distances(z, rows))[0], lower=True)
            precision = 1 / (np.maximum(variance - np.sum(V * V, axis=0), 0.0) + noise)
            inner += (V * precision) @ V.T
            right += V @ (precision * y[start : start + _BLOCK])
        L = cholesky(inner, lower=True)
        return cls(np.asarray(kernel), theta, z, Lu, L, solve_triangular(L, right, lower=True))

    @property
    def sigma2(self) -> float | None:
        return float(np.exp(self.theta[-1]))

    def predict(self, x: Array) -> tuple[Array, Array]:
        """Means and variances [n] of y at x [n, D]."""
        parts = [self._predict(x[start : start + _BLOCK]) for start in range(0, max(1, len(x)), _BLOCK)]
        return np.concatenate([mean for mean, _ in parts]), np.concatenate([variance for _, variance in parts])

    def _predict(self, x: Array) -> tuple[Array, Array]:
        variance, scales, noise = np.exp(self.theta[0]), np.exp(self.theta[1:-1]), np.exp(self.theta[-1])
        k = variance * _KERNELS[int(self.kernel)](_squared_distances(self.z, x / scales))[0]
        A = solve_triangular(self.Lu, k, lower=True)
        B = solve_triangular(self.L, A, lower=True)
        spread = np.maximum(variance - np.sum(A * A, axis=0) + np.sum(B * B, axis=0), 0.0)
        return B.T @ self.white, spread + noise


def _some(n: int, most: int, rng: np.random.Generator) -> np.ndarray:
    """At most so many of n rows."""
    return np.asarray(np.arange(n) if n <= most else np.sort(rng.choice(n, most, replace=False)))


class Matern(GP):
    """GP regression with the Matérn 3/2 kernel: rougher functions."""

    @classmethod
    def learn(cls, x: Array, y: Array, like: Self | None = None, kernel: int = 1) -> Self:
        return super().learn(x, y, like, kernel)


# ---- trees


def _tree_arrays(predictors: list[list[Any]], baseline: Any) -> tuple[np.ndarray, ...]:
    """scikit-learn's trees as arrays [C, T, most nodes]; a leaf is its own child."""
    rounds, columns = len(predictors), len(predictors[0])
    nodes = [[predictors[t][c].nodes for t in range(rounds)] for c in range(columns)]
    most = max(len(tree) for column in nodes for tree in column)
    shape = (columns, rounds, most)
    feature, left, right = (np.zeros(shape, dtype=np.int32) for _ in range(3))
    threshold, value = np.zeros(shape), np.zeros(shape)
    for c, column in enumerate(nodes):
        for t, tree in enumerate(column):
            k, leaf, own = len(tree), tree["is_leaf"].astype(bool), np.arange(len(tree))
            feature[c, t, :k], threshold[c, t, :k] = np.where(leaf, 0, tree["feature_idx"]), tree["num_threshold"]
            left[c, t, :k] = np.where(leaf, own, tree["left"])
            right[c, t, :k] = np.where(leaf, own, tree["right"])
            value[c, t, :k] = np.where(leaf, tree["value"], 0.0)
    return np.broadcast_to(np.ravel(baseline), (columns,)).copy(), feature, threshold, left, right, value


def _sum_of_trees(x: Array, baseline: Array, feature: Any, threshold: Any, left: Any, right: Any, value: Any) -> Array:
    """Baseline + Σ trees, for each column: [n, C]."""
    total = np.tile(baseline, (len(x), 1))
    rows = np.arange(len(x))
    for c, t in np.ndindex(feature.shape[:2]):
        node = np.zeros(len(x), dtype=np.int32)
        while True:
            low = x[rows, feature[c, t][node]] <= threshold[c, t][node]
            after = np.where(low, left[c, t][node], right[c, t][node])
            if np.array_equal(after, node):
                break
            node = after
        total[:, c] += value[c, t][node]
    return np.asarray(total)


_ROUNDS, _FOLDS = 200, 3


def _folds(n: int) -> list[Array]:
    return np.array_split(np.random.default_rng(0).permutation(n), _FOLDS)


def _usual(n: int) -> dict[str, Any]:
    """Trees that grow with the table."""
    return {"max_leaf_nodes": int(np.clip(n // 40, 4, 31)), "min_samples_leaf": int(np.clip(n // 40, 2, 20)),
            "early_stopping": False, "random_state": 0}  # fmt: skip


@dataclass(frozen=True)
class Boosted(Simple):
    """Gradient boosting of the mean, and of the variance of what the mean leaves.

    The variance v is learnt from residuals r of rows that the mean had not seen. -log N(r | 0, v) = ½ (log v + r²/v) +
    constant is the deviance of a gamma distribution of r² with mean v: trees of gamma loss maximise the likelihood.
    """

    baseline: Array
    feature: Array
    threshold: Array
    left: Array
    right: Array
    value: Array
    baseline_v: Array
    feature_v: Array
    threshold_v: Array
    left_v: Array
    right_v: Array
    value_v: Array

    @classmethod
    def learn(cls, x: Array, y: Array, like: Self | None = None) -> Self:
        from sklearn.ensemble import HistGradientBoostingRegressor as Boosting

        few = _some(len(y), _MOST_CONDITIONED, np.random.default_rng(0))
        x, y, n = x[few], y[few], len(few)
        staged = np.empty((_ROUNDS, n))
        for rows in _folds(n):
            others = np.setdiff1d(np.arange(n), rows)
            model = Boosting(max_iter=_ROUNDS, **_usual(len(others))).fit(x[others], y[others])
            staged[:, rows] = list(model.staged_predict(x[rows]))
        errors = np.square(staged - y)
        best = int(np.argmin(errors.mean(1)))
        mean = Boosting(max_iter=best + 1, **_usual(n)).fit(x, y)
        small = {**_usual(n), "max_leaf_nodes": 4, "min_samples_leaf": 20, "learning_rate": 0.05, "max_iter": 40}
        squares = np.maximum(errors[best], 1e-6 * errors[best].mean() + 1e-12)
        spread = Boosting(loss="gamma", **small).fit(x, squares)
        both = (_tree_arrays(model._predictors, model._baseline_prediction) for model in (mean, spread))
        return cls(*[array for arrays in both for array in arrays])

    def predict(self, x: Array) -> tuple[Array, Array]:
        """Means and variances [n] of y at x [n, D]."""
        arrays = list(self.arrays().values())
        return _sum_of_trees(x, *arrays[:6])[:, 0], np.exp(_sum_of_trees(x, *arrays[6:])[:, 0])


# ---- classes


@dataclass(frozen=True)
class Logistic(Simple):
    """Logistic regression."""

    classes: Array  # numbers of those that the training rows have
    of: Array  # [], how many there are
    weights: Array
    offset: Array

    @classmethod
    def learn(cls, x: Array, y: Array, classes: int, like: Self | None = None) -> Self:
        from sklearn.linear_model import LogisticRegression

        model = LogisticRegression(max_iter=1000).fit(x, y)
        return cls(model.classes_, np.asarray(classes), model.coef_, model.intercept_)

    def predict(self, x: Array) -> Array:
        """Log probabilities [n, C]."""
        return _spread_out(x @ self.weights.T + self.offset, self.classes, int(self.of))


@dataclass(frozen=True)
class BoostedClasses(Simple):
    """Gradient boosting of classes, with as many rounds as rows that were held out ask for."""

    classes: Array
    of: Array
    baseline: Array
    feature: Array
    threshold: Array
    left: Array
    right: Array
    value: Array

    @classmethod
    def learn(cls, x: Array, y: Array, classes: int, like: Self | None = None) -> Self:
        from sklearn.ensemble import HistGradientBoostingClassifier as Boosting

        few = _some(len(y), _MOST_CONDITIONED, np.random.default_rng(0))
        x, y, n, loss = x[few], y[few], len(few), np.zeros(_ROUNDS)
        for rows in _folds(n):
            others = np.setdiff1d(np.arange(n), rows)
            if len(np.unique(y[others])) < 2:
                continue
            model = Boosting(max_iter=_ROUNDS, learning_rate=0.05, **_usual(len(others))).fit(x[others], y[others])
            place = np.searchsorted(model.classes_, y[rows]).clip(0, len(model.classes_) - 1)
            known = model.classes_[place] == y[rows]
            for k, p in enumerate(model.staged_predict_proba(x[rows])):
                loss[k] -= np.log(np.maximum(p[np.arange(len(rows)), place], 1e-12))[known].sum()
        rounds = int(np.argmin(loss)) + 1
        model = Boosting(max_iter=rounds, learning_rate=0.05, **_usual(n)).fit(x, y)
        return cls(model.classes_, np.asarray(classes), *_tree_arrays(model._predictors, model._baseline_prediction))

    def predict(self, x: Array) -> Array:
        """Log probabilities [n, C]."""
        return _spread_out(_sum_of_trees(x, *list(self.arrays().values())[2:]), self.classes, int(self.of))


def _spread_out(scores: Array, classes: Array, of: int) -> Array:
    """Log probabilities of all `of` classes, from scores of those that training rows have; one alone is of two."""
    if scores.shape[1] == 1 and len(classes) == 2:
        scores = np.concatenate([np.zeros_like(scores), scores], axis=1)
    found = np.full((len(scores), of), _RULED_OUT)
    found[:, classes.astype(int)] = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    return np.asarray(np.maximum(found, _RULED_OUT))


KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Linear, GP, Matern, Boosted, Logistic, BoostedClasses)}


def candidates(rows: int, inputs: int, classes: int) -> dict[str, type[Any]]:
    """The simple models of a table, by what people call them, the cheapest first."""
    if classes:
        return {"logistic regression": Logistic, "boosted trees": BoostedClasses}
    exact = rows <= MOST_ROWS
    gp = ("an exact GP" if exact else "a sparse GP") + (" of one lengthscale" if inputs > MOST_SCALES else "")
    matern = "a Matérn GP" if exact else "a sparse Matérn GP"
    return {"a linear model": Linear, "boosted trees": Boosted, gp: GP, matern: Matern}


def learnt(kind: type[Any], x: Array, y: Array, classes: int = 0, like: Any = None) -> Any:
    """A model of this kind; by one thread, as all else here, and without warnings of parameters at their bounds."""
    from threadpoolctl import threadpool_limits

    with warnings.catch_warnings(), threadpool_limits(1):
        warnings.simplefilter("ignore")
        return kind.learn(x, y, *([classes] if classes else []), like=like)

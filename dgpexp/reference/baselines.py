"""Models that a deep GP should beat before anybody believes it: an exact GP, linear and logistic regression.

They are scikit-learn's. Those of numbers predict a Gaussian for each row, so that densities and intervals can be
compared too.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.linear_model import BayesianRidge, LogisticRegression

from dgpexp.reference.kernels import Array

MOST_ROWS = 500  # of an exact GP, which costs their cube at every step of its training
MOST_SCALES = 50  # lengthscales of an exact GP, whose gradients cost rows² x lengthscales


def linear(x: Array, y: Array, x_new: Array) -> tuple[Array, Array]:
    """Bayesian linear regression of y [n] on x [n, D], scaled: means and variances [m] of y at x_new [m, D].

    Weights with one variance 1/λ are the same model in any rotated coordinates. So more inputs than rows become the n
    directions in which the rows differ, lest the cost be D³; a new row's part outside them adds its square over λ.
    """
    outside = np.zeros(len(x_new))
    if x.shape[1] > len(x):
        x, x_new = x - x.mean(axis=0), x_new - x.mean(axis=0)
        directions = np.linalg.svd(x, full_matrices=False)[2]  # [n, D]
        outside = np.sum((x_new - x_new @ directions.T @ directions) ** 2, axis=1)
        x, x_new = x @ directions.T, x_new @ directions.T
    model = BayesianRidge().fit(x, y)
    mean, std = model.predict(x_new, return_std=True)
    return mean, std**2 + outside / model.lambda_


def exact_gp(x: Array, y: Array, x_new: Array) -> tuple[Array, Array]:
    """An exact GP with a lengthscale for each input, learnt by its evidence; of at most MOST_ROWS random rows.

    More than MOST_SCALES inputs share one lengthscale.
    """
    if len(x) > MOST_ROWS:
        rows = np.random.default_rng(0).choice(len(x), MOST_ROWS, replace=False)
        x, y = x[rows], y[rows]
    inputs = x.shape[1]
    scales = RBF(np.full(inputs if inputs <= MOST_SCALES else 1, np.sqrt(inputs)), (1e-1, 1e4))
    kernel = ConstantKernel(1.0, (1e-3, 1e3)) * scales + WhiteKernel(0.1, (1e-5, 1e1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a lengthscale at its bound is an input that is not used
        mean, std = GaussianProcessRegressor(kernel, random_state=0).fit(x, y).predict(x_new, return_std=True)
    return mean, std**2


def logistic(x: Array, y: Array, x_new: Array, classes: int) -> Array:
    """Logistic regression of the numbers of classes y [n]: log probabilities [m, C] at x_new [m, D]."""
    model = LogisticRegression(max_iter=1000).fit(x, y)
    found = np.full((len(x_new), classes), np.log(1e-12))  # of a class that no training row has
    found[:, model.classes_.astype(int)] = model.predict_log_proba(x_new)
    return found

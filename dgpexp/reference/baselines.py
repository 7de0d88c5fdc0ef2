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
    """Bayesian linear regression of y [n] on x [n, D], scaled: means and variances [m] of y at x_new [m, D]."""
    mean, std = BayesianRidge().fit(x, y).predict(x_new, return_std=True)
    return mean, std**2


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

"""DeepGPRegressor: regression whose predictions are whole distributions, by scikit-learn's conventions."""

from collections.abc import Sequence
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from dgpexp.estimators.base import DeepGPEstimator
from dgpexp.estimators.frames import value_errors
from dgpexp.predictive.distribution import Distribution
from dgpexp.predictive.guarantee import corrected_level


class DeepGPRegressor(RegressorMixin, DeepGPEstimator):
    """Deep Gaussian process regression by AEPMCM, VI, AEP or one of their relatives.

    A prediction is a distribution for each row, a mixture of Gaussians: it may be skewed, or have two modes where the
    data do. `predict` gives its mean, `pred_dist` all of it.

    Parameters
    ----------
    method : str, default=None
        How it is trained; docs/methods.md has all of them. None is "auto", the default of `dgpexp run csv`: simple
        models (linear, GPs, boosted trees) mixed with power EP ("pep") and, of many rows, "aepmcm", by weights from
        rows they had not seen; a deep GP that gains nothing is left out. Every parameter below that is None takes the
        recipe of the method. "aepmcm" predicts skewed and multimodal distributions; "vi" tends to the better mean.
    layers : int, default=2
        1 is a sparse Gaussian process; 2 to 5 are deep ones.
    inducing_points : int, default=None
        The more, the finer the functions that a layer can learn; a step costs their square, at most their cube.
        Never more than there are training rows. None: 80, of a single method 100.
    steps : int, default=None
        Gradient steps; None: 100 √N for N rows, at least 1500; of a single method 200 √N, at least 3000 (VI: 100 √N,
        at least 5000). The rate falls to 0 over the second half of them.
    batch_size : int, default=None
        Rows of a step; None: 50 (VI: 1000).
    learning_rate : float, default=None
        The rate of Adam; None: 0.02, of a single method 0.01.
    samples : int, default=None
        Sampled paths of a training step (methods that sample); None: 20 (VI: 1).
    likelihood : str, default="auto"
        "gaussian" (auto); "studentt", whose noise may now and then be very large; or "poisson", for counts 0, 1, 2, ...
    settings : dict, default=None
        Any other setting by its name, such as {"kernel": "matern52", "precision": "mixed"}; `dgpexp settings` lists
        them. They win over the parameters above.
    max_seconds : float, default=None
        Of "auto": mix what was finished by then, with a warning; so does Ctrl-C. Deep GPs take fewer steps to be ready.
    random_state : int, RandomState or None, default=None
        The same number gives the same model to the last bit.
    progress : bool, default=False
        Show a bar while it is trained.

    Attributes
    ----------
    n_features_in_, feature_names_in_ : as in scikit-learn
    weights_ : dict
        The models that "auto" mixed, with their weights.
    n_steps_ : int
        Steps that deep GPs were trained, those on folds included.
    seconds_ : float
        How long these took.

    Notes
    -----
    X may be an array of numbers, or a pandas frame with columns of words, which become an input of 0 or 1 for each
    level (a word that was not there in `fit` is refused). Inputs and y are scaled inside.

    Examples
    --------
    >>> import numpy as np
    >>> from dgpexp import DeepGPRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-2, 2, size=(200, 1))
    >>> y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=200)
    >>> model = DeepGPRegressor(steps=500, inducing_points=20, random_state=0).fit(X, y)
    >>> mean, std = model.predict([[0.5]], return_std=True)
    >>> print(f"{mean[0]:.1f}")
    1.0
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Train on rows X [n, D] and their numbers y [n].

        Returns
        -------
        self : the fitted estimator.
        """

        def learn(fresh: Self) -> None:
            x, numbers, names = fresh._learn_inputs(X, y, y_numeric=True)
            fresh._train(x, numbers.astype(np.float64), names, str(getattr(y, "name", None) or "y"))

        return self._fitted_as(learn)

    def pred_dist(self, X: Any) -> Distribution:
        """The predictive distributions at X, a mixture for each row.

        It has mean(), std(), pdf(y), logpdf(y), cdf(y), ppf(p), sample(count, seed), interval(level, kind) and
        modes(). Its arrays `means` and `variances` [S, n] are the Gaussians it is made of, all of the same weight.
        """
        found: Distribution = self.predictor_.predict(self._inputs(X))
        return found

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The mean of the prediction for each row [n]; with `return_std` also its deviation [n], noise included."""
        mean, std = self._by_row(X, lambda found: np.stack([found.mean(), found.std()], axis=1)).T
        return (mean, std) if return_std else mean

    def predict_quantiles(self, X: Any, quantiles: Sequence[float] = (0.05, 0.5, 0.95)) -> np.ndarray:
        """Quantiles of the prediction for each row: [n, number of quantiles]."""
        return self._by_row(X, lambda found: found.ppf(list(quantiles)).T)

    def predict_interval(
        self, X: Any, level: float = 0.9, kind: Literal["central", "hdr"] = "central", guarantee: bool = False
    ) -> np.ndarray:
        """Where y lies with probability `level`: low and high of each row.

        kind="central" leaves (1 - level)/2 out on either side: [n, 2]. kind="hdr" is the highest-density region, the
        smallest there is: several intervals where the prediction has several modes, without the gap between them:
        [n, K, 2], NaN where a row has fewer than K.

        guarantee=True corrects the level on rows that the models had not seen (conformal prediction), so that the
        intervals hold at least `level` of new rows like these, whatever the model; `method="auto"` keeps such rows.
        """
        if guarantee:
            check_is_fitted(self)
            with value_errors():
                level = corrected_level(getattr(self.predictor_, "needed", None), level, kind)
        return self.pred_dist(X).interval(level, kind)

    def uncertainty(self, X: Any) -> dict[str, np.ndarray]:
        """Why each row is unsure: `std`, its parts `noise` and `ignorance`, and whether it is `outside`: [n] each.

        Noise stays with more rows, ignorance would go; the squares of both sum to that of std. Outside is a row that
        is unlike all training rows.
        """
        x = self._inputs(X)
        unknown = self.seen_.unknown(x) if self.seen_ else np.zeros(len(x))
        parts = [(p.variance(), p.ignorance(unknown[at])) for at, p in self.predictor_.parts(x)]
        variance, ignorance = (np.concatenate(each) for each in zip(*parts, strict=True))
        noise = np.sqrt(np.maximum(variance - ignorance, 0.0))
        outside = self.seen_.outside(x) if self.seen_ else np.zeros(len(x), dtype=bool)
        return {"std": np.sqrt(variance), "noise": noise, "ignorance": np.sqrt(ignorance), "outside": outside}

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> np.ndarray:
        """Draws of y for each row, independent of each other: [n, n_samples]."""
        rng = np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))
        return self.pred_dist(X).sample(n_samples, rng).T
